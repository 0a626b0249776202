import RecordEngine
public import RecordModel
public import RecordStorage
import Synchronization

/// Gives people what is theirs, as archives that are written while they are sent.
public final class AccountArchives: Sendable {
    private let store: any RecordStore
    private let assets: any AssetStore
    private let now: @Sendable () -> Int64
    private let running = Mutex<Set<String>>([])

    /// Names where everything is.
    ///
    /// - Parameters:
    ///   - store: where records and accounts are.
    ///   - assets: where records' files are.
    ///   - now: milliseconds since 1970.
    public init(
        store: any RecordStore, assets: any AssetStore, now: @escaping @Sendable () -> Int64
    ) {
        self.store = store
        self.assets = assets
        self.now = now
    }

    /// An account's archive, which holds one of the places until nobody has it any more.
    ///
    /// - Throws: `THROTTLED` while another archive of the account is on its way, or `Limits/accountArchives` are.
    public func archive(of account: AccountRow) throws(ServiceError) -> AccountArchive {
        let isFree = running.withLock { running in
            guard running.count < Limits.accountArchives else { return false }
            return running.insert(account.id).inserted
        }
        guard isFree else {
            var error = ServiceError(
                .throttled, "Another archive is on its way.", remedy: "Wait until it has come.")
            error.retryAfterSeconds = 30
            throw error
        }
        return AccountArchive(account, store: store, assets: assets, now: now()) { [weak self] in
            _ = self?.running.withLock { $0.remove(account.id) }
        }
    }
}
