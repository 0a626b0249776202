/// One push as it goes out: a POST.
public struct PushRequest: Sendable {
    /// Where it goes.
    public var url: String
    /// The headers besides that of the body's type.
    public var headers: [(name: String, value: String)]
    /// The type of the body, and the body.
    public var type: String
    public var body: [UInt8]
    /// Whether it has to be HTTP/2, as Apple's service wants it.
    public var needsHTTP2: Bool
    /// A file with certificates to trust, as PEM; nil for those of the system.
    public var certificates: String?
}

/// What came of a push.
public struct PushAnswer: Sendable {
    /// The HTTP status; nil where there was no answer.
    public var status: Int?
    /// What the service asked to wait, in seconds.
    public var retryAfterSeconds: Int64?
    /// The beginning of the body, or why there was no answer.
    public var text: String

    /// Creates an answer.
    public init(status: Int?, retryAfterSeconds: Int64? = nil, text: String = "") {
        self.status = status
        self.retryAfterSeconds = retryAfterSeconds
        self.text = text
    }

    /// The answer in words.
    var words: String {
        guard let status else { return text }
        // What a stranger's server says is shown as it is, on one line.
        let line = text.prefix(ReceiverState.answerCharacters).split(whereSeparator: \.isNewline).joined(
            separator: " ")
        return line.isEmpty ? "\(status)" : "\(status) \(line)"
    }
}

/// Carries pushes to push services: what the engine needs of the network.
///
/// It follows no redirection, reads little of an answer, and returns within `Limits.webhookSeconds`.
public protocol PushTransport: Sendable {
    /// Sends one push.
    ///
    /// - Throws: `CancellationError` alone; what goes wrong is an answer too.
    func send(_ request: PushRequest) async throws -> PushAnswer
}
