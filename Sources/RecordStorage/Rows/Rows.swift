public import RecordModel

/// A zone as it is stored.
public struct ZoneRow: Hashable, Sendable {
    /// The number, never used again, also not by a new zone of the same name.
    public var id: Int64
    /// The number of the database.
    public var database: Int64
    /// The name.
    public var name: String
    /// The sequence number of the last change in the zone.
    public var sequence: Int64
    /// Whether the zone was deleted.
    public var isDeleted: Bool
    /// The sequence number up to which deletions of records may be forgotten: who looked last before it cannot be
    /// told what went, and has to start from nothing.
    public var forgottenUntil: Int64

    /// Creates a row from its columns.
    public init(
        id: Int64, database: Int64, name: String, sequence: Int64, isDeleted: Bool, forgottenUntil: Int64 = 0
    ) {
        self.forgottenUntil = forgottenUntil
        self.id = id
        self.database = database
        self.name = name
        self.sequence = sequence
        self.isDeleted = isDeleted
    }

    /// Whether the zone has a change feed.
    public var isTracked: Bool { name != ZoneID.defaultName }
}

/// A record as it is stored.
public struct RecordRow: Hashable, Sendable {
    /// The number of the record, never used again in the store.
    public var id: Int64
    /// The number of the zone.
    public var zone: Int64
    /// The number of the type.
    public var type: Int64
    /// The name.
    public var name: String
    /// The sequence number of the last change: the change tag.
    public var sequence: Int64
    /// Who made it, and when in milliseconds.
    public var createdBy: String
    public var createdAt: Int64
    /// The record as it is sent, without the closing brace.
    public var body: [UInt8]
    /// The length of the body as it was read, also of one that is not kept.
    public let bodyBytes: Int

    /// Creates a row from its columns.
    public init(
        id: Int64, zone: Int64, type: Int64, name: String, sequence: Int64, createdBy: String,
        createdAt: Int64,
        body: [UInt8]
    ) {
        bodyBytes = body.count
        self.id = id
        self.zone = zone
        self.type = type
        self.name = name
        self.sequence = sequence
        self.createdBy = createdBy
        self.createdAt = createdAt
        self.body = body
    }
}

/// What decides who may read and change a record.
public struct RecordOrigin: Hashable, Sendable {
    /// The number of the type.
    public var type: Int64
    /// Who made it.
    public var createdBy: String

    /// Creates the origin of a record.
    public init(type: Int64, createdBy: String) {
        self.type = type
        self.createdBy = createdBy
    }
}

/// A record's state to be stored.
public struct NewRecord: Sendable {
    /// The zone.
    public var zone: ZoneRow
    /// The type.
    public var type: RecordType
    /// The name.
    public var name: String
    /// The sequence number of this change.
    public var sequence: Int64
    /// Who made the record, and when in milliseconds.
    public var createdBy: String
    public var createdAt: Int64
    /// Who changed it, and when in milliseconds.
    public var modifiedBy: String
    public var modifiedAt: Int64
    /// The record above in a share's hierarchy.
    public var parent: String?
    /// The values of fields that can be asked for; the others live in the body only.
    public var fields: [(field: FieldSchema, value: FieldValue)]
    /// The DELETE_SELF and VALIDATE references that the record holds.
    public var references: [(field: String, reference: Reference)]
    /// The files that the record's fields refer to.
    public var assets: [(field: String, digest: AssetDigest)]
    /// The record as it is sent, without the closing brace.
    public var body: [UInt8]

    /// Creates the new state of a record.
    public init(
        zone: ZoneRow, type: RecordType, name: String, sequence: Int64, createdBy: String, createdAt: Int64,
        modifiedBy: String, modifiedAt: Int64, parent: String?,
        fields: [(field: FieldSchema, value: FieldValue)],
        references: [(field: String, reference: Reference)],
        assets: [(field: String, digest: AssetDigest)] = [], body: [UInt8]
    ) {
        self.zone = zone
        self.type = type
        self.name = name
        self.sequence = sequence
        self.createdBy = createdBy
        self.createdAt = createdAt
        self.modifiedBy = modifiedBy
        self.modifiedAt = modifiedAt
        self.parent = parent
        self.fields = fields
        self.references = references
        self.assets = assets
        self.body = body
    }
}

/// A record that points at another one.
public struct ReferrerRow: Hashable, Sendable {
    /// The name of the record that holds the reference.
    @ExactText public var name: String
    /// The field that holds it.
    public var field: String
    /// What the reference protects.
    public var action: Reference.Action

    /// Creates a row from its columns.
    public init(name: String, field: String, action: Reference.Action) {
        self.name = name
        self.field = field
        self.action = action
    }
}

/// A token that lets a client in.
public struct TokenRow: Hashable, Sendable {
    /// What a token is for.
    public enum Kind: String, Hashable, Sendable {
        /// Names an app: `ckAPIToken`.
        case api
        /// Names a user: `ckWebAuthToken`.
        case web
        /// A server-to-server key, which signs requests for a user; its digest is the key's id.
        case key
        /// A browser that is signed in at the sign-in page itself: a cookie's.
        case page
    }

    /// What the token is for.
    public var kind: Kind
    /// Where it is good.
    public var tenant: Tenant
    /// The user that it stands for.
    public var user: String?
    /// What the operator wrote beside it.
    public var label: String
    /// When it was made, in milliseconds.
    public var createdAt: Int64
    /// When it ends, in milliseconds; nil for never.
    public var expiresAt: Int64?
    /// The public half of a key, in the uncompressed form of X9.63; nil for tokens.
    public var publicKey: [UInt8]?
    /// When a key was last used, in milliseconds and roughly; nil for tokens, which nobody notes.
    public var usedAt: Int64?
    /// What a token of a session has to say about those before and after it; nil for all others.
    public var succession: TokenSuccession?
    /// Where the sign-in page sends the users of an app's token; nil where it tells the page that opened it.
    public var callback: String?
    /// The origins whose pages the sign-in page tells; of an app's token.
    public var origins: [String]
    /// Whether the app may ask for names and for people by their addresses; of an app's token.
    public var asksForPeople: Bool

    /// Creates a row from its columns.
    public init(
        kind: Kind, tenant: Tenant, user: String?, label: String, createdAt: Int64, expiresAt: Int64?,
        publicKey: [UInt8]? = nil, usedAt: Int64? = nil, succession: TokenSuccession? = nil,
        callback: String? = nil, origins: [String] = [], asksForPeople: Bool = false
    ) {
        self.asksForPeople = asksForPeople
        self.publicKey = publicKey
        self.usedAt = usedAt
        self.succession = succession
        self.callback = callback
        self.origins = origins
        self.kind = kind
        self.tenant = tenant
        self.user = user
        self.label = label
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// A token with the digest that the store knows it by, for people who have lost the text.
public struct IdentifiedToken: Sendable {
    /// SHA-256 of the token's text.
    public var digest: [UInt8]
    /// What is known of it.
    public var row: TokenRow

    /// Pairs a token's row with the token's digest.
    public init(digest: [UInt8], row: TokenRow) {
        self.digest = digest
        self.row = row
    }
}

/// A user of a tenant.
public struct UserRow: Hashable, Sendable {
    /// Where the user is known.
    public var tenant: Tenant
    /// `_` and 32 hexadecimal digits.
    public var recordName: String
    /// The name by which the operator knows the user, unique in the tenant.
    public var label: String
    /// When the user was made, in milliseconds.
    public var createdAt: Int64
    /// The security roles that operators gave the user. No role's name has a line break.
    public var roles: [String]
    /// The account that the user signs in with; nil for one that has only what operators give out.
    public var account: String?
    /// Whether others may find the user, and under which name.
    public var discovery: UserDiscovery
    /// Whether an operator has shut the user out: no token and no key is good for it.
    public var isDisabled: Bool

    /// Creates a row from its columns.
    public init(
        tenant: Tenant, recordName: String, label: String, createdAt: Int64, roles: [String] = [],
        account: String? = nil, discovery: UserDiscovery = UserDiscovery(), isDisabled: Bool = false
    ) {
        self.discovery = discovery
        self.isDisabled = isDisabled
        self.account = account
        self.tenant = tenant
        self.recordName = recordName
        self.label = label
        self.createdAt = createdAt
        self.roles = roles
    }
}
