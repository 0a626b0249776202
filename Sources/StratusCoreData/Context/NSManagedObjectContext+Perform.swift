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

    /// Runs work on the context's queue, waits for it, and gives what it gives.
    public func performAndWait<Result, Failure: Error>(
        _ block: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let outcome = runAndWait { () -> Swift.Result<Result, Failure> in
            do throws(Failure) { return .success(try block()) } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    func runAndWait<Result>(_ block: () -> Result) -> Result {
        // A context whose work waits for this one, on this thread, is on its queue too.
        if isOnItsQueue { return CurrentContext.run(self, block) }
        return queue.sync { asEvent(block) }
    }

    /// Runs work on the context's queue, and gives what it gives.
    ///
    /// The block is not asked to be sendable, as on Apple's platforms; what it returns should be.
    public func perform<Result, Failure: Error>(
        schedule: ScheduledTaskType = .immediate, _ block: @escaping () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        // The block is called once, on the queue that guards all it touches, while the caller waits.
        nonisolated(unsafe) let block = block
        let outcome: Unchecked<Swift.Result<Result, Failure>> = await withCheckedContinuation {
            continuation in
            let work: @Sendable () -> Void = {
                let outcome = self.asEvent { () -> Swift.Result<Result, Failure> in
                    do throws(Failure) { return .success(try block()) } catch { return .failure(error) }
                }
                continuation.resume(returning: Unchecked(value: outcome))
            }
            if schedule == .immediate, isOnItsQueue { work() } else { queue.async(execute: work) }
        }
        return try outcome.value.get()
    }

    /// Runs a piece of work and processes its changes when it ends.
    func asEvent<Result>(_ block: () -> Result) -> Result {
        CurrentContext.run(self) {
            defer { processPendingChanges() }
            return block()
        }
    }

    /// A value that crosses from the queue to the waiting task, and is used by that task only.
    private struct Unchecked<Value>: @unchecked Sendable {
        var value: Value
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
