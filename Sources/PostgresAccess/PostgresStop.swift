internal import Synchronization

/// The wish that a connection's work ends, from any thread: a request to the server ends the statement that runs, but
/// between two statements the server has nothing to end, and forgets it.
final class PostgresStop: Sendable {
    private let wish = Atomic<Bool>(false)

    var isAsked: Bool { wish.load(ordering: .acquiring) }

    func ask() { wish.store(true, ordering: .releasing) }
}
