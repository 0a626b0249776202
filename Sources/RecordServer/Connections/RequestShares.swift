import RecordEngine
import RecordModel
import Synchronization

/// How many requests are worked on for each address, user and API token, so that none of them takes all there is.
final class RequestShares: Sendable {
    /// Who has a share.
    enum Party: Hashable, Sendable {
        case address(ClientAddress)
        case user(Tenant, String)
        case token(String)

        fileprivate var share: Int {
            switch self {
            case .address: Limits.requestsPerAddress
            case .user: Limits.requestsPerUser
            case .token: Limits.requestsPerToken
            }
        }

        fileprivate var name: String {
            switch self {
            case .address: "this address"
            case .user: "this user"
            case .token: "this API token"
            }
        }
    }

    private let working = Mutex<[Party: Int]>([:])

    /// Does work for parties that are counted meanwhile.
    ///
    /// - Throws: `THROTTLED` when one of them has too much under way; what the work throws.
    func with<Result>(_ parties: [Party], _ work: () async throws -> Result) async throws -> Result {
        try enter(parties)
        defer { leave(parties) }
        return try await work()
    }

    private func enter(_ parties: [Party]) throws(ServiceError) {
        let full = working.withLock { working -> Party? in
            if let full = parties.first(where: { working[$0, default: 0] >= $0.share }) { return full }
            for party in parties { working[party, default: 0] += 1 }
            return nil
        }
        guard let full else { return }
        var error = ServiceError(
            .throttled, "\(full.share) requests of \(full.name) are being answered already.",
            remedy: "Wait for answers before you send more; GET /limits says how many may be under way.")
        error.retryAfterSeconds = 1
        throw error
    }

    private func leave(_ parties: [Party]) {
        working.withLock { working in
            for party in parties {
                guard let count = working[party] else { continue }
                working[party] = count > 1 ? count - 1 : nil
            }
        }
    }
}

extension [RequestShares.Party] {
    /// The one of them that is asked to take its answers: the user, or the API token where nobody is signed in.
    var taker: RequestShares.Party? {
        first { if case .user = $0 { true } else { false } }
            ?? first { if case .token = $0 { true } else { false } }
    }
}
