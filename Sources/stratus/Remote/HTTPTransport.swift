import CurlAccess
import Foundation
import RecordModel
import RecordWire

/// Talks to a server over HTTP.
struct HTTPTransport: RecordTransport {
    private let settings: RemoteSettings
    private let client: CurlClient

    /// A server gives up its own work sooner than this.
    private static let secondsWithoutAnswer = 60.0

    /// The most bytes of an answer that are taken; answers of Stratus are shorter.
    private static let answerBytes = 256 * 1_048_576

    /// Makes a transport that uses so many connections at most.
    init(_ settings: RemoteSettings, connections: Int = 1) {
        self.settings = settings
        client = CurlClient(connectionsPerHost: connections)
    }

    func send(_ endpoint: Endpoint, _ body: [UInt8]) async throws -> TransportAnswer {
        let request = CurlRequest(
            url: try address(of: endpoint).absoluteString, body: .bytes(body, type: "application/json"),
            to: .memory(maximumBytes: Self.answerBytes), secondsWithoutBytes: Self.secondsWithoutAnswer)
        do {
            let answer = try await client.send(request)
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

    private func address(of endpoint: Endpoint) throws -> URL {
        let tenant = settings.tenant
        let path = endpoint.path(
            container: tenant.container.rawValue, environment: tenant.environment, scope: settings.scope)
        var components = URLComponents(url: settings.url, resolvingAgainstBaseURL: false)
        let base = components?.path ?? ""
        components?.path = (base.hasSuffix("/") ? String(base.dropLast()) : base) + path
        var query = "ckAPIToken=" + Self.escaped(settings.apiToken)
        if let token = settings.webAuthToken { query += "&ckWebAuthToken=" + Self.escaped(token) }
        components?.percentEncodedQuery = query
        guard let url = components?.url else {
            throw Failure.usage("\(settings.url.absoluteString) is not the address of a server.")
        }
        return url
    }

    /// Tokens of other servers hold '+', '/' and '=', which mean something else in an address.
    private static func escaped(_ token: String) -> String {
        token.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
