public import RecordModel

/// What the comparison of a copy with the service found.
public struct CopyComparison: Sendable, Equatable {
    /// How many differences are kept in full.
    public static let keptDifferences = 1_000

    /// A record that is not the same on both sides.
    public struct Difference: Sendable, Equatable {
        /// The database.
        public var scope: DatabaseScope
        /// The zone.
        public var zone: String
        /// The record.
        public var recordName: String
        /// What is different, in a few words.
        public var what: String
    }

    /// How many records of the service were looked at.
    public internal(set) var compared = 0
    /// The sum of the digests there, and here.
    public internal(set) var there = DigestSum()
    public internal(set) var here = DigestSum()
    /// How many records differ; the first of them are in ``differences``.
    public internal(set) var differing = 0
    public internal(set) var differences: [Difference] = []

    /// Whether both sides are the same.
    public var matches: Bool { differing == 0 && there == here }

    mutating func add(_ difference: Difference) {
        differing += 1
        if differences.count < Self.keptDifferences { differences.append(difference) }
    }
}
