/// A lock with the state that it protects.
///
/// Not recursive: locking it again on the thread that holds it stops the program, as on Apple's platforms.
///
/// Unchecked because the state is touched under the lock only.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    /// Who may hold the lock.
    public enum Ownership: Hashable, Sendable {
        /// The thread that asks.
        case owner
        /// Any other thread, or none.
        case notOwner
    }

    private final class Storage {
        let lock = UnsafeMutablePointer<os_unfair_lock>.allocate(capacity: 1)
        var state: State

        init(_ state: State) {
            self.state = state
            lock.initialize(to: os_unfair_lock())
        }

        deinit { lock.deallocate() }
    }

    private let storage: Storage

    /// Protects a state that need not be sendable; the caller keeps no other way to it.
    public init(uncheckedState initialState: State) { storage = Storage(initialState) }

    /// Runs a closure that need not be sendable with the state, while nobody else has it.
    public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R {
        os_unfair_lock_lock(storage.lock)
        defer { os_unfair_lock_unlock(storage.lock) }
        return try body(&storage.state)
    }

    /// Runs a closure with the state, while nobody else has it.
    public func withLock<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R {
        try withLockUnchecked(body)
    }

    /// The same, or nil where somebody else has the state.
    public func withLockIfAvailableUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R? {
        guard os_unfair_lock_trylock(storage.lock) else { return nil }
        defer { os_unfair_lock_unlock(storage.lock) }
        return try body(&storage.state)
    }

    /// The same, or nil where somebody else has the state.
    public func withLockIfAvailable<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R? {
        try withLockIfAvailableUnchecked(body)
    }

    /// Stops the program where the condition does not hold.
    public func precondition(_ condition: Ownership) {
        switch condition {
        case .owner: os_unfair_lock_assert_owner(storage.lock)
        case .notOwner: os_unfair_lock_assert_not_owner(storage.lock)
        }
    }
}

extension OSAllocatedUnfairLock where State: Sendable {
    /// Protects a state.
    public init(initialState: State) { self.init(uncheckedState: initialState) }
}

extension OSAllocatedUnfairLock where State == Void {
    /// A lock without a state.
    public init() { self.init(uncheckedState: ()) }

    /// Runs a closure while nobody else holds the lock.
    public func withLockUnchecked<R>(_ body: () throws -> R) rethrows -> R {
        try withLockUnchecked { _ in try body() }
    }

    /// Runs a closure while nobody else holds the lock.
    public func withLock<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R {
        try withLockUnchecked { _ in try body() }
    }

    /// The same, or nil where somebody else holds the lock.
    public func withLockIfAvailableUnchecked<R>(_ body: () throws -> R) rethrows -> R? {
        try withLockIfAvailableUnchecked { _ in try body() }
    }

    /// The same, or nil where somebody else holds the lock.
    public func withLockIfAvailable<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R? {
        try withLockIfAvailableUnchecked { _ in try body() }
    }

    /// Waits for the lock. Unlock on the same thread.
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    public func lock() { os_unfair_lock_lock(storage.lock) }

    /// Lets the lock go.
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    public func unlock() { os_unfair_lock_unlock(storage.lock) }

    /// Takes the lock where nobody else holds it.
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    public func lockIfAvailable() -> Bool { os_unfair_lock_trylock(storage.lock) }
}
