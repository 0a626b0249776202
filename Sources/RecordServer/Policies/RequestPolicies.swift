import HummingbirdCore
import RecordEngine

/// The policies that requests pass: in from the first to the last, out from the last to the first.
struct RequestPolicies: Sendable {
    private let policies: [any RequestPolicy]

    init(_ policies: [any RequestPolicy]) { self.policies = policies }

    /// The policies of a server. What comes before another here is checked before it.
    init(
        service: RecordService, state: ServerState, log: RequestLog, sites: [any Site], start: (any Site)?,
        address: PublicAddress
    ) {
        self.init([
            // Of every request.
            RecordingPolicy(log: log, state: state),
            ClosingPolicy(),
            HostPolicy(),
            TransportSecurityPolicy(address),
            RateHeaderPolicy(),
            AddressRatePolicy(rates: state.rates),
            RoutingPolicy(address: address, sites: sites, start: start),
            // Of requests to the service.
            AdmissionPolicy(service: service),
            CallerRatePolicy(rates: state.rates),
            // Of those whose answer has an end.
            SharePolicy(shares: state.shares),
            BodyPolicy(state: state),
            TokenSharePolicy(shares: state.shares),
            WorkPolicy(budget: state.work),
            RoomPolicy(answers: state.answers),
        ])
    }

    /// Has a request pass all policies, and its answer pass them in the opposite order.
    ///
    /// - Parameters:
    ///   - answer: what answers a request that was not refused.
    ///   - failure: the answer to one that was refused, or whose answer failed.
    func pass(
        _ passage: inout RequestPassage, answer: (inout RequestPassage) async throws -> Response,
        failure: (any Error, inout RequestPassage) -> Response
    ) async -> Response {
        assert(passage.entered == 0, "a request passes once")
        var response: Response
        do {
            response = try await enter(&passage, answer)
        } catch {
            response = failure(error, &passage)
        }
        while passage.entered > 0 {
            passage.entered -= 1
            policies[passage.entered].leave(&passage, &response)
        }
        assert(passage.holdsNothing, "what a policy takes it gives back")
        return response
    }

    private func enter(
        _ passage: inout RequestPassage, _ answer: (inout RequestPassage) async throws -> Response
    ) async throws -> Response {
        while passage.entered < policies.count {
            try await policies[passage.entered].enter(&passage)
            passage.entered += 1
            guard let executor = passage.executor.take() else { continue }
            return try await withTaskExecutorPreference(executor) { try await enter(&passage, answer) }
        }
        return try await answer(&passage)
    }
}
