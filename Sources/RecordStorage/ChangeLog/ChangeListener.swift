internal import Synchronization

/// Who is called when changes were logged, or when something was taken away from callers: a hint, for the store is the truth.
public final class ChangeListener: Sendable {
    private let closure = Mutex<(@Sendable () -> Void)?>(nil)

    /// Nobody listens.
    public init() {}

    /// Sets who is called; nil for nobody.
    public func set(_ closure: (@Sendable () -> Void)?) { self.closure.withLock { $0 = closure } }

    /// Calls who listens, on the calling thread.
    public func call() { closure.withLock { $0 }?() }
}
