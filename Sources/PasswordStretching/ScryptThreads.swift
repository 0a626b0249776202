internal import CryptoExtras
internal import Dispatch
internal import Foundation
public import RecordEngine
internal import RecordModel
internal import Synchronization

/// Stretches passwords with scrypt on threads of its own, which give way to everything else on the machine: neither event
/// loops nor the writing thread nor Swift's executor wait for a password.
///
/// Only so many passwords wait, and fewer of one address of the network and of one account; the next one is told to come
/// later. Addresses take turns.
public final class ScryptThreads: PasswordStretcher {
    private struct State {
        /// What waits, for each address.
        var waiting: [String: [@Sendable () -> Void]] = [:]
        /// The addresses of which something waits, the next one first.
        var turns: [String] = []
        /// How many wait or are at work: in all, of each address and of each account.
        var count = 0
        var clients: [String: Int] = [:]
        var accounts: [String: Int] = [:]
        var isStopping = false

        mutating func begin(_ party: StretchingParty, upTo most: Int) -> Bool {
            guard count < most, !isStopping,
                party.client.map({ clients[$0, default: 0] < ScryptThreads.mostOfClient }) ?? true,
                party.account.map({ accounts[$0, default: 0] < ScryptThreads.mostOfAccount }) ?? true
            else { return false }
            count += 1
            if let client = party.client { clients[client, default: 0] += 1 }
            if let account = party.account { accounts[account, default: 0] += 1 }
            return true
        }

        mutating func end(_ party: StretchingParty) {
            count -= 1
            if let client = party.client { Self.take(client, from: &clients) }
            if let account = party.account { Self.take(account, from: &accounts) }
        }

        private static func take(_ key: String, from counts: inout [String: Int]) {
            let left = counts[key, default: 1] - 1
            counts[key] = left > 0 ? left : nil
        }

        mutating func add(_ work: @escaping @Sendable () -> Void, of client: String) {
            if waiting[client] == nil { turns.append(client) }
            waiting[client, default: []].append(work)
        }

        mutating func next() -> (@Sendable () -> Void)? {
            guard !turns.isEmpty else { return nil }
            let client = turns.removeFirst()
            guard var line = waiting[client], !line.isEmpty else { return nil }
            let work = line.removeFirst()
            waiting[client] = line.isEmpty ? nil : line
            if !line.isEmpty { turns.append(client) }
            return work
        }
    }

    /// The most passwords of one address of the network that wait or are at work.
    static let mostOfClient = 4
    /// The same of one account.
    static let mostOfAccount = 2

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

    public func stretch(
        _ password: [UInt8], salt: [UInt8], cost: StretchingCost, for party: StretchingParty
    ) async throws -> [UInt8] {
        try await withCheckedThrowingContinuation { continuation in
            let isTaken = state.withLock { state in
                guard state.begin(party, upTo: most) else { return false }
                let work: @Sendable () -> Void = { [weak self] in
                    let result = Result { try Self.stretched(password, salt, cost) }
                    self?.state.withLock { $0.end(party) }
                    continuation.resume(with: result)
                }
                state.add(work, of: party.client ?? "")
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
            _ = setpriority(__priority_which_t(0), 0, 19)
            #endif
            while true {
                signal.wait()
                guard let (work, isStopping) = owner?.next() else { return }
                if let work { work() } else if isStopping { return }
            }
        }
    }

    private func next() -> (work: (@Sendable () -> Void)?, isStopping: Bool) {
        state.withLock { ($0.next(), $0.isStopping) }
    }
}
