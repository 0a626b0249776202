public import RecordStorage

extension StoreJob {
    /// Removing files that nothing refers to.
    public static let assetSweep = StoreJob(name: "asset sweep", intervalSeconds: 3_600)
    /// Forgetting what became of requests with idempotency keys.
    public static let keptOutcomeSweep = StoreJob(name: "kept outcome sweep", intervalSeconds: 3_600)
    /// Forgetting sessions and links that have ended.
    public static let signInSweep = StoreJob(name: "sign-in sweep", intervalSeconds: 3_600)
    /// Forgetting versions of records that are older than their type's setting.
    public static let versionSweep = StoreJob(name: "version sweep", intervalSeconds: 3_600)
    /// Forgetting logged changes, watches and receivers that nobody needs any more.
    public static let changeLogSweep = StoreJob(name: "change log sweep", intervalSeconds: 3_600)
    /// Forgetting what was shared once and is shared no more.
    public static let shareSweep = StoreJob(name: "share sweep", intervalSeconds: 86_400)
}

extension RecordService {
    /// Does a job, unless another node on the same store does it or has done it lately.
    ///
    /// The lease is renewed while the work runs. When it is lost, because the store could not be reached for as long as
    /// it lasts, the work is cancelled.
    ///
    /// - Returns: whether it was done.
    /// - Throws: what the work throws; `StorageError`; `CancellationError` when the lease was lost.
    @discardableResult
    public func run(_ job: StoreJob, _ work: @escaping @Sendable () async throws -> Void) async throws -> Bool
    {
        guard try await store.takeLease(of: job) else { return false }
        do {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    try await work()
                    return true
                }
                group.addTask { [store] in
                    try await Self.keepLease(of: job, in: store)
                    return false
                }
                defer { group.cancelAll() }
                guard try await group.next() == true else { throw CancellationError() }
            }
        } catch {
            // What cannot be returned ends by itself.
            try? await store.returnLease(of: job, isDone: false)
            throw error
        }
        try await store.returnLease(of: job, isDone: true)
        return true
    }

    /// Renews a lease as long as it can be, and returns when it is lost.
    private static func keepLease(of job: StoreJob, in store: any RecordStore) async throws {
        var end = ContinuousClock.now + .seconds(job.leaseSeconds)
        while ContinuousClock.now < end {
            try await Task.sleep(for: .seconds(job.leaseSeconds) / 3)
            let next = ContinuousClock.now + .seconds(job.leaseSeconds)
            do {
                guard try await store.renewLease(of: job) else { return }
                end = next
            } catch let error as StorageError where error.isTemporary {
                // The database may come back before the lease is over.
            }
        }
    }
}
