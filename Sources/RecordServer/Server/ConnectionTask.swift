import NIOCore
import Synchronization

/// The task that handles a connection, so that it can be told when its client left.
///
/// A task of its own to cancel would take 2.3 KiB more for as long as the connection is open.
final class ConnectionTask: Sendable {
    /// The task while it handles the connection. Of what it offers, only what a `Task` offers as well is used.
    private let task: Mutex<UnsafeCurrentTask?>

    private init(_ task: UnsafeCurrentTask?) {
        // It is the task of whoever calls, who outlives this: `leave` takes it away before that.
        nonisolated(unsafe) let task = task
        self.task = Mutex(task)
    }

    private func cancel() { task.withLock { $0?.cancel() } }

    private func leave() { task.withLock { $0 = nil } }

    /// Does the work in the caller's task, which is cancelled when the channel is closed before the work ends.
    static func run(until channel: any Channel, _ work: () async -> Void) async {
        await withUnsafeCurrentTask { task in
            let connection = ConnectionTask(task)
            channel.closeFuture.whenComplete { _ in connection.cancel() }
            await work()
            connection.leave()
        }
    }
}
