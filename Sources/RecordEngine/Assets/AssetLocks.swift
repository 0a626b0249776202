import RecordModel

/// Lets one task at a time bring the file of a content and the store's row of it together.
///
/// An upload places the file and then notes it; a sweep forgets the row and then removes the file. Were they to
/// mix, the sweep could remove what an upload of the same content has just put there and acknowledged. With the
/// lock, an upload comes either wholly before a sweep's look, which then finds the row young and leaves both, or
/// wholly after it, and then puts back both. Nodes on one PostgreSQL share the files, so that they are kept apart as well, by
/// `AssetStore.hold(_:)`; tasks of one node stand in line here before.
actor AssetLocks {
    private var waiting: [AssetDigest: [CheckedContinuation<Void, Never>]] = [:]

    /// Runs a closure while nobody else does with the same content.
    nonisolated func withLock<Value: Sendable>(
        _ digest: AssetDigest, _ body: () async throws -> Value
    ) async throws -> Value {
        await lock(digest)
        do {
            let value = try await body()
            await unlock(digest)
            return value
        } catch {
            await unlock(digest)
            throw error
        }
    }

    private func lock(_ digest: AssetDigest) async {
        guard waiting[digest] != nil else {
            waiting[digest] = []
            return
        }
        await withCheckedContinuation { waiting[digest]?.append($0) }
    }

    private func unlock(_ digest: AssetDigest) {
        guard let next = waiting[digest]?.first else {
            waiting[digest] = nil
            return
        }
        // The lock goes over to the next in line without being free in between.
        waiting[digest]?.removeFirst()
        next.resume()
    }
}
