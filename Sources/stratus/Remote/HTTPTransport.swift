import Foundation
import RecordModel
import RecordWire

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Talks to a server over HTTP.
struct HTTPTransport: RecordTransport {
    private let settings: RemoteSettings
    private let session: URLSession

    /// A server gives up its own work sooner than this.
    private static let secondsWithoutAnswer = 60.0

    /// Makes a transport that uses so many connections at most.
    init(_ settings: RemoteSettings, connections: Int = 1) {
        self.settings = settings
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = connections
        configuration.timeoutIntervalForRequest = Self.secondsWithoutAnswer
        session = URLSession(configuration: configuration)
    }

    func send(_ endpoint: Endpoint, _ body: [UInt8]) async throws -> TransportAnswer {
        var request = URLRequest(url: try address(of: endpoint))
        request.httpMethod = "POST"
        request.httpBody = Data(body)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        do {
            let (data, response) = try await session.data(for: request)
            let http = response as? HTTPURLResponse
            return TransportAnswer(
                status: http?.statusCode ?? 0, body: Array(data),
                retryAfter: http?.value(forHTTPHeaderField: "Retry-After").flatMap(Double.init))
        } catch let error as URLError {
            if error.code == .cancelled { throw CancellationError() }
            throw Failure(
                "The server at \(settings.url.absoluteString) cannot be reached: \(error.localizedDescription)",
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
