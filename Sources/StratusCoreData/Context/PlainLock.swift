/// A lock around values that are no `Sendable`: the system's mutex, without the bookkeeping of `NSLock`.
///
/// `Synchronization.Mutex` lets nothing out of its closure that another thread might share, which objects are.
final class PlainLock: Sendable {
    // Unsafe because it is a pointer: a mutex is made to be shared, and its address never changes.
    nonisolated(unsafe) private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        let code = pthread_mutex_init(mutex, nil)
        precondition(code == 0, "a mutex could not be made: \(code)")
    }

    deinit {
        let code = pthread_mutex_destroy(mutex)
        precondition(code == 0, "a lock was let go of while a thread held it: \(code)")
        mutex.deallocate()
    }

    @inline(__always)
    func withLock<Value, Failure: Error>(_ work: () throws(Failure) -> Value) throws(Failure) -> Value {
        let code = pthread_mutex_lock(mutex)
        precondition(code == 0, "a mutex could not be locked: \(code)")
        defer {
            let code = pthread_mutex_unlock(mutex)
            precondition(code == 0, "a mutex could not be unlocked: \(code)")
        }
        return try work()
    }
}
