import CurlAccess
import Foundation
import RecordEngine
import RecordModel
import RecordWire

/// Talks to a server over HTTP.
struct ServerTransport: RecordTransport {
    private let settings: RemoteSettings
    private let client: CurlClient
    private let credentials: RequestCredentials

    /// A server gives up its own work sooner than this.
    private static let secondsWithoutAnswer = 60.0

    /// The most bytes of an answer that are taken; answers of Stratus are shorter.
    private static let answerBytes = 256 * 1_048_576

    /// Makes a transport that uses so many connections at most.
    ///
    /// - Parameter credentials: what lets its requests in; nil for the tokens of the settings.
    init(_ settings: RemoteSettings, connections: Int = 1, credentials: RequestCredentials? = nil) {
        self.init(settings, CurlClient(connectionsPerHost: connections), credentials)
    }

    /// Makes a transport over connections that others use too.
    init(_ settings: RemoteSettings, _ client: CurlClient, _ credentials: RequestCredentials? = nil) {
        self.settings = settings
        self.client = client
        self.credentials =
            credentials
            ?? RequestCredentials(
                apiToken: settings.apiToken, webAuthToken: settings.webAuthToken, keptIn: settings.keptIn)
    }

    func send(_ endpoint: Endpoint, _ body: [UInt8]) async throws -> TransportAnswer {
        // Apple documents GET alone for what needs no body.
        let isBare = endpoint.allowsGET && body == EmptyRequest().encoded()
        let address = try address(of: endpoint)
        var request = CurlRequest(
            url: address.url.absoluteString, body: isBare ? .none : .bytes(body, type: "application/json"),
            to: .memory(maximumBytes: Self.answerBytes), secondsWithoutBytes: Self.secondsWithoutAnswer)
        request.headers = try credentials.headers(path: address.path, body: isBare ? [] : body)
        do {
            let answer = try await client.send(request)
            credentials.renew(from: answer.headers)
            return TransportAnswer(
                status: answer.status, body: answer.body,
                retryAfter: answer.headers["retry-after"].flatMap(Double.init))
        } catch let error as CurlError {
            if error.kind == .cancelled { throw CancellationError() }
            throw Failure(
                "The server at \(settings.url.absoluteString) cannot be reached: \(error)",
                remedy: "Start it with 'stratus serve', or name another address with --url or STRATUS_URL.")
        }
    }

    var signsRequests: Bool { credentials.isKey }

    private func address(of endpoint: Endpoint) throws -> (url: URL, path: String) {
        let tenant = settings.tenant
        let path = endpoint.path(
            container: tenant.container.rawValue, environment: tenant.environment, scope: settings.scope)
        var components = URLComponents(url: settings.url, resolvingAgainstBaseURL: false)
        let base = components?.path ?? ""
        components?.path = (base.hasSuffix("/") ? String(base.dropLast()) : base) + path
        components?.percentEncodedQuery = credentials.query
        guard let url = components?.url else {
            throw Failure.usage("\(settings.url.absoluteString) is not the address of a server.")
        }
        return (url, path)
    }
}
