import Foundation
import RecordStorage
import Synchronization

/// Runs what blocks on a thread of its own: those that Swift's tasks share are few.
///
/// A cancelled task does not wait for the thread, which ends by itself or with the process.
func onOwnThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    let waiter = Waiter<Value>()
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            guard waiter.wait(continuation) else { return continuation.resume(throwing: CancellationError()) }
            let thread = Thread {
                lowerPriorityOfThisThread()
                waiter.resume(Result { try work() })
            }
            thread.name = "stratus-backup"
            thread.start()
        }
    } onCancel: {
        waiter.cancel()
    }
}

/// Whoever waits for a thread, until it is told once.
private final class Waiter<Value: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Value, any Error>?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// - Returns: false where nobody is to wait any more.
    func wait(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
        state.withLock { state in
            guard !state.isCancelled else { return false }
            state.continuation = continuation
            return true
        }
    }

    func resume(_ result: Result<Value, any Error>) {
        let continuation = state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(with: result)
    }

    func cancel() {
        state.withLock { $0.isCancelled = true }
        resume(.failure(CancellationError()))
    }
}
