import Synchronization

/// What makes a coordinator do one thing at a time: a lock that the thread which holds it may take again, and that knows
/// whether the caller is that thread.
///
/// Unchecked sendable: the lock itself guards the depth.
final class CoordinatorLock: @unchecked Sendable {
    private let lock = NSRecursiveLock()
    private let owner = Atomic<UInt>(0)
    private var depth = 0

    /// Whether the calling thread has the lock.
    var isHeldHere: Bool { owner.load(ordering: .relaxed) == Self.thread }

    func withLock<Result, Failure: Error>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
        lock.lock()
        if depth == 0 { owner.store(Self.thread, ordering: .relaxed) }
        depth += 1
        defer {
            depth -= 1
            if depth == 0 { owner.store(0, ordering: .relaxed) }
            lock.unlock()
        }
        return try work()
    }

    /// The calling thread's number, which is never 0. Only the thread itself can read its own number as owner, so it
    /// needs no order with other memory.
    private static var thread: UInt {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #else
        pthread_self()
        #endif
    }
}
