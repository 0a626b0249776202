/// The parts of a store in the order in which a copy carries them: what is named by others comes before them.
public enum StoreSection: String, Sendable, CaseIterable {
    case tenants, types, databases, zones, records, assets, versions, users, tokens, accounts, policies,
        operators,
        operatorTokens, audit, counters
}

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
    /// Whether nothing was ever stored.
    ///
    /// - Throws: ``StorageError`` where the store cannot be read.
    public func isEmpty() throws -> Bool {
        try tenants().isEmpty && operators().isEmpty && lastSequence() == 0 && oldestAsset() == nil
            && audit(before: nil, limit: 1).isEmpty
    }
}
