/// What became of records that were taken in.
public struct IntakeOutcome: Sendable, Equatable {
    /// A record that cannot be kept here.
    public struct Refusal: Sendable, Equatable {
        /// The record.
        public var recordName: String
        /// Why not, in a sentence.
        public var reason: String

        /// Pairs a record with the reason.
        public init(recordName: String, reason: String) {
            self.recordName = recordName
            self.reason = reason
        }
    }

    /// How many were stored.
    public var saved = 0
    /// How many were here already, the same in everything.
    public var unchanged = 0
    /// How many were left as they are because they were changed here after the version that came.
    public var newerHere = 0
    /// The others.
    public var refusals: [Refusal] = []

    /// Nothing yet.
    public init() {}

    /// Adds what became of further records.
    public static func += (left: inout IntakeOutcome, right: IntakeOutcome) {
        left.saved += right.saved
        left.unchanged += right.unchanged
        left.newerHere += right.newerHere
        left.refusals += right.refusals
    }
}
