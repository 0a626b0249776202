public import RecordEngine

/// What a copy did.
public struct CopyCounts: Sendable, Equatable {
    /// How many refusals are kept in full.
    public static let keptRefusals = 1_000

    /// What became of records.
    public internal(set) var records = IntakeOutcome()
    /// How many were deleted here, since they are not there any more.
    public internal(set) var deleted = 0
    /// How many zones were deleted.
    public internal(set) var deletedZones = 0
    /// How many files were fetched, and their bytes.
    public internal(set) var files = 0
    public internal(set) var fileBytes: Int64 = 0
    /// How many records could not be copied; the first of them are in `records`.
    public internal(set) var refused = 0

    /// Nothing yet.
    public init() {}

    /// How many records were looked at.
    public var seen: Int { records.saved + records.unchanged + records.newerHere + refused + deleted }

    mutating func add(_ outcome: IntakeOutcome) {
        refused += outcome.refusals.count
        records += outcome
        if records.refusals.count > Self.keptRefusals {
            records.refusals.removeLast(records.refusals.count - Self.keptRefusals)
        }
        if records.circles.count > Self.keptRefusals {
            records.circles.removeLast(records.circles.count - Self.keptRefusals)
        }
    }
}
