import HummingbirdCore
import RecordEngine

/// Counts a request for the API token of its app where nobody is signed in, once its body is there.
struct TokenSharePolicy: RequestPolicy {
    let shares: RequestShares

    func enter(_ passage: inout RequestPassage) async throws {
        guard let parties = passage.parties, let token = parties.later else { return }
        let taken = try shares.take([token], runner: parties.runner)
        passage.tokenShare = taken
        passage.executor = taken.executor
    }

    func leave(_ passage: inout RequestPassage, _ response: inout Response) {
        if let taken = passage.tokenShare.take() { shares.give(taken) }
    }
}
