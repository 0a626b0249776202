public import RecordModel

/// One key that rows are sorted by.
public struct SortKey: Hashable, Sendable {
    /// What gives the key its value.
    public enum Source: Hashable, Sendable {
        case column(Column)
        /// The distance of a location field from a place.
        case distance(FieldSchema, from: Location)
        /// The same, where what has no place is farther away than everything else.
        case nearness(FieldSchema, to: Location)
    }

    /// How far away the sort key ``Source/nearness(_:to:)`` takes that for which has no place, in metres.
    public static let nowhere = 1e300

    /// What gives the key its value.
    public var source: Source
    /// Whether small values come first; missing values are smaller than all others.
    public var ascending: Bool

    /// Creates a sort key.
    public init(_ source: Source, ascending: Bool) {
        self.source = source
        self.ascending = ascending
    }
}

/// Which rows of one type are wanted, and in which order.
///
/// Rows with equal sort keys come in the order in which they were made, in the direction of the first key; so the order
/// is total, and a page can go on from any row at the cost of the first page, in either direction.
public struct RecordScan: Sendable {
    /// The type.
    public var type: RecordType
    /// The numbers of the zones.
    public var zones: [Int64] { didSet { isOfOneZone = zones.count == 1 } }
    /// Whether all rows are of one zone: ``RecordStore/effort(of:)`` needs no more, so a scan is priced before its zones are known.
    public private(set) var isOfOneZone: Bool
    /// What rows have to fulfil.
    public var condition: Condition
    /// The order.
    public var sort: [SortKey]
    /// Where to go on; nil from the beginning.
    public var after: ScanCursor?
    /// The most rows.
    public var limit: Int
    /// Whether the rows are walked from the last to the first: those before ``after``, the nearest first.
    public var isBackward: Bool
    /// Whether the scan may cause an index to be made when it is much work: the room and the writes that an index
    /// costs are not for anybody to spend.
    public var mayMakeIndex: Bool
    /// Whether ``ScanRow/name`` is wanted, which may cost a look at more than an index.
    public var readsNames = false

    /// Creates a scan.
    public init(
        type: RecordType, zones: [Int64], condition: Condition, sort: [SortKey], after: ScanCursor? = nil,
        limit: Int, isBackward: Bool = false, mayMakeIndex: Bool = true, isOfOneZone: Bool? = nil
    ) {
        self.isOfOneZone = isOfOneZone ?? (zones.count == 1)
        self.mayMakeIndex = mayMakeIndex
        self.type = type
        self.zones = zones
        self.condition = condition
        self.sort = sort
        self.after = after
        self.limit = limit
        self.isBackward = isBackward
    }

    /// Whether the walk meets rows of equal keys by growing numbers.
    public var idIsAscending: Bool { (sort.first?.ascending ?? true) != isBackward }
}

/// One row of a scan; its bytes are valid only while it is visited.
public struct ScanRow: ~Copyable {
    /// The record as it is sent, without the closing brace.
    public let body: UnsafeRawBufferPointer
    /// The number of the zone.
    public let zone: Int64
    /// The number of the record, which decides between equal sort keys.
    public let id: Int64
    /// The record's name as the engine has it beside the body; nil where the scan does not ask for it.
    public let name: String?

    /// Creates a row.
    public init(body: UnsafeRawBufferPointer, zone: Int64, id: Int64, name: String? = nil) {
        self.name = name
        self.id = id
        self.body = body
        self.zone = zone
    }
}

/// How a scan ended.
public struct ScanOutcome: Sendable {
    /// Where the next page begins; nil when there are no more rows.
    public var next: ScanCursor?
    /// Where a walk in the other direction meets the rows before those that were visited; nil where the walk began at an
    /// end of the result.
    public var back: ScanCursor?
    /// How the engine found the rows, for the curious.
    public var plan: ScanPlan

    /// Creates the end of a scan.
    public init(next: ScanCursor?, plan: ScanPlan, back: ScanCursor? = nil) {
        self.next = next
        self.back = back
        self.plan = plan
    }
}

/// How an engine finds a scan's rows.
public enum ScanPlan: String, Sendable {
    /// It walks an index in the order of the result.
    case index
    /// It looks at more rows than it returns, or sorts them.
    case scan
}

/// How an engine would find a scan's rows, and which index it would rather have.
public struct ScanExplanation: Hashable, Sendable {
    /// How it finds them.
    public var plan: ScanPlan
    /// The columns of the index that it uses; empty where it uses none.
    public var index: [SortKey]
    /// The columns of an index that would help and is not there; empty where none would.
    public var missing: [SortKey]
    /// Whether the missing index is being made.
    public var isBeingMade: Bool

    /// Creates an explanation.
    public init(
        plan: ScanPlan, index: [SortKey] = [], missing: [SortKey] = [], isBeingMade: Bool = false
    ) {
        self.isBeingMade = isBeingMade
        self.plan = plan
        self.index = index
        self.missing = missing
    }
}

/// Which changes of one zone are wanted.
public struct ChangeFeed: Sendable {
    /// The number of the zone.
    public var zone: Int64
    /// The sequence number after which changes count; 0 from the beginning, which leaves tombstones out.
    public var after: Int64
    /// The sequence number after which tombstones count; those before are of records that the client never saw.
    public var tombstonesAfter: Int64
    /// The numbers of the types wanted; nil for all.
    public var types: [Int64]?
    /// The most changes.
    public var limit: Int
    /// The sequence number before which changes count, newest first and all tombstones among them; nil for the
    /// feed that clients follow. It shows people a zone's recent past.
    public var backwardsFrom: Int64?

    /// Creates a feed.
    public init(
        zone: Int64, after: Int64, tombstonesAfter: Int64 = 0, types: [Int64]? = nil, limit: Int,
        backwardsFrom: Int64? = nil
    ) {
        self.backwardsFrom = backwardsFrom
        self.zone = zone
        self.after = after
        self.tombstonesAfter = tombstonesAfter
        self.types = types
        self.limit = limit
    }
}

/// One change of a zone; its bytes are valid only while it is visited.
public struct ChangeRow: ~Copyable {
    /// The position in the log.
    public let sequence: Int64
    /// The record's name.
    public let name: String
    /// The number of its type.
    public let type: Int64
    /// The record as it is sent, without the closing brace; nil for a tombstone.
    public let body: UnsafeRawBufferPointer?

    /// Creates a change.
    public init(sequence: Int64, name: String, type: Int64, body: UnsafeRawBufferPointer?) {
        self.sequence = sequence
        self.name = name
        self.type = type
        self.body = body
    }
}
