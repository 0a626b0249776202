import HummingbirdCore
import RecordEngine

/// Counts a request for its address, the network around it and its user while it is worked on.
struct SharePolicy: RequestPolicy {
    let shares: RequestShares

    func enter(_ passage: inout RequestPassage) async throws {
        guard passage.isCall, let call = passage.call, let admission = passage.admission else { return }
        var user: RequestShares.Party?
        if case .user(let name) = admission.caller { user = .user(call.tenant, name) }
        let parties = RequestParties(user: user, token: call.credentials.apiToken, from: passage.client)
        passage.parties = parties
        let taken = try shares.take(parties.first, runner: parties.runner)
        passage.shares = taken
        passage.executor = taken.executor
    }

    func leave(_ passage: inout RequestPassage, _ response: inout Response) {
        if let taken = passage.shares.take() { shares.give(taken) }
    }
}
