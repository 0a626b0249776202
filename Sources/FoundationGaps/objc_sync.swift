internal import Foundation
internal import Synchronization

/// What ``objc_sync_enter(_:)`` and ``objc_sync_exit(_:)`` answer: 0.
public let OBJC_SYNC_SUCCESS: Int32 = 0
/// What ``objc_sync_exit(_:)`` answers to a thread that does not hold the lock.
public let OBJC_SYNC_NOT_OWNING_THREAD_ERROR: Int32 = -1

/// Waits until no other thread holds an object's lock, and takes it. A thread that holds it may take it again.
@discardableResult
public func objc_sync_enter(_ obj: Any) -> Int32 {
    let id = ObjectIdentifier(obj as AnyObject)
    let lock = ObjectLocks.all.withLock { $0.lock(for: id) }
    lock.lock()
    let thread = ObjectIdentifier(Thread.current)
    ObjectLocks.all.withLock { $0.took(id, thread) }
    return OBJC_SYNC_SUCCESS
}

/// Lets an object's lock go, as often as the thread took it.
@discardableResult
public func objc_sync_exit(_ obj: Any) -> Int32 {
    let id = ObjectIdentifier(obj as AnyObject)
    let thread = ObjectIdentifier(Thread.current)
    guard let lock = ObjectLocks.all.withLock({ $0.release(id, by: thread) }) else {
        return OBJC_SYNC_NOT_OWNING_THREAD_ERROR
    }
    lock.unlock()
    return OBJC_SYNC_SUCCESS
}

/// The locks that somebody holds or waits for, by their objects.
private struct ObjectLocks: Sendable {
    static let all = Mutex(ObjectLocks())

    private struct Entry: Sendable {
        let lock = NSRecursiveLock()
        /// The thread that holds the lock.
        var holder: ObjectIdentifier?
        /// How often it is held.
        var depth = 0
        /// How often it is held or waited for.
        var users = 0
    }

    private var entries: [ObjectIdentifier: Entry] = [:]

    /// The lock to wait for.
    mutating func lock(for id: ObjectIdentifier) -> NSRecursiveLock {
        entries[id, default: Entry()].users += 1
        return entries[id, default: Entry()].lock
    }

    mutating func took(_ id: ObjectIdentifier, _ thread: ObjectIdentifier) {
        assert(entries[id] != nil, "Who waits for a lock is one of its users.")
        entries[id]?.holder = thread
        entries[id]?.depth += 1
    }

    /// The lock to let go; nil where the thread does not hold it.
    mutating func release(_ id: ObjectIdentifier, by thread: ObjectIdentifier) -> NSRecursiveLock? {
        guard var entry = entries[id], entry.holder == thread else { return nil }
        entry.users -= 1
        entry.depth -= 1
        if entry.depth == 0 { entry.holder = nil }
        entries[id] = entry.users == 0 ? nil : entry
        return entry.lock
    }
}
