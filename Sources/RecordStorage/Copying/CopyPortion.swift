/// How much of a store a copy reads at once.
public struct CopyPortion: Sendable {
    /// The most rows.
    public var rows: Int
    /// The bytes of records after which no further one is taken: a single one may be larger.
    public var bytes: Int

    /// Sets the bounds.
    public init(rows: Int, bytes: Int) {
        self.rows = rows
        self.bytes = bytes
    }
}

extension StoreReader {
    /// Whether nothing was ever stored: no part that a copy carries has a row, and no change was ever made.
    ///
    /// - Throws: ``StorageError`` where the store cannot be read.
    public func isEmpty() throws -> Bool {
        guard try lastSequence() == 0 else { return false }
        let one = CopyPortion(rows: 1, bytes: 1)
        return try StoreSection.allCases.allSatisfy { section in
            // Counters are a row of every store.
            try section == .counters || rows(of: section, after: nil, one).isEmpty
        }
    }
}
