/// One delivery as it goes out: a POST with a JSON body.
public struct WebhookRequest: Sendable {
    /// Where it goes.
    public var url: String
    /// The headers besides that of the body's type.
    public var headers: [(name: String, value: String)]
    /// The body.
    public var body: [UInt8]
}

/// What came of a delivery.
public enum WebhookAnswer: Sendable {
    /// An HTTP status.
    case status(Int)
    /// There was no answer, and why.
    case none(String)

    /// Whether the receiver has taken it.
    public var isTaken: Bool { if case .status(let status) = self { 200..<300 ~= status } else { false } }

    /// The answer in words.
    public var text: String {
        switch self {
        case .status(let status):
            switch status {
            case 200..<300: "\(status)"
            case 300..<400: "\(status), and redirections are not followed"
            default: "answered \(status)"
            }
        case .none(let sentence): sentence
        }
    }
}

/// Carries deliveries to their receivers: what the engine needs of the network.
///
/// It follows no redirection, reads little of an answer, and returns within `Limits.webhookSeconds`.
public protocol WebhookTransport: Sendable {
    /// Sends one delivery.
    ///
    /// - Throws: `CancellationError` alone; what goes wrong is an answer too.
    func send(_ request: WebhookRequest) async throws -> WebhookAnswer
}
