public import RecordModel

/// Anything that a store holds, in the form in which it goes from one engine to another: with the numbers by which
/// sync tokens, markers and change tags name it.
public enum StoreRow: Hashable, Sendable {
    case tenant(Tenant, roles: [String])
    case type(CopiedType)
    case database(CopiedDatabase)
    /// A zone, deleted ones included.
    case zone(ZoneRow)
    /// A record or a tombstone.
    case record(CopiedRecord)
    /// A file, without its uses: the records have them.
    case asset(AssetContent, createdAt: Int64, unusedSince: AssetRow.UnusedSince?)
    /// An earlier state of a record, with its files.
    case version(RecordVersion)
    case audit(AuditRow)
    /// A row of a table that is described once.
    case described(TableRow)
    case counters(StoreCounters)
}

/// A record type of a tenant.
public struct CopiedType: Hashable, Sendable {
    /// Whose schema it is in.
    public var tenant: Tenant
    /// The type with its number and those of its fields.
    public var type: RecordType
    /// The highest number that a field of it has or had.
    public var lastColumn: Int

    /// Creates a row.
    public init(tenant: Tenant, type: RecordType, lastColumn: Int) {
        self.tenant = tenant
        self.type = type
        self.lastColumn = lastColumn
        for index in self.type.fields.indices where self.type.fields[index].isBeingFilled {
            var field = self.type.fields[index]
            field.isBeingFilled = false
            self.type.set(field)
        }
    }
}

/// A database.
public struct CopiedDatabase: Hashable, Sendable {
    /// The number.
    public var number: Int64
    /// Whose it is.
    public var id: DatabaseID
    /// The sequence number up to which deletions of its zones may be forgotten.
    public var forgottenUntil: Int64
    /// The wrapped key of its encrypted fields; nil where nothing was ever sealed.
    public var key: [UInt8]?

    /// Creates a row.
    public init(number: Int64, id: DatabaseID, forgottenUntil: Int64, key: [UInt8]? = nil) {
        self.key = key
        self.number = number
        self.id = id
        self.forgottenUntil = forgottenUntil
    }
}

/// A record with all that is known of it, or what is left of one.
public struct CopiedRecord: Hashable, Sendable {
    /// The number of the zone.
    public var zone: Int64
    /// The name.
    public var name: String
    /// The number of the type.
    public var type: Int64
    /// The number of the record.
    public var id: Int64
    /// The sequence number of the last change: the change tag.
    public var sequence: Int64
    /// Nil for a tombstone.
    public var state: State?

    /// What a record has that is there.
    public struct State: Hashable, Sendable {
        public var createdBy: String
        public var createdAt: Int64
        public var modifiedBy: String
        public var modifiedAt: Int64
        public var parent: String?
        /// The protecting references, by field and target.
        public var references: [CopiedReference] = []
        /// The files that fields refer to, by field and digest.
        public var assets: [CopiedAssetUse] = []
        /// The record as it is sent, without the closing brace.
        public var body: [UInt8]

        /// Creates the state without references and files.
        public init(
            createdBy: String, createdAt: Int64, modifiedBy: String, modifiedAt: Int64, parent: String?,
            body: [UInt8]
        ) {
            self.createdBy = createdBy
            self.createdAt = createdAt
            self.modifiedBy = modifiedBy
            self.modifiedAt = modifiedAt
            self.parent = parent
            self.body = body
        }
    }

    /// Creates a row.
    public init(zone: Int64, name: String, type: Int64, id: Int64, sequence: Int64, state: State?) {
        self.zone = zone
        self.name = name
        self.type = type
        self.id = id
        self.sequence = sequence
        self.state = state
    }

    /// The record as writers take it; nil for a tombstone.
    public func newRecord(
        zone: ZoneRow, type: RecordType, fields: [(field: FieldSchema, value: FieldValue)]
    ) -> NewRecord? {
        state.map { state in
            NewRecord(
                zone: zone, type: type, name: name, sequence: sequence, createdBy: state.createdBy,
                createdAt: state.createdAt, modifiedBy: state.modifiedBy, modifiedAt: state.modifiedAt,
                parent: state.parent, fields: fields,
                references: state.references.map {
                    ($0.field, Reference(recordName: $0.target, action: $0.action))
                },
                assets: state.assets.map { ($0.field, $0.digest) }, body: state.body)
        }
    }
}

/// A reference that protects its target.
public struct CopiedReference: Hashable, Sendable {
    public var field: String
    public var target: String
    public var action: Reference.Action

    /// Creates a row.
    public init(field: String, target: String, action: Reference.Action) {
        self.field = field
        self.target = target
        self.action = action
    }
}

/// A field's file.
public struct CopiedAssetUse: Hashable, Sendable {
    public var field: String
    public var digest: AssetDigest

    /// Creates a row.
    public init(field: String, digest: AssetDigest) {
        self.field = field
        self.digest = digest
    }
}

/// The last numbers that were given, none of which is given again.
public struct StoreCounters: Hashable, Sendable {
    public var sequence: Int64
    public var zone: Int64
    public var type: Int64
    public var audit: Int64
    /// The sequence number up to which logged changes may be forgotten.
    public var forgottenChanges: Int64

    /// Creates a row.
    public init(sequence: Int64, zone: Int64, type: Int64, audit: Int64, forgottenChanges: Int64) {
        self.forgottenChanges = forgottenChanges
        self.sequence = sequence
        self.zone = zone
        self.type = type
        self.audit = audit
    }
}

extension [String] {
    /// Whether the texts of a key come before those of another one of the same length, by their bytes.
    public func precedes(_ other: [String]) -> Bool {
        for (mine, theirs) in zip(self, other) where mine != theirs {
            return mine.utf8.lexicographicallyPrecedes(theirs.utf8)
        }
        return false
    }
}
