public import RecordModel

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

    /// Records that are above each other in a share's hierarchy, which no request of a client can bring about.
    public struct Circle: Sendable, Equatable {
        /// Where they are.
        public var database: DatabaseID
        /// The name of the zone.
        public var zone: String
        /// The record that was stored last, then the others from its parent upward.
        public var names: [String]

        /// What it is, and what can be done about it.
        public var sentence: String {
            let shown = names.prefix(Self.shown).map { "'\($0)'" }.joined(separator: ", ")
            let more = names.count > Self.shown ? " and \(names.count - Self.shown) more" : ""
            return
                "The parents of \(shown)\(more) make up a circle in the zone '\(zone)'. They are here as they came; give one of them another parent."
        }

        private static let shown = 5
    }

    /// How many were stored.
    public var saved = 0
    /// How many were here already, the same in everything.
    public var unchanged = 0
    /// How many were left as they are because they were changed here after the version that came.
    public var newerHere = 0
    /// The others.
    public var refusals: [Refusal] = []
    /// Circles of parents that stored records closed. Where records come in the order in which they changed, a later one may open it again
    /// (``RecordIntake/standing(_:in:)``).
    public var circles: [Circle] = []

    /// Nothing yet.
    public init() {}

    /// Adds what became of further records.
    public static func += (left: inout IntakeOutcome, right: IntakeOutcome) {
        left.saved += right.saved
        left.unchanged += right.unchanged
        left.newerHere += right.newerHere
        left.refusals += right.refusals
        left.circles += right.circles
    }
}
