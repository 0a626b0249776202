import CurlAccess
import RecordEngine
import RecordModel
import ServiceLifecycle

/// Carries pushes over HTTP, with connections that nothing else uses and that are kept.
struct PushCarrier: PushTransport {
    private let client = CurlClient(connectionsPerHost: Limits.pushDeliveries)
    let targets: WebhookTargets

    func send(_ request: PushRequest) async throws -> PushAnswer {
        guard targets == .any || request.url.hasPrefix("https://") else {
            return PushAnswer(status: nil, text: "A push service has to be reached over HTTPS.")
        }
        var sent = CurlRequest(
            url: request.url, body: .bytes(request.body, type: request.type),
            to: .beginning(bytes: Limits.webhookAnswerBytes),
            secondsWithoutBytes: Double(Limits.webhookSeconds))
        sent.seconds = Double(Limits.webhookSeconds)
        sent.headers = Dictionary(request.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        sent.followsRedirections = false
        sent.asksForHTTP2 = request.needsHTTP2
        sent.certificates = request.certificates
        sent.addresses = targets == .any ? .any : .publicOnly
        do {
            let answer = try await client.send(sent)
            guard answer.isHTTP2 || !request.needsHTTP2 else {
                return PushAnswer(status: nil, text: "The server does not speak HTTP/2.")
            }
            return PushAnswer(
                status: answer.status,
                retryAfterSeconds: answer.headers["retry-after"].flatMap { Int64($0) }.map { max(0, $0) },
                text: String(decoding: answer.body, as: UTF8.self))
        } catch let error as CurlError {
            guard error.kind != .cancelled else { throw CancellationError() }
            let hint =
                error.kind == .refusedAddress
                ? " '\(Settings.webhookTargets.key.flag ?? "") any' allows it." : ""
            return PushAnswer(status: nil, text: error.description + hint)
        }
    }
}

/// Sends pushes as long as the server runs.
struct PushDeliveries: Service {
    let service: RecordService
    let carrier: PushCarrier
    let contact: String?

    func run() async throws {
        try await cancelWhenGracefulShutdown { try await service.runPushes(over: carrier, contact: contact) }
    }
}
