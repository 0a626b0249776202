internal import Synchronization

/// How often connections have waited for the server: statements that go together are one trip.
public final class PostgresTrips: Sendable {
    private let number = Atomic(0)

    /// Begins at none.
    public init() {}

    /// How many there were.
    public var count: Int { number.load(ordering: .relaxed) }

    func add() { number.add(1, ordering: .relaxed) }
}
