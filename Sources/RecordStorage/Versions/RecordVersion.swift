public import RecordModel

/// A state that a record had: kept when it was replaced or deleted, as far as its type's setting says so.
///
/// The record itself has the newest state; a record that was never changed has no version here. So keeping versions
/// costs changes and deletions, and a record that is made next to nothing.
public struct RecordVersion: Hashable, Sendable {
    /// What became of the state.
    public enum End: Int64, Hashable, Sendable, CaseIterable {
        /// Another one took its place.
        case replaced = 0
        /// The record was deleted, and there is none of its name.
        case deleted = 1
        /// The record was deleted, and one of its name was made since.
        case returned = 2
    }

    /// The sequence number of the change that ended it, which names it in a store.
    public var id: Int64
    /// The sequence number of the change that made it: its change tag.
    public var sequence: Int64
    /// The numbers of the database, the zone, the type and the record. A record that was made again has another number.
    public var database: Int64
    public var zone: Int64
    public var type: Int64
    public var record: Int64
    /// The record's name.
    public var name: String
    /// What became of it.
    public var end: End
    /// Who replaced or deleted it, and when in milliseconds since 1970.
    public var endedBy: String
    public var endedAt: Int64
    /// Who made the record, and when in milliseconds since 1970.
    public var createdBy: String
    public var createdAt: Int64
    /// The room that it takes: its body, and the files that its end let go of.
    public var bytes: Int64
    /// The files that it holds, each once, in the order of their digests. Readers leave them out, but for copies.
    public var assets: [AssetDigest]
    /// The record as it was sent, without the closing brace.
    public var body: [UInt8]

    /// Describes the version that a record's row is about to become.
    ///
    /// - Parameters:
    ///   - row: the record, with its body.
    ///   - zone: where it is.
    ///   - sequence: the number of the change that ends it.
    ///   - end: what becomes of it.
    ///   - stamp: who does it, and when.
    ///   - assets: the files that it holds.
    ///   - releasedBytes: the bytes of those that the record holds no longer.
    public init(
        of row: RecordRow, in zone: ZoneRow, endedBy stamp: (user: String, at: Int64), sequence: Int64,
        end: End, assets: Set<AssetDigest> = [], releasedBytes: Int64 = 0
    ) {
        id = sequence
        self.sequence = row.sequence
        database = zone.database
        self.zone = row.zone
        type = row.type
        record = row.id
        name = row.name
        self.end = end
        endedBy = stamp.user
        endedAt = stamp.at
        createdBy = row.createdBy
        createdAt = row.createdAt
        bytes = Int64(row.body.count) + releasedBytes
        self.assets = assets.sorted { $0.hex < $1.hex }
        body = row.body
    }

    /// Creates a row from its columns.
    public init(
        id: Int64, sequence: Int64, database: Int64, zone: Int64, type: Int64, record: Int64, name: String,
        end: End, endedBy: String, endedAt: Int64, createdBy: String, createdAt: Int64, bytes: Int64,
        assets: [AssetDigest] = [], body: [UInt8]
    ) {
        self.id = id
        self.sequence = sequence
        self.database = database
        self.zone = zone
        self.type = type
        self.record = record
        self.name = name
        self.end = end
        self.endedBy = endedBy
        self.endedAt = endedAt
        self.createdBy = createdBy
        self.createdAt = createdAt
        self.bytes = bytes
        self.assets = assets
        self.body = body
    }

    /// Whether the record was made with this state.
    public var isFirst: Bool { RowID.creation(of: record) == sequence }

    /// How many versions are forgotten in one write, and how much room they may take together in bytes.
    public static let forgottenAtOnce = 256
    public static let forgottenBytesAtOnce = 8_388_608
}

extension RecordRow {
    /// Whether the record is as it was made.
    public var isFirst: Bool { RowID.creation(of: id) == sequence }
}

/// Versions that go together when they are too old: those of one zone and one type with one end.
public struct VersionGroup: Hashable, Sendable {
    /// The numbers of the zone and the type.
    public var zone: Int64
    public var type: Int64
    /// What became of them.
    public var end: RecordVersion.End

    /// Names a group.
    public init(zone: Int64, type: Int64, end: RecordVersion.End) {
        self.zone = zone
        self.type = type
        self.end = end
    }
}

/// How much the versions of a database take, besides its records.
public struct VersionUsage: Hashable, Sendable {
    /// How many there are.
    public var versions: Int64
    /// Their room in bytes, as ``RecordVersion/bytes`` counts it.
    public var bytes: Int64

    /// Creates a usage, of nothing by default.
    public init(versions: Int64 = 0, bytes: Int64 = 0) {
        self.versions = versions
        self.bytes = bytes
    }
}
