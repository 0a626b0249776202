internal import Foundation
internal import Synchronization

/// What ``objc_sync_enter(_:)`` and ``objc_sync_exit(_:)`` answer: 0.
public let OBJC_SYNC_SUCCESS: Int32 = 0
/// What ``objc_sync_exit(_:)`` answers to a thread that does not hold the lock.
public let OBJC_SYNC_NOT_OWNING_THREAD_ERROR: Int32 = -1

/// Waits until no other thread holds an object's lock, and takes it. A thread that holds it may take it again.
@discardableResult
public func objc_sync_enter(_ obj: Any) -> Int32 {
    let lock = ObjectLocks.all.withLock { $0.lock(for: ObjectIdentifier(obj as AnyObject)) }
    lock.lock()
    ObjectLocks.all.withLock { _ in
        lock.holder = Thread.current
        lock.depth += 1
    }
    return OBJC_SYNC_SUCCESS
}

/// Lets an object's lock go, as often as the thread took it.
@discardableResult
public func objc_sync_exit(_ obj: Any) -> Int32 {
    let id = ObjectIdentifier(obj as AnyObject)
    let lock = ObjectLocks.all.withLock { $0.release(id, by: Thread.current) }
    guard let lock else { return OBJC_SYNC_NOT_OWNING_THREAD_ERROR }
    lock.unlock()
    return OBJC_SYNC_SUCCESS
}

/// The locks that somebody holds or waits for, by their objects.
private struct ObjectLocks {
    static let all = Mutex(ObjectLocks())

    /// Unchecked sendable: what changes does so under the lock of the table.
    final class Lock: @unchecked Sendable {
        private let recursive = NSRecursiveLock()
        /// The thread that holds the lock.
        var holder: Thread?
        /// How often it is held or waited for.
        var users = 0
        /// How often it is held.
        var depth = 0

        func lock() { recursive.lock() }
        func unlock() { recursive.unlock() }
    }

    private var locks: [ObjectIdentifier: Lock] = [:]

    mutating func lock(for id: ObjectIdentifier) -> Lock {
        let lock = locks[id] ?? Lock()
        lock.users += 1
        locks[id] = lock
        return lock
    }

    /// The lock to let go; nil where the thread does not hold it.
    mutating func release(_ id: ObjectIdentifier, by thread: Thread) -> Lock? {
        guard let lock = locks[id], lock.holder === thread else { return nil }
        lock.users -= 1
        lock.depth -= 1
        if lock.depth == 0 { lock.holder = nil }
        if lock.users == 0 { locks[id] = nil }
        return lock
    }
}
