import RecordWire

/// The answer of a server to one request, as far as commands look at it.
struct TransportAnswer: Sendable {
    /// The HTTP status.
    var status: Int
    /// The body.
    var body: [UInt8]
    /// What the `Retry-After` header says, in seconds.
    var retryAfter: Double?
}

/// A way to a record service: HTTP, or a service in the same process in tests.
protocol RecordTransport: Sendable {
    /// Sends one request and waits for its answer, whatever its status.
    ///
    /// - Throws: when no answer came.
    func send(_ endpoint: Endpoint, _ body: [UInt8]) async throws -> TransportAnswer

    /// Whether each request is signed, with the time at which it is sent.
    var signsRequests: Bool { get }
}

extension RecordTransport {
    /// Tokens are sent, unless somebody says otherwise.
    var signsRequests: Bool { false }
}
