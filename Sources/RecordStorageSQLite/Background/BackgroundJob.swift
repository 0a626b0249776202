import RecordStorage

/// A piece of work that is done in slices beside other writes: a row of the table `job`.
///
/// The write that made it made its effect whole for readers; the slices give back room, or bring something to its
/// end that readers use only then. Each slice stores where it got to in its own transaction.
struct BackgroundJob: Sendable, Equatable {
    /// What it does, as the file keeps it.
    enum Kind: String, Sendable, CaseIterable {
        case zone, type, field, fill, index, unindex, count

        /// What the store's users know it as.
        var work: BackgroundWork.Kind {
            switch self {
            case .zone: .zoneRemoval
            case .type: .typeRemoval
            case .field: .fieldRemoval
            case .fill: .fieldFilling
            case .index: .indexMaking
            case .unindex: .indexRemoval
            case .count: .usageCounting
            }
        }
    }

    var id: Int64 = 0
    var kind: Kind
    /// The type, where there is one.
    var type: Int64 = 0
    /// The zone, where there is one.
    var zone: Int64 = 0
    /// The number of the field.
    var number: Int64 = 0
    /// The name of the field or of the index.
    var name = ""
    /// The last sequence number that was given when the job was made.
    var sequence: Int64 = 0
    /// The part of the work that is being done.
    var phase: Int64 = 0
    /// Where that part has got to.
    var place: Int64 = 0
    /// How many records it has been through.
    var done: Int64 = 0
}

/// How much a slice may do: until a moment, so many rows, or so many bytes of records, whichever comes first.
struct WorkBudget {
    /// Nil where time does not count.
    private let end: UInt64?
    private var rows: Int
    private var bytes = Self.bytesPerSlice

    /// Rows that one statement takes at once: well below a millisecond's work, as long as they are small.
    static let rowsPerStep = 64
    /// The bytes of records after which a step takes no further row: SQLite reads each page of what it deletes.
    static let bytesPerStep = 1 << 20
    /// The bytes of records after which a slice ends, since all of them may go through its commit.
    private static let bytesPerSlice = 4 << 20

    init(seconds: Double? = nil, rows: Int = .max) {
        end = seconds.map { Uptime.nanoseconds + UInt64($0 * 1e9) }
        self.rows = rows
    }

    /// Whether the slice has to end.
    var isSpent: Bool { rows <= 0 || bytes <= 0 || end.map { Uptime.nanoseconds >= $0 } ?? false }

    /// How many rows the next step may take.
    var step: Int { max(1, min(rows, Self.rowsPerStep)) }

    mutating func spend(_ count: Int, bytes: Int = 0) {
        rows -= count
        self.bytes -= bytes
    }
}
