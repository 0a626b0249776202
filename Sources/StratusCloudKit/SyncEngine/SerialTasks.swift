internal import Synchronization

/// Runs pieces of work one after the other, in the order in which they were handed in.
///
/// Each runs in a task of its own that inherits nothing, so that work handed in from a callback is not taken for a
/// part of it.
final class SerialTasks: Sendable {
    private let last = Mutex<Task<Void, Never>?>(nil)

    /// Hands in work that begins when all before it ended.
    @discardableResult
    func start<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        last.withLock { last in
            let before = last
            let task = Task.detached {
                await before?.value
                return try await work()
            }
            last = Task.detached { _ = await task.result }
            return task
        }
    }
}
