import RecordModel
import RecordStorage

/// What a sweep did.
public struct AssetSweepReport: Sendable, Hashable {
    /// How many files were removed that no record had referred to for the time of grace.
    public var unused = 0
    /// How many files were removed that the record store did not know: what a crash left behind.
    public var unknown = 0
    /// How many of them could not be removed; the next sweep tries again.
    public var failed = 0

    /// Whether there was nothing to do.
    public var isEmpty: Bool { self == AssetSweepReport() }
}

extension RecordService {
    /// How many rows one write of a sweep changes, so that other writes need not wait for long.
    private static let sweepBatch = 500

    /// Removes the files that nothing refers to and that have had their time of grace.
    ///
    /// A crash at any moment leaves at most a file that the store does not know, which a later sweep removes.
    /// - Throws: `StorageError` when a store fails as a whole.
    public func sweepAssets() async throws -> AssetSweepReport {
        guard let assets else { return AssetSweepReport() }
        let now = environment.now()
        let before = now - Int64(Limits.assetGraceSeconds) * 1_000
        while try await store.write({ try $0.dateReleasedAssets(at: now, limit: Self.sweepBatch) })
            == Self.sweepBatch
        {}
        var report = AssetSweepReport()
        try await removeUnused(before, assets, &report)
        try await removeUnknown(before, assets, &report)
        return report
    }

    /// Files that the store knows, and knows nobody to refer to.
    private func removeUnused(
        _ before: Int64, _ assets: AssetLibrary, _ report: inout AssetSweepReport
    ) async throws {
        while true {
            let due = try await store.read(.short) {
                try $0.assets(unusedBefore: before, limit: Self.sweepBatch)
            }
            var removed = 0
            for digest in due {
                try Task.checkCancellation()
                do {
                    let isRemoved = try await assets.locks.withLock(digest) { [store] in
                        // The row goes first: a file without a row is found again, a row without a file is a loss.
                        guard try await store.write({ try $0.removeAsset(digest, unusedBefore: before) })
                        else { return false }
                        try await assets.store.delete(digest)
                        return true
                    }
                    if isRemoved { removed += 1 }
                } catch let error as StorageError {
                    guard !error.isTemporary else { throw error }
                    report.failed += 1
                }
            }
            report.unused += removed
            guard removed > 0, due.count == Self.sweepBatch else { return }
        }
    }

    /// Files that the store does not know: their upload was cut off between the file and the row, or a sweep
    /// between the row and the file.
    private func removeUnknown(
        _ before: Int64, _ assets: AssetLibrary, _ report: inout AssetSweepReport
    ) async throws {
        var last: AssetDigest?
        while true {
            let files = try await assets.store.files(after: last, limit: Self.sweepBatch)
            for file in files where file.modifiedAt < before {
                try Task.checkCancellation()
                do {
                    let isRemoved = try await assets.locks.withLock(file.digest) { [store] in
                        guard try await store.read(.short, { try $0.asset(file.digest) }) == nil else {
                            return false
                        }
                        try await assets.store.delete(file.digest)
                        return true
                    }
                    if isRemoved { report.unknown += 1 }
                } catch let error as StorageError {
                    guard !error.isTemporary else { throw error }
                    report.failed += 1
                }
            }
            guard let next = files.last?.digest, files.count == Self.sweepBatch else { return }
            last = next
        }
    }
}
