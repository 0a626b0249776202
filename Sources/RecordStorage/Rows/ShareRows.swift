public import RecordModel

/// What the owner of a database opens to others: a record with those below it, or a zone.
///
/// The share is a record of its own in the same zone, which has what the owner wrote into it; this row has what rights are decided
/// by.
public struct ShareRow: Hashable, Sendable {
    /// What somebody may do with what is shared.
    public enum Permission: Int64, Hashable, Sendable, CaseIterable, Comparable {
        /// Nothing.
        case none
        /// Look at it.
        case read
        /// Look at it and change it.
        case write

        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// What a share allows beyond what its participants may do.
    public struct Options: OptionSet, Hashable, Sendable {
        public let rawValue: Int64

        public init(rawValue: Int64) { self.rawValue = rawValue }

        /// People may ask to be let in.
        public static let takesRequests = Options(rawValue: 1)
        /// Whoever has the link may look at it without an account.
        public static let showsToEverybody = Options(rawValue: 2)
        /// Whoever has the link sees what the share is, also people who are not let in.
        public static let letsAnyoneResolve = Options(rawValue: 4)
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
    /// What the share allows besides.
    public var options: Options
    /// When it was made, in milliseconds.
    public var createdAt: Int64
    /// When its link ends, in milliseconds; nil for never.
    public var endsAt: Int64?
    /// The sequence number of the last change of what it shares.
    public var changed: Int64
    /// The sequence number of the last time that records came into it which had been made before: feeds begin again there.
    public var grown: Int64

    /// Creates a row from its columns.
    public init(
        zone: Int64, name: String, database: Int64, root: String?, publicPermission: Permission = .none,
        options: Options = [], createdAt: Int64, endsAt: Int64? = nil, changed: Int64 = 0, grown: Int64 = 0
    ) {
        self.zone = zone
        self.name = name
        self.database = database
        self.root = root
        self.publicPermission = publicPermission
        self.options = options
        self.createdAt = createdAt
        self.endsAt = endsAt
        self.changed = changed
        self.grown = grown
    }
}

/// Where a list of shares goes on, which begins with the newest.
public struct SharePlace: Hashable, Sendable {
    /// When the share was made, in milliseconds.
    public var createdAt: Int64
    /// The number of its zone.
    public var zone: Int64
    /// The name of its record.
    @ExactText public var name: String

    /// Names a place.
    public init(createdAt: Int64, zone: Int64, name: String) {
        self.createdAt = createdAt
        self.zone = zone
        self.name = name
    }

    /// The place of a share.
    public init(_ share: ShareRow) {
        self.init(createdAt: share.createdAt, zone: share.zone, name: share.name)
    }
}

/// Somebody to whom something is shared.
public struct ParticipantRow: Hashable, Sendable {
    /// How far somebody is on the way in, or out again.
    public enum Status: Int64, Hashable, Sendable, CaseIterable {
        case invited, accepted, removed, unsubscribed, requested, blocked
    }

    /// What somebody is to a share, whose owner has no row.
    public enum Role: Int64, Hashable, Sendable, CaseIterable {
        /// Somebody who was invited.
        case user
        /// Somebody who was invited and may manage the others.
        case administrator
        /// Somebody who came by the link of a share that is open to everybody.
        case visitor
    }

    /// The number of the zone in which the share's record is.
    public var zone: Int64
    /// The name of the share's record.
    @ExactText public var share: String
    /// Tells the participants of a share apart.
    @ExactText public var id: String
    /// The number of the database that the zone belongs to.
    public var database: Int64
    /// The participant's record name; nil until somebody accepts.
    public var user: String?
    /// What the owner invited: a mail address or a telephone number; nil for somebody who came by a link.
    public var address: String?
    /// What the participant is.
    public var role: Role
    /// What the participant may do.
    public var permission: ShareRow.Permission
    /// How far the participant is.
    public var status: Status
    /// Whether the participant had asked to be let in.
    public var isApproved: Bool
    /// When the participant was added, in milliseconds.
    public var addedAt: Int64
    /// The sequence number of the last change of permission or status: what was told before it may no longer be true.
    public var since: Int64
    /// The sequence number of the last time that the participant lost what is shared, with everything else of the zone: whoever was
    /// last told something before it has to begin again. 0 for never.
    public var lost: Int64

    /// Creates a row from its columns.
    public init(
        zone: Int64, share: String, id: String, database: Int64, user: String?, address: String?,
        role: Role = .user, permission: ShareRow.Permission, status: Status, isApproved: Bool = false,
        addedAt: Int64 = 0, since: Int64, lost: Int64 = 0
    ) {
        self.zone = zone
        self.share = share
        self.id = id
        self.database = database
        self.user = user
        self.address = address
        self.role = role
        self.permission = permission
        self.status = status
        self.isApproved = isApproved
        self.addedAt = addedAt
        self.since = since
        self.lost = lost
    }
}

/// A record that went out of what is shared, because it was deleted or has another record above it: participants learn of it as
/// a deletion.
public struct DepartureRow: Hashable, Sendable {
    /// The number of the zone.
    public var zone: Int64
    /// The position among the zone's changes, which nothing else has.
    public var sequence: Int64
    /// The name of the share's record.
    @ExactText public var share: String
    /// The one participant for whom it went, by record name; nil for all of the share.
    public var user: String?
    /// The record's name.
    @ExactText public var name: String
    /// The number of its type.
    public var type: Int64
    /// When it went, in milliseconds.
    public var at: Int64

    /// Creates a row from its columns.
    public init(
        zone: Int64, sequence: Int64, share: String, user: String? = nil, name: String, type: Int64,
        at: Int64
    ) {
        self.zone = zone
        self.sequence = sequence
        self.share = share
        self.user = user
        self.name = name
        self.type = type
        self.at = at
    }
}

/// A link that leads to a record. The store knows its digest only; the record's body has the link itself.
public struct ShareLinkRow: Hashable, Sendable {
    /// SHA-256 of the link's short identifier.
    public var digest: [UInt8]
    /// Whose container it leads to.
    public var tenant: Tenant
    /// The number of the zone.
    public var zone: Int64
    /// The name of the record that it leads to: the root of a share, a record below one, or the share of a zone.
    @ExactText public var name: String

    /// Creates a row from its columns.
    public init(digest: [UInt8], tenant: Tenant, zone: Int64, name: String) {
        self.digest = digest
        self.tenant = tenant
        self.zone = zone
        self.name = name
    }
}

/// A link for one participant: good once. The store knows its digest only.
public struct InvitationRow: Hashable, Sendable {
    /// SHA-256 of the link's short identifier.
    public var digest: [UInt8]
    /// Whose container it leads to.
    public var tenant: Tenant
    /// The number of the zone in which the share's record is.
    public var zone: Int64
    /// The name of the share's record.
    @ExactText public var share: String
    /// The participant that it makes somebody.
    @ExactText public var participant: String
    /// When it was made, in milliseconds.
    public var createdAt: Int64

    /// Creates a row from its columns.
    public init(
        digest: [UInt8], tenant: Tenant, zone: Int64, share: String, participant: String, createdAt: Int64
    ) {
        self.digest = digest
        self.tenant = tenant
        self.zone = zone
        self.share = share
        self.participant = participant
        self.createdAt = createdAt
    }
}
