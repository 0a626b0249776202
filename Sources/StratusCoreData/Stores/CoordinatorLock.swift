import Synchronization

/// What makes a coordinator do one thing at a time: a lock that the thread which holds it may take again, and that knows
/// whether the caller is that thread.
final class CoordinatorLock: Sendable {
    private let lock = NSRecursiveLock()
    private let owner = Atomic<UInt>(0)
    /// How often the owner has taken the lock; touched by the owner only, so that no order is needed here either.
    private let depth = Atomic(0)

    /// Whether the calling thread has the lock.
    var isHeldHere: Bool { owner.load(ordering: .relaxed) == Self.thread }

    func withLock<Result, Failure: Error>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
        lock.lock()
        let outer = depth.load(ordering: .relaxed)
        if outer == 0 { owner.store(Self.thread, ordering: .relaxed) }
        depth.store(outer + 1, ordering: .relaxed)
        defer {
            depth.store(outer, ordering: .relaxed)
            if outer == 0 { owner.store(0, ordering: .relaxed) }
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
