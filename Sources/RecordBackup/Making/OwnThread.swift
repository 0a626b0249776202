import Foundation
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
                giveWay()
                waiter.resume(Result { try work() })
            }
            thread.name = "stratus-backup"
            thread.start()
        }
    } onCancel: {
        waiter.cancel()
    }
}

/// Lets whoever serves clients go first: reading and comparing all bytes keeps a core busy.
private func giveWay() {
    #if os(Linux)
    // Linux takes the caller's thread alone. Where it refuses, the backup is as important as everything else.
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
    #endif
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
