import RecordModel
import RecordStorage
import Synchronization

/// Which upload addresses were used, and for which content: each is good for one.
///
/// The same content may come again, since a client whose connection was cut does not know that the file arrived. What was
/// used is known to this process only, so addresses that an earlier one gave are not taken.
final class UploadUses: Sendable {
    private struct State {
        var uses: [[UInt8]: (digest: AssetDigest, until: Int64)] = [:]
        var nextSweep = 0
    }

    private let start: Int64
    private let state = Mutex(State())

    /// Those of which the time is over are removed when so many are known, and then at twice as many as are left.
    private static let firstSweep = 1_024

    /// - Parameter start: when the process began to give addresses, in milliseconds since 1970.
    init(start: Int64) { self.start = start }

    /// - Throws: `ACCESS_DENIED` for an address from before the process started.
    func check(_ token: UploadToken) throws(ServiceError) {
        guard token.expiresAt - Int64(Limits.uploadTokenSeconds) * 1_000 >= start else {
            throw ServiceError(
                .accessDenied, "The upload address is from before the service was started.",
                remedy: "Ask assets/upload for another one.")
        }
    }

    /// Notes that a content came to an address.
    ///
    /// - Returns: whether it is the first one; should keeping it fail, ``forget(_:)`` has to follow.
    /// - Throws: `ACCESS_DENIED` when another content came before.
    func use(_ token: UploadToken, for digest: AssetDigest, now: Int64) throws(ServiceError) -> Bool {
        let isFirst = state.withLock { state -> Bool? in
            if let use = state.uses[token.number] { return use.digest == digest ? false : nil }
            if state.uses.count >= max(Self.firstSweep, state.nextSweep) {
                state.uses = state.uses.filter { $0.value.until > now }
                state.nextSweep = state.uses.count * 2
            }
            state.uses[token.number] = (digest, token.expiresAt)
            return true
        }
        guard let isFirst else {
            throw ServiceError(
                .accessDenied, "Another file was uploaded to this address.",
                remedy: "Ask assets/upload for an address for each file.")
        }
        return isFirst
    }

    /// Takes back that an address was used: its file could not be kept.
    func forget(_ token: UploadToken) { state.withLock { $0.uses[token.number] = nil } }
}
