internal import Synchronization

/// Who is called when changes were logged, when something was taken away from callers, or when a user's subscriptions changed: a
/// hint, for the store is the truth.
public final class ChangeListener<Hint>: Sendable {
    private let closure = Mutex<(@Sendable (Hint) -> Void)?>(nil)

    /// Nobody listens.
    public init() {}

    /// Sets who is called; nil for nobody.
    public func set(_ closure: (@Sendable (Hint) -> Void)?) { self.closure.withLock { $0 = closure } }

    /// Calls who listens, on the calling thread.
    public func call(_ hint: Hint) { closure.withLock { $0 }?(hint) }
}

extension ChangeListener<Void> {
    /// Sets who is called; nil for nobody.
    public func set(_ closure: (@Sendable () -> Void)?) {
        set(closure.map { closure in { @Sendable (_: Void) in closure() } })
    }

    /// Calls who listens, on the calling thread.
    public func call() { call(()) }
}
