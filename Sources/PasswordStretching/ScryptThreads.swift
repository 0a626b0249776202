internal import CryptoExtras
internal import Dispatch
internal import Foundation
public import RecordEngine
public import RecordModel
internal import Synchronization

/// Stretches passwords with scrypt on threads of its own, which give way to requests but are never starved by them: neither event
/// loops nor the writing thread nor Swift's executor wait for a password.
///
/// Only so many passwords wait, and networks and addresses take turns (``StretchingLine``); who finds no place is told to come later.
public final class ScryptThreads: PasswordStretcher {
    private struct Waiting: Sendable {
        var password: [UInt8]
        var salt: [UInt8]
        var cost: StretchingCost
        var continuation: CheckedContinuation<[UInt8], any Error>
    }

    private struct State {
        var line: StretchingLine<Waiting>
        var isStopping = false
    }

    /// How far the threads stand behind others that want a processor (`nice`): on a busy one they get a quarter of it. Any lower, and
    /// nobody signs in to a server that has much to do; any higher, and requests wait for whoever tries passwords.
    private static let niceness: Int32 = 5

    private let state: Mutex<State>
    private let signal = DispatchSemaphore(value: 0)
    private let threads: Int

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - threads: how many passwords are stretched at once, each in memory of 32 MiB.
    ///   - most: how many may be waiting or at work.
    public init(threads: Int = 2, most: Int = Limits.waitingPasswords) {
        self.threads = threads
        state = Mutex(State(line: StretchingLine(most: most)))
        for number in 0..<threads {
            let thread = Thread { [signal, work = Work(self)] in work.run(signal) }
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

    public func stretch(
        _ password: [UInt8], salt: [UInt8], cost: StretchingCost, for party: StretchingParty
    ) async throws -> [UInt8] {
        try await withCheckedThrowingContinuation { continuation in
            let waiting = Waiting(password: password, salt: salt, cost: cost, continuation: continuation)
            let outcome = state.withLock { state -> StretchingLine<Waiting>.Outcome in
                state.isStopping ? .refused : state.line.add(waiting, of: party)
            }
            switch outcome {
            case .taken: signal.signal()
            // The signal of the one that had to go is this one's.
            case .takenFrom(let other): other.continuation.resume(throwing: ServiceError.tooManySignIns)
            case .refused: continuation.resume(throwing: ServiceError.tooManySignIns)
            }
        }
    }

    /// Stretches the next password; false where the threads are to end.
    private func step() -> Bool {
        let (next, isStopping) = state.withLock { ($0.line.popFirst(), $0.isStopping) }
        guard let (waiting, party) = next else { return !isStopping }
        let result = Result { try Self.stretched(waiting.password, waiting.salt, waiting.cost) }
        state.withLock { $0.line.end(party) }
        waiting.continuation.resume(with: result)
        return true
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
            _ = setpriority(__priority_which_t(0), 0, ScryptThreads.niceness)
            #endif
            while true {
                signal.wait()
                guard owner?.step() == true else { return }
            }
        }
    }
}

extension ServiceError {
    /// Too many passwords wait already.
    fileprivate static var tooManySignIns: ServiceError {
        var error = ServiceError(
            .tryAgainLater, "Too many people sign in at this moment.", remedy: "Try again in some seconds.")
        error.retryAfterSeconds = 2
        return error
    }
}
