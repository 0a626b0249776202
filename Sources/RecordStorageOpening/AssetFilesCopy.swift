public import RecordModel
public import RecordStorage

/// Copies the files that a store knows from one place to another, and looks at each one's content on the way.
public struct AssetFilesCopy: Sendable {
    /// What became of the files.
    public struct Outcome: Sendable, Hashable {
        /// How many were copied now.
        public var copied = 0
        /// How many were there already.
        public var present = 0
        /// Those that the store knows and the place does not have.
        public var missing: [AssetDigest] = []
        /// Those whose content is not what their name says.
        public var damaged: [AssetDigest] = []
    }

    private let source: any AssetStore
    private let target: any AssetStore

    private static let chunkBytes = 1 << 20
    private static let pageRows = 500

    /// Names the places.
    public init(from source: any AssetStore, to target: any AssetStore) {
        self.source = source
        self.target = target
    }

    /// Copies the files of a store.
    ///
    /// - Parameter progress: takes how many were looked at.
    /// - Throws: `StorageError` where the store or one of the places cannot be read, or the target not be written;
    ///   `CancellationError`.
    public func run(
        filesOf store: any RecordStore, progress: @Sendable (Int) -> Void = { _ in }
    ) async throws -> Outcome {
        var outcome = Outcome()
        var last: StoreRow?
        var done = 0
        repeat {
            let start = last
            let rows = try await store.read(.long) {
                try $0.rows(of: .assets, after: start, CopyPortion(rows: Self.pageRows, bytes: .max))
            }
            last = rows.last
            for case .asset(let content, _, _) in rows {
                try Task.checkCancellation()
                try await copy(content, &outcome)
                done += 1
                progress(done)
            }
        } while last != nil
        return outcome
    }

    private func copy(_ content: AssetContent, _ outcome: inout Outcome) async throws {
        if let there = try await target.open(content.digest), there.size == content.size {
            outcome.present += 1
            return
        }
        guard let reader = try await source.open(content.digest) else {
            outcome.missing.append(content.digest)
            return
        }
        let writer = try await target.beginUpload()
        do {
            var offset: Int64 = 0
            while offset < reader.size {
                let count = Int(min(Int64(Self.chunkBytes), reader.size - offset))
                try await writer.write(reader.read(at: offset, count: count))
                offset += Int64(count)
            }
            guard try await writer.finish() == content else {
                await writer.abandon()
                outcome.damaged.append(content.digest)
                return
            }
            try await writer.place()
            outcome.copied += 1
        } catch {
            await writer.abandon()
            throw error
        }
    }
}
