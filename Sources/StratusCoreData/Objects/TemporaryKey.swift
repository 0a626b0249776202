import Synchronization

/// What makes the ID of an object differ that was never saved; it learns the permanent ID once there is one.
///
/// All copies of a temporary ID share it, those that child contexts hold too, so a child finds its object again
/// after the store gave it another ID.
package final class TemporaryKey: Hashable, Comparable, Sendable {
    /// Unique in the process, and growing.
    let number: Int
    private let permanent = Mutex<NSManagedObjectID?>(nil)

    private static let last = Atomic<Int>(0)
    private static let given = Atomic<Int>(0)

    init() { number = Self.last.add(1, ordering: .relaxed).newValue }

    /// The permanent ID, once the object has one.
    var successor: NSManagedObjectID? { permanent.withLock { $0 } }

    /// How many permanent IDs were given so far: what did not grow needs no second look.
    static var successorsGiven: Int { given.load(ordering: .acquiring) }

    func succeed(_ objectID: NSManagedObjectID) {
        permanent.withLock { $0 = objectID }
        Self.given.add(1, ordering: .releasing)
    }

    package static func == (left: TemporaryKey, right: TemporaryKey) -> Bool { left.number == right.number }
    package static func < (left: TemporaryKey, right: TemporaryKey) -> Bool { left.number < right.number }
    package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
