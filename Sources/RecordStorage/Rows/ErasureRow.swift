public import RecordModel

/// A user whose records are being removed: nobody is let in as the user any more, and the records go in slices.
public struct ErasureRow: Hashable, Sendable {
    /// What becomes of the records that a user made in the public database.
    public enum PublicRecords: String, Hashable, Sendable, CaseIterable {
        /// They stay, and nothing in them says who made them.
        case keep
        /// They go.
        case remove
    }

    /// Where the user was known.
    public var tenant: Tenant
    /// The user's record name.
    public var user: String
    /// What becomes of the public records.
    public var publicRecords: PublicRecords
    /// When the user was removed, in milliseconds.
    public var createdAt: Int64

    /// Creates a row from its columns.
    public init(tenant: Tenant, user: String, publicRecords: PublicRecords, createdAt: Int64) {
        self.tenant = tenant
        self.user = user
        self.publicRecords = publicRecords
        self.createdAt = createdAt
    }
}
