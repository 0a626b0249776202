import RecordModel
public import RecordStorage

/// What a sweep did.
public struct AssetSweepReport: Sendable, Hashable {
    /// How many files were removed that no record had referred to for the time of grace.
    public var unused = 0
    /// How many files were removed that the record store did not know: what a crash left behind.
    public var unknown = 0
    /// How many of them could not be removed; the next sweep tries again.
    public var failed = 0
    /// How many files were left alone because they are older than everything that the record store knows.
    public var foreign = 0

    /// Whether there was nothing to do.
    public var isEmpty: Bool { self == AssetSweepReport() }
}

/// Removes the files that nothing refers to and that have had their time of grace.
///
/// A crash at any moment leaves at most a file that the store does not know, which a later sweep removes.
public struct AssetSweep: Sendable {
    private let store: any RecordStore
    private let assets: AssetLibrary
    /// When it is now, in milliseconds since 1970.
    private let now: Int64
    /// What is unused since then, or later, is too young to go.
    private let before: Int64
    private let sparesForeign: Bool
    private let onRemoved: @Sendable (_ files: Int) -> Void

    /// How many rows one write of a sweep changes, so that other writes need not wait for long.
    private static let batch = 500

    /// Prepares a sweep for a process that serves nobody else with the store and its files.
    ///
    /// - Parameters:
    ///   - store: knows which files are referred to.
    ///   - files: has them.
    ///   - now: milliseconds since 1970.
    ///   - graceMilliseconds: for how long nothing must have referred to a file. An upload whose file goes before
    ///     a record was saved with it must be repeated; the client's error says so.
    ///   - sparesForeign: whether to leave files alone that are older than everything the store knows: most
    ///     likely the database is not theirs, and what nobody asked for must not remove them.
    ///   - onRemoved: called now and then with the number of files removed so far.
    public init(
        store: any RecordStore, files: any AssetStore, now: Int64, graceMilliseconds: Int64,
        sparesForeign: Bool, onRemoved: @escaping @Sendable (_ files: Int) -> Void = { _ in }
    ) {
        self.init(
            store: store, assets: AssetLibrary(store: files), now: now, graceMilliseconds: graceMilliseconds,
            sparesForeign: sparesForeign, onRemoved: onRemoved)
    }

    init(
        store: any RecordStore, assets: AssetLibrary, now: Int64, graceMilliseconds: Int64,
        sparesForeign: Bool, onRemoved: @escaping @Sendable (_ files: Int) -> Void = { _ in }
    ) {
        self.store = store
        self.assets = assets
        self.now = now
        before = now - graceMilliseconds + 1
        self.sparesForeign = sparesForeign
        self.onRemoved = onRemoved
    }

    /// Sweeps once.
    ///
    /// - Throws: `StorageError` when a store fails as a whole.
    public func run() async throws -> AssetSweepReport {
        while try await store.write({ [now] in try $0.dateReleasedAssets(at: now, limit: Self.batch) })
            == Self.batch
        {}
        var report = AssetSweepReport()
        try await removeUnused(&report)
        try await removeUnknown(&report)
        return report
    }

    /// Files that the store knows and no record refers to.
    private func removeUnused(_ report: inout AssetSweepReport) async throws {
        while true {
            let due = try await store.read(.short) { [before] in
                try $0.assets(unusedBefore: before, limit: Self.batch)
            }
            var removed = 0
            for digest in due {
                try Task.checkCancellation()
                let isRemoved = try await attempt(&report) {
                    try await assets.withLock(digest) { [store, before] in
                        // The row goes first: a file without a row is found again, a row without a file is a loss.
                        guard try await store.write({ try $0.removeAsset(digest, unusedBefore: before) })
                        else { return false }
                        try await assets.store.delete(digest)
                        return true
                    }
                }
                if isRemoved { removed += 1 }
            }
            report.unused += removed
            onRemoved(report.unused)
            guard removed > 0, due.count == Self.batch else { return }
        }
    }

    /// Files that the store does not know: their upload was cut off between the file and the row, or a sweep
    /// between the row and the file.
    private func removeUnknown(_ report: inout AssetSweepReport) async throws {
        // Read before the files are: what is noted later is younger than all of them.
        var oldest = Int64.min
        if sparesForeign { oldest = try await store.read(.long) { try $0.oldestAsset() ?? .max } }
        var last: AssetDigest?
        while true {
            let files = try await assets.store.files(after: last, limit: Self.batch)
            for file in files where file.modifiedAt < before {
                try Task.checkCancellation()
                let isForeign = file.modifiedAt < oldest
                let isUnknown = try await attempt(&report) {
                    try await assets.withLock(file.digest) { [store] in
                        guard try await store.read(.short, { try $0.asset(file.digest) }) == nil else {
                            return false
                        }
                        if !isForeign { try await assets.store.delete(file.digest) }
                        return true
                    }
                }
                guard isUnknown else { continue }
                if isForeign { report.foreign += 1 } else { report.unknown += 1 }
            }
            onRemoved(report.unused + report.unknown)
            guard let next = files.last?.digest, files.count == Self.batch else { return }
            last = next
        }
    }

    /// Does something about one file; that it fails does not hold up the others.
    private func attempt(
        _ report: inout AssetSweepReport, _ work: () async throws -> Bool
    ) async throws -> Bool {
        do {
            return try await work()
        } catch let error as StorageError {
            guard !error.isTemporary else { throw error }
            report.failed += 1
            return false
        }
    }
}

extension RecordService {
    /// Removes the files that nothing has referred to for `Limits/assetGraceSeconds`.
    ///
    /// Files that are older than everything the record store knows stay: they belong to another database, say
    /// one that was put aside for a while.
    /// - Throws: `StorageError` when a store fails as a whole.
    public func sweepAssets() async throws -> AssetSweepReport {
        guard let assets else { return AssetSweepReport() }
        return try await AssetSweep(
            store: store, assets: assets, now: environment.now(),
            graceMilliseconds: Int64(Limits.assetGraceSeconds) * 1_000, sparesForeign: true
        ).run()
    }
}
