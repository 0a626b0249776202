import RecordModel

/// How much memory the requests of all clients may take together.
public struct MemoryBudgets: Sendable {
    /// The bytes of bodies on their way in.
    public var bodies: Int
    /// The bytes of large bodies that are worked on.
    public var work: Int
    /// The bytes of large answers that clients have not taken.
    public var answers: Int

    /// The budgets that `/limits` publishes.
    public static let published = MemoryBudgets(
        bodies: Limits.heldBodyBytes, work: Limits.workingBodyBytes,
        answers: Limits.heldAnswerBytes)

    /// Collects other budgets, for a test that does not want to fill them.
    public init(bodies: Int, work: Int, answers: Int) {
        self.bodies = bodies
        self.answers = answers
        self.work = work
    }
}
