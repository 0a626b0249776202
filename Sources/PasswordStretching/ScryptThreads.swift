internal import CryptoExtras
internal import Dispatch
internal import Foundation
public import RecordEngine
internal import RecordModel
internal import Synchronization

/// Stretches passwords with scrypt on threads of its own, which give way to everything else on the machine: neither event
/// loops nor the writing thread nor Swift's executor wait for a password.
///
/// Only so many passwords wait; the next one is told to come later.
public final class ScryptThreads: PasswordStretcher {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        /// How many wait or are at work.
        var count = 0
        var isStopping = false
    }

    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)
    private let threads: Int
    private let most: Int

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - threads: how many passwords are stretched at once, each in memory of 32 MiB.
    ///   - most: how many may be waiting or at work.
    public init(threads: Int = 2, most: Int = 64) {
        self.threads = threads
        self.most = most
        for number in 0..<threads {
            let thread = Thread { [signal, state = Work(self)] in state.run(signal) }
            thread.name = "stratus-scrypt-\(number)"
            thread.start()
        }
    }

    deinit { stop() }

    /// Ends the threads once nothing waits.
    public func stop() {
        state.withLock { $0.isStopping = true }
        for _ in 0..<threads { signal.signal() }
    }

    public func stretch(_ password: [UInt8], salt: [UInt8], cost: StretchingCost) async throws -> [UInt8] {
        try await withCheckedThrowingContinuation { continuation in
            let isTaken = state.withLock { state in
                guard state.count < most, !state.isStopping else { return false }
                state.count += 1
                state.waiting.append { [weak self] in
                    let result = Result { try Self.stretched(password, salt, cost) }
                    self?.state.withLock { $0.count -= 1 }
                    continuation.resume(with: result)
                }
                return true
            }
            guard isTaken else {
                var error = ServiceError(
                    .tryAgainLater, "Too many people sign in at this moment.",
                    remedy: "Try again in some seconds.")
                error.retryAfterSeconds = 2
                return continuation.resume(throwing: error)
            }
            signal.signal()
        }
    }

    private static func stretched(
        _ password: [UInt8], _ salt: [UInt8], _ cost: StretchingCost
    ) throws -> [UInt8] {
        let key = try KDF.Scrypt.deriveKey(
            from: password, salt: salt, outputByteCount: 32, rounds: 1 << cost.logRounds,
            blockSize: cost.blockSize, parallelism: cost.parallelism)
        return key.withUnsafeBytes { Array($0) }
    }

    /// What a thread does, without keeping the owner alive.
    private struct Work: Sendable {
        weak let owner: ScryptThreads?

        init(_ owner: ScryptThreads) { self.owner = owner }

        func run(_ signal: DispatchSemaphore) {
            #if os(Linux)
            // Of this thread alone, on Linux: requests come first. It does no harm where it is refused.
            _ = setpriority(__priority_which_t(0), 0, 10)
            #endif
            while true {
                signal.wait()
                guard let (work, isStopping) = owner?.next() else { return }
                if let work { work() } else if isStopping { return }
            }
        }
    }

    private func next() -> (work: (@Sendable () -> Void)?, isStopping: Bool) {
        state.withLock { ($0.waiting.isEmpty ? nil : $0.waiting.removeFirst(), $0.isStopping) }
    }
}
