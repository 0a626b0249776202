import CurlAccess
import Logging
import RecordEngine
import RecordModel
import ServiceLifecycle

/// To which addresses webhooks may go.
enum WebhookTargets: String, Sendable, CaseIterable {
    /// Those of the public internet.
    case `public`
    /// Also those of this machine and of private networks.
    case any
}

/// Carries deliveries over HTTP, with connections that nothing else uses.
struct WebhookCarrier: WebhookTransport {
    private let client = CurlClient(connectionsPerHost: Limits.webhookDeliveriesPerHook)
    let targets: WebhookTargets

    func send(_ request: WebhookRequest) async throws -> WebhookAnswer {
        var sent = CurlRequest(
            url: request.url, body: .bytes(request.body, type: "application/json"),
            to: .beginning(bytes: Limits.webhookAnswerBytes),
            secondsWithoutBytes: Double(Limits.webhookSeconds))
        sent.seconds = Double(Limits.webhookSeconds)
        sent.headers = Dictionary(request.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        sent.followsRedirections = false
        sent.addresses = targets == .any ? .any : .publicOnly
        do {
            return .status(try await client.send(sent).status)
        } catch let error as CurlError {
            guard error.kind != .cancelled else { throw CancellationError() }
            guard error.kind != .refusedAddress else {
                return .none(
                    "\(error.description) '\(Settings.webhookTargets.key.flag ?? "") any' allows it.")
            }
            return .none(error.description)
        }
    }
}

/// Delivers to webhooks as long as the server runs.
struct WebhookDeliveries: Service {
    let service: RecordService
    let carrier: WebhookCarrier
    let baseURL: String?

    func run() async throws {
        await cancelWhenGracefulShutdown { await service.runWebhooks(over: carrier, baseURL: baseURL) }
    }
}
