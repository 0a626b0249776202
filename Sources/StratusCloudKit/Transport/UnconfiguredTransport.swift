/// Stands in for a service where none is configured: every request fails with a sentence that says how to
/// configure one, so that an app without configuration runs and its errors explain themselves.
struct UnconfiguredTransport: Transport {
    let problem: String

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        throw TransportError.misconfigured(problem)
    }
}
