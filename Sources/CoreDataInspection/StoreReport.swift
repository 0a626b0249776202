/// What a store is: the answer of `stratus store inspect`.
public struct StoreReport: Sendable, Codable, Equatable {
    /// An entity and its rows.
    public struct Entity: Sendable, Codable, Equatable {
        /// The name.
        public var name: String
        /// The name of the parent, where there is one.
        public var parent: String?
        /// Whether only subentities have objects.
        public var isAbstract: Bool
        /// The table with the rows; nil where it is missing.
        public var table: String?
        /// Rows of the entity itself.
        public var rows: Int
        /// Rows with those of all that inherit from it.
        public var rowsWithSubentities: Int
        /// Attributes, as `name: type`.
        public var attributes: [String]
        /// Relationships, as `name: destination` with `[]` around what is to-many.
        public var relationships: [String]
    }

    /// The path as it was given.
    public var path: String
    /// Bytes of the file and its log.
    public var bytes: Int64
    /// Why the store was read from a copy; nil where it was not copied.
    public var copiedBecause: String?
    /// `NSStoreUUID`
    public var identifier: String
    /// The version of the framework that wrote it.
    public var frameworkVersion: Int?
    /// The version of the hashes that it keeps.
    public var hashesVersion: Int?
    /// The identifiers that the developer gave the model.
    public var versionIdentifiers: [String]
    /// Keys of the metadata that are not the framework's.
    public var otherMetadata: [String: String]
    /// Where the model came from: `cache`, `file` or `tables`.
    public var modelOrigin: String
    /// What was odd about the model, or is missing.
    public var notes: [String]
    /// The entities, in the order of their numbers.
    public var entities: [Entity]
    /// Transactions in the history; nil where the store has no history.
    public var historyTransactions: Int?
    /// Changes in the history; nil where the store has no history.
    public var historyChanges: Int?
    /// Tables of CloudKit mirroring, with their rows.
    public var mirroringTables: [String: Int]
}
