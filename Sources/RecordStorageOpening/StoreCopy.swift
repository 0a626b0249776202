internal import Crypto
internal import RecordModel
public import RecordStorage

/// Copies all of one store into another, which may be of another engine.
///
/// Rows keep the numbers by which sync tokens, continuation markers and change tags name them. From ``copy(progress:)``
/// until ``finish()`` nobody can open the target: a copy that is interrupted, or does not match, is never served.
/// Nothing else may write to either store meanwhile.
public struct StoreCopy: Sendable {
    /// What a store holds, in short.
    public struct Summary: Sendable, Hashable {
        /// How many rows each part has.
        public var counts: [StoreSection: Int] = [:]
        /// SHA-256 of all rows of each part in the order of their keys.
        public var digests: [StoreSection: [UInt8]] = [:]
    }

    /// What is being done.
    public enum Phase: Sendable, Hashable {
        /// The source does what it put off: records of zones and types that were deleted, say.
        case settling
        /// Rows go over.
        case copying
        /// Both stores are read and compared.
        case comparing
    }

    /// Takes how many rows a phase has been through, and how many records there are in all; 0 where that is not known.
    public typealias Progress = @Sendable (_ phase: Phase, _ done: Int, _ total: Int) -> Void

    private let source: any RecordStore
    private let target: any RecordStore
    private let portion: CopyPortion

    /// Names the stores.
    ///
    /// - Parameter portion: how much is held in memory at once, besides one record.
    public init(
        from source: any RecordStore, to target: any RecordStore,
        portion: CopyPortion = CopyPortion(rows: 500, bytes: 4 << 20)
    ) {
        self.source = source
        self.target = target
        self.portion = portion
    }

    /// Copies everything.
    ///
    /// - Throws: `StorageError` where the target is not empty, or one of the stores cannot be read or written;
    ///   `CancellationError`.
    public func copy(progress: @escaping Progress = { _, _, _ in }) async throws {
        guard try await target.read(.long, { try $0.isEmpty() }) else { throw StorageError.notEmpty }
        try await settle(progress)
        try await target.write { try $0.markUnfinishedCopy(true) }
        let total = await recordCount()
        var done = 0
        for section in StoreSection.allCases {
            try await walk(source, section) { rows in
                try await target.write { try $0.restore(rows) }
                done += rows.count
                progress(.copying, done, total)
            }
        }
    }

    /// Reads both stores again and compares them row by row.
    ///
    /// - Returns: what each holds; the copy is right when the two are equal.
    /// - Throws: `StorageError` where one of the stores cannot be read; `CancellationError`.
    public func compare(
        progress: @escaping Progress = { _, _, _ in }
    ) async throws -> (source: Summary, target: Summary) {
        let total = await recordCount()
        async let first = summary(of: source) { progress(.comparing, $0, total) }
        async let second = summary(of: target) { _ in }
        return try await (first, second)
    }

    /// Lets the target be opened.
    ///
    /// - Throws: `StorageError` where the target cannot be written.
    public func finish() async throws {
        try await target.write { try $0.markUnfinishedCopy(false) }
    }

    /// Waits until the source has nothing left to do in the background: the rows of what was deleted must not go over.
    private func settle(_ progress: Progress) async throws {
        while !source.backgroundWork.isDone {
            guard source.health == .good else {
                throw StorageError.readOnly(reason: "what was deleted cannot be cleared away")
            }
            progress(.settling, source.backgroundWork.recordsDone, 0)
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// How many records there are; 0 where counting would take long.
    private func recordCount() async -> Int {
        // The number is for the progress that is shown alone.
        let count = try? await source.read(.long) { store in
            try store.tenants().flatMap { try store.schema(of: $0).types.values }
                .reduce(0) { try $0 + store.recordCount(of: $1) }
        }
        return count ?? 0
    }

    private func walk(
        _ store: any RecordStore, _ section: StoreSection, _ visit: ([StoreRow]) async throws -> Void
    ) async throws {
        var last: StoreRow?
        repeat {
            try Task.checkCancellation()
            let start = last
            let portion = section.isPaged ? portion : CopyPortion(rows: .max, bytes: .max)
            let rows = try await store.read(.long) { try $0.rows(of: section, after: start, portion) }
            last = rows.last
            if !rows.isEmpty { try await visit(rows) }
        } while last != nil
    }

    private func summary(
        of store: any RecordStore, _ progress: @Sendable (Int) -> Void
    ) async throws -> Summary {
        var summary = Summary()
        var done = 0
        for section in StoreSection.allCases {
            var hash = SHA256()
            var count = 0
            var bytes: [UInt8] = []
            try await walk(store, section) { rows in
                for row in rows {
                    bytes.removeAll(keepingCapacity: true)
                    row.encoded(into: &bytes)
                    hash.update(data: bytes)
                }
                count += rows.count
                progress(done + count)
            }
            done += count
            summary.counts[section] = count
            summary.digests[section] = Array(hash.finalize())
        }
        return summary
    }
}

extension StoreCopy.Summary {
    /// SHA-256 over the digests of all parts.
    public var digest: [UInt8] {
        var hash = SHA256()
        for section in StoreSection.allCases { hash.update(data: digests[section] ?? []) }
        return Array(hash.finalize())
    }
}

extension StoreSection {
    /// Whether it may be too large for one page; the others are few, or bounded by a limit.
    fileprivate var isPaged: Bool {
        switch self {
        case .tenants, .types, .audit, .counters: false
        default: true
        }
    }
}
