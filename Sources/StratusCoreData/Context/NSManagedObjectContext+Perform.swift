extension NSManagedObjectContext {
    /// When work given to `perform` starts.
    public enum ScheduledTaskType: Sendable {
        /// At once where the caller is on the context's queue already.
        case immediate
        /// After what is waiting.
        case enqueued
    }

    /// The context whose work runs on this thread.
    static var current: NSManagedObjectContext? { CurrentContext.stack.last }

    /// Runs work on the context's queue, waits for it, and gives what it gives. May be called inside itself.
    @preconcurrency
    public nonisolated func performAndWait<T>(_ block: @Sendable () throws -> T) rethrows -> T {
        try runAndWait(block)
    }

    /// As ``performAndWait(_:)``; the block may use what is not sendable, since nothing else runs until it ends.
    package func runAndWait<T>(_ block: () throws -> T) rethrows -> T {
        // A context whose work waits for this one, on this thread, is on its queue too.
        if isOnItsQueue { return try CurrentContext.run(self, block) }
        return try queue.sync { try asEvent(block) }
    }

    /// Runs work on the context's queue, and gives what it gives.
    @preconcurrency
    public nonisolated func perform<T>(
        schedule: ScheduledTaskType = .immediate, _ block: @escaping @Sendable () throws -> T
    ) async rethrows -> T {
        let outcome: Unchecked<Result<T, any Error>> = await withCheckedContinuation { continuation in
            let work: @Sendable () -> Void = {
                continuation.resume(returning: Unchecked(value: self.asEvent { Result(catching: block) }))
            }
            if schedule == .immediate, isOnItsQueue { work() } else { queue.async(execute: work) }
        }
        return try value(of: outcome.value, from: block)
    }

    /// The value of a block that ran already. That it throws what the block throws is what `rethrows` asks for.
    private func value<T, Failure: Error>(
        of outcome: Result<T, Failure>, from block: () throws(Failure) -> T
    ) throws(Failure) -> T { try outcome.get() }

    /// Runs a piece of work and processes its changes when it ends.
    func asEvent<T>(_ block: () throws -> T) rethrows -> T {
        try CurrentContext.run(self) {
            defer { processPendingChanges() }
            return try block()
        }
    }

    /// A value that crosses from the queue to the waiting task.
    private struct Unchecked<Value>: Sendable {
        // Unsafe since Apple's `perform` lets it be anything: the queue is done with it, and that task alone uses it.
        nonisolated(unsafe) let value: Value
    }
}

/// The contexts whose work runs on the current thread, the innermost last.
enum CurrentContext {
    private final class Stack {
        var contexts: [NSManagedObjectContext] = []
    }

    private static let key = "stratus.coredata.current"

    static var stack: [NSManagedObjectContext] {
        (Thread.current.threadDictionary[key] as? Stack)?.contexts ?? []
    }

    static func run<Result>(_ context: NSManagedObjectContext, _ block: () throws -> Result) rethrows
        -> Result
    {
        let dictionary = Thread.current.threadDictionary
        let stack: Stack
        if let known = dictionary[key] as? Stack {
            stack = known
        } else {
            stack = Stack()
            dictionary[key] = stack
        }
        stack.contexts.append(context)
        defer { stack.contexts.removeLast() }
        return try block()
    }
}
