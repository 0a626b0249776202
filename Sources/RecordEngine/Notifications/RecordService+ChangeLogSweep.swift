import RecordModel
import RecordStorage

extension RecordService {
    /// Forgets what is older than its limits: logged changes, watches that no live query and no subscription needs, and
    /// receivers that nobody asked for long or that ended long ago.
    ///
    /// - Throws: `StorageError` where the store cannot be written; `CancellationError` between two slices.
    public func sweepChangeLog() async throws {
        let now = environment.now()
        let ago: @Sendable (Int) -> Int64 = { now - Int64($0) * 1_000 }
        // In slices, so that others' writes go on in between.
        while try await !store.write({ store in
            try store.forgetChanges(before: ago(Limits.changeLogSeconds), at: now)
        }) { try Task.checkCancellation() }
        try await store.write { store in
            try store.deleteWatches(unusedSince: ago(Limits.liveResumeSeconds))
            let old = ago(Limits.receiverSeconds)
            try store.deleteReceivers(unseenSince: old, endedBefore: old)
        }
    }
}
