internal import Foundation

/// When a request that failed is sent again (Documentation/Protocol.md, 'Retries').
///
/// A value without a clock: it answers what to do next, the client does it.
struct RetryPolicy: Sendable {
    /// How often a request is sent at most.
    var maximumAttempts = 4
    /// The longest wait in seconds that is sat out; a longer one is the app's to plan.
    var maximumDelay = 30.0
    /// The first wait in seconds where the service names none; it doubles with every attempt.
    var firstDelay = 0.25

    /// What a request came back with, as far as sending it again is concerned.
    enum Failure: Sendable {
        /// The service refused it for now, so it was not done; with the seconds it wants to be left alone.
        case refused(retryAfter: Double?, isAlwaysWorthRepeating: Bool)
        /// No answer came, and it may have been done: writes carry a key by which the service knows them again.
        case unanswered
        /// Nothing that a repetition would change.
        case final
    }

    /// The seconds to wait before sending again; nil to give up.
    ///
    /// - Parameter attempt: how often the request was sent, 1 after the first time.
    func delay(after failure: Failure, attempt: Int) -> Double? {
        guard attempt < maximumAttempts else { return nil }
        let backoff = firstDelay * Double(1 << min(attempt - 1, 16))
        switch failure {
        case .final: return nil
        case .refused(let seconds?, _):
            return seconds <= maximumDelay ? max(0, seconds) : nil
        case .refused(nil, let isWorthIt):
            return isWorthIt ? backoff : nil
        case .unanswered:
            return backoff
        }
    }
}

/// The clock that the client reads and waits on; tests bring their own.
struct ClientClock: Sendable {
    /// Seconds since some moment; never goes back.
    var now: @Sendable () -> Double
    /// Waits; throws when the task is cancelled.
    var sleep: @Sendable (Double) async throws -> Void

    /// The clock of the machine.
    static let system = ClientClock(
        now: { ProcessInfo.processInfo.systemUptime },
        sleep: { try await Task.sleep(for: .seconds($0)) })
}
