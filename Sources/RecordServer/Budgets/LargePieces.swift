import RecordModel
import Synchronization

/// How much of a file is read ahead of a client: a large piece while there is room for it, a small one else.
///
/// Large pieces make fast downloads cheap. A client that takes nothing keeps one in memory for as long as its connection lives, so all
/// of them together are bounded; small ones count nothing, as small answers do, and nobody ever waits.
final class LargePieces: Sendable {
    /// What is read at once while there is room: large enough that the way to the disk's threads costs little.
    static let largeBytes = 262_144
    /// What is read at once else.
    static let smallBytes = 65_536

    private let capacity: Int
    private let used = Atomic<Int>(0)

    /// - Parameter capacity: the bytes of all large pieces.
    init(capacity: Int = Limits.heldPieceBytes) { self.capacity = capacity }

    /// The bytes that large pieces take.
    var held: Int { used.load(ordering: .relaxed) }

    /// The length of the next piece; give it back by ``end(_:)`` when the connection has taken it.
    func begin() -> Int {
        let now = used.add(Self.largeBytes, ordering: .relaxed).newValue
        if now <= capacity { return Self.largeBytes }
        used.subtract(Self.largeBytes, ordering: .relaxed)
        return Self.smallBytes
    }

    /// Notes that a piece is gone.
    func end(_ bytes: Int) {
        guard bytes == Self.largeBytes else { return }
        let left = used.subtract(bytes, ordering: .relaxed).newValue
        assert(left >= 0, "a piece is given back once")
    }
}
