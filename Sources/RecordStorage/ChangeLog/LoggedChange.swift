import RecordModel

/// One entry of the change log: what a committed write did to a record or to a zone that somebody watches.
///
/// The log has a change once, in the transaction that made it, with the record before and after. All channels read it:
/// long polls, live queries and whatever comes later.
public struct LoggedChange: Hashable, Sendable {
    /// What was done.
    public enum Kind: Int64, Sendable, CaseIterable {
        case created = 1
        case updated = 2
        case deleted = 3
        /// The record got a new change tag and kept its values: a child of it was saved.
        case retagged = 4
        case zoneCreated = 5
        /// The zone went with all of its records, which have no entries of their own.
        case zoneDeleted = 6
        /// The type went with all of its records, which have no entries of their own.
        case typeDeleted = 7
        /// Something changed of what a share opens, for all whom it lets in; the name is that of the share.
        case shareChanged = 8
        /// Somebody lost what a share had opened; the name is theirs.
        case shareLost = 9

        /// Whether it is for participants of shares, and for nobody else.
        public var isForParticipants: Bool { self == .shareChanged || self == .shareLost }
    }

    /// The sequence number of the change: its position in the log.
    public var sequence: Int64
    /// What was done.
    public var kind: Kind
    /// The number of the database.
    public var database: Int64
    /// The number of the zone, and its name; 0 and empty where a type was deleted.
    public var zone: Int64
    public var zoneName: String
    /// The number of the type; 0 where a zone was made or deleted, and of a share as a whole.
    public var type: Int64
    /// The number of the record; 0 where there is none.
    public var record: Int64
    /// The name of the record, of the zone, or of what ``Kind/shareChanged`` and ``Kind/shareLost`` say.
    public var name: String
    /// The record as it was sent before, without the closing brace; nil for a new one.
    public var before: [UInt8]?
    /// The record as it is sent since, without the closing brace; nil for a deleted one.
    public var after: [UInt8]?

    /// Creates an entry.
    public init(
        sequence: Int64, kind: Kind, database: Int64, zone: Int64, zoneName: String = "", type: Int64 = 0,
        record: Int64 = 0, name: String, before: [UInt8]? = nil, after: [UInt8]? = nil
    ) {
        self.sequence = sequence
        self.kind = kind
        self.database = database
        self.zone = zone
        self.zoneName = zoneName
        self.type = type
        self.record = record
        self.name = name
        self.before = before
        self.after = after
    }

    /// The entry of a record that was stored.
    ///
    /// - Parameters:
    ///   - kind: what was done.
    ///   - record: the record as it is now.
    ///   - id: the number of the record.
    ///   - before: its body before; nil for a new one.
    public init(_ kind: Kind, of record: NewRecord, id: Int64, before: [UInt8]?) {
        self.init(
            sequence: record.sequence, kind: kind, database: record.zone.database, zone: record.zone.id,
            zoneName: record.zone.name, type: record.type.id, record: id, name: record.name, before: before,
            after: record.body)
    }

    /// The entry of a record that got a new tag or was deleted.
    public init(
        _ kind: Kind, _ row: RecordRow, in zone: ZoneRow, sequence: Int64, before: [UInt8], after: [UInt8]?
    ) {
        self.init(
            sequence: sequence, kind: kind, database: zone.database, zone: zone.id, zoneName: zone.name,
            type: row.type, record: row.id, name: row.name, before: before, after: after)
    }

    /// The entry of a zone.
    public init(_ kind: Kind, _ zone: ZoneRow, sequence: Int64) {
        self.init(
            sequence: sequence, kind: kind, database: zone.database, zone: zone.id, zoneName: zone.name,
            name: zone.name)
    }

    /// How many entries are forgotten in one write, and how much room they may take together in bytes.
    public static let forgottenAtOnce = 1_000
    public static let forgottenBytesAtOnce = 8_388_608

    /// What an entry counts besides its bodies, in bytes.
    private static let overheadBytes = 256

    /// How much of the log's room the entry takes, in bytes.
    public var weight: Int {
        Self.overheadBytes + name.utf8.count + (before?.count ?? 0) + (after?.count ?? 0)
    }
}
