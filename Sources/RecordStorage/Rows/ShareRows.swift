public import RecordModel

/// What the owner of a database opens to others: a record with those below it, or a zone.
///
/// The share is a record of its own in the same zone, which has what the owner wrote into it; this row has what rights are decided
/// by.
public struct ShareRow: Hashable, Sendable {
    /// What somebody may do with what is shared.
    public enum Permission: Int64, Hashable, Sendable, CaseIterable {
        /// Nothing.
        case none
        /// Look at it.
        case read
        /// Look at it and change it.
        case write
    }

    /// The number of the zone in which the share's record is.
    public var zone: Int64
    /// The name of the share's record.
    @ExactText public var name: String
    /// The number of the database that the zone belongs to.
    public var database: Int64
    /// The name of the record that is shared with those below it; nil where the whole zone is.
    public var root: String?
    /// What everybody may do who has the link.
    public var publicPermission: Permission
    /// Whether people may ask to be let in.
    public var takesRequests: Bool
    /// When it was made, in milliseconds.
    public var createdAt: Int64

    /// Creates a row from its columns.
    public init(
        zone: Int64, name: String, database: Int64, root: String?, publicPermission: Permission = .none,
        takesRequests: Bool = true, createdAt: Int64
    ) {
        self.zone = zone
        self.name = name
        self.database = database
        self.root = root
        self.publicPermission = publicPermission
        self.takesRequests = takesRequests
        self.createdAt = createdAt
    }
}

/// Somebody to whom something is shared.
public struct ParticipantRow: Hashable, Sendable {
    /// How far somebody is on the way in, or out again.
    public enum Status: Int64, Hashable, Sendable, CaseIterable {
        case invited, accepted, removed, unsubscribed, requested, blocked
    }

    /// The number of the zone in which the share's record is.
    public var zone: Int64
    /// The name of the share's record.
    @ExactText public var share: String
    /// Tells the participants of a share apart.
    public var id: String
    /// The number of the database that the zone belongs to.
    public var database: Int64
    /// The participant's record name; nil until somebody accepts.
    public var user: String?
    /// The mail address that was invited; nil for somebody who came by the link.
    public var address: String?
    /// What the participant may do.
    public var permission: ShareRow.Permission
    /// How far the participant is.
    public var status: Status
    /// The sequence number of the last change of permission or status: what was told before it may no longer be true.
    public var since: Int64

    /// Creates a row from its columns.
    public init(
        zone: Int64, share: String, id: String, database: Int64, user: String?, address: String?,
        permission: ShareRow.Permission, status: Status, since: Int64
    ) {
        self.zone = zone
        self.share = share
        self.id = id
        self.database = database
        self.user = user
        self.address = address
        self.permission = permission
        self.status = status
        self.since = since
    }
}

/// A link that leads to a share. The store knows its digest only.
public struct ShareLinkRow: Hashable, Sendable {
    /// SHA-256 of the link's short identifier.
    public var digest: [UInt8]
    /// Whose container it leads to.
    public var tenant: Tenant
    /// The number of the zone in which the share's record is.
    public var zone: Int64
    /// The name of the share's record.
    @ExactText public var share: String
    /// When it ends, in milliseconds; nil for never.
    public var endsAt: Int64?

    /// Creates a row from its columns.
    public init(digest: [UInt8], tenant: Tenant, zone: Int64, share: String, endsAt: Int64? = nil) {
        self.digest = digest
        self.tenant = tenant
        self.zone = zone
        self.share = share
        self.endsAt = endsAt
    }
}

/// A link for one participant: good once. The store knows its digest only.
public struct InvitationRow: Hashable, Sendable {
    /// SHA-256 of the invitation's token.
    public var digest: [UInt8]
    /// Whose container it leads to.
    public var tenant: Tenant
    /// The number of the zone in which the share's record is.
    public var zone: Int64
    /// The name of the share's record.
    @ExactText public var share: String
    /// The participant that it makes somebody.
    public var participant: String
    /// When it was made, in milliseconds.
    public var createdAt: Int64
    /// When it ends, in milliseconds.
    public var endsAt: Int64

    /// Creates a row from its columns.
    public init(
        digest: [UInt8], tenant: Tenant, zone: Int64, share: String, participant: String, createdAt: Int64,
        endsAt: Int64
    ) {
        self.digest = digest
        self.tenant = tenant
        self.zone = zone
        self.share = share
        self.participant = participant
        self.createdAt = createdAt
        self.endsAt = endsAt
    }
}
