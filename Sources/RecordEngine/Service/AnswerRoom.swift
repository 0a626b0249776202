public import RecordModel
import RecordStorage
import Synchronization

/// The memory that a request's answer may take, asked for where the answer is made and counted from then on.
///
/// Requests wait in the store's lanes and in its write queue, so room that was there when they came may be gone when it
/// is their turn. A request's reads and writes therefore ask first thing inside the store (``ServiceCall/room``).
public protocol AnswerRoom: Sendable {
    /// Whether an answer may be made now.
    var isFree: Bool { get }

    /// Waits until there is room.
    ///
    /// - Throws: `TRY_AGAIN_LATER` when there was none for too long; `CancellationError`.
    func wait() async throws

    /// Counts the bytes of an answer that was just made.
    func hold(_ bytes: Int)
}

/// The ``AnswerRoom`` of one request.
public final class RequestRoom: Sendable {
    /// Thrown inside a read or a write before it does anything: its task waits, and begins it again.
    private struct IsFull: Error {}

    /// How often a read or a write waits for room before it is refused.
    private static let attempts = 4

    private let room: any AnswerRoom
    /// Whether something was written: then the request is finished whatever it takes, or its client would be told to
    /// send again what was done.
    private let hasWritten = Atomic<Bool>(false)

    /// Makes the place to ask for room by one request.
    public init(_ room: any AnswerRoom) { self.room = room }

    /// Asks for room inside a read or a write, before anything is done.
    func check() throws {
        guard hasWritten.load(ordering: .relaxed) || room.isFree else { throw IsFull() }
    }

    /// Counts an answer, or the records that a failure carries.
    func hold(_ outcome: some SizedResult) { room.hold(outcome.heldBytes) }

    /// Notes that a write was done.
    func noteWrite() { hasWritten.store(true, ordering: .relaxed) }

    /// Does a read or a write, again after a wait where it found no room.
    func entering<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
        for _ in 0..<Self.attempts {
            do {
                return try await work()
            } catch is IsFull {
                try await room.wait()
            }
        }
        do {
            return try await work()
        } catch is IsFull {
            throw ServiceError.noRoom
        }
    }
}

extension ServiceOutput: SizedResult {
    var heldBytes: Int { body.count }
}

extension AtomicFailure: SizedResult {
    /// The records that its conflicts carry.
    var heldBytes: Int { errors.values.reduce(0) { $0 + ($1.serverRecord?.count ?? 0) } }
}

extension ServiceError {
    /// A request that waited for room in memory for too long.
    public static var noRoom: ServiceError {
        var error = ServiceError(
            .tryAgainLater, "The service has no room for this request at the moment.",
            remedy: "Send it again after a moment; smaller requests and smaller pages find room sooner.")
        error.retryAfterSeconds = 1
        return error
    }
}
