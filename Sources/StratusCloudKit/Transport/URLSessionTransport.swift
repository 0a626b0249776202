public import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Sends requests over HTTP with Foundation's `URLSession`.
///
/// Connections are kept and shared by all requests of the transport. Nothing is cached, no cookies are kept.
public struct URLSessionTransport: Transport {
    private let base: String
    private let session: URLSession
    private let files = FileTransferSession()

    /// Makes a transport to the service at an address, `https://records.example.org` for example.
    public init(url: URL) {
        var base = url.absoluteString
        while base.hasSuffix("/") { base.removeLast() }
        self.base = base
        let configuration = URLSessionConfiguration.ephemeral
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpMaximumConnectionsPerHost = 8
        session = URLSession(configuration: configuration)
    }

    /// Sends one request; see ``Transport/send(_:)``.
    ///
    /// - Throws: ``TransportError`` where no answer came, also because the task was cancelled.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard let url = URL(string: base + request.pathAndQuery), url.host != nil else {
            throw TransportError.misconfigured("'\(base)' is not the address of a record service.")
        }
        var message = URLRequest(url: url)
        message.timeoutInterval = request.timeout
        message.httpMethod = request.method
        message.allowsCellularAccess = request.allowsCellularAccess
        if let body = request.body {
            message.httpBody = Data(body)
            message.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        let (data, answer): (Data, URLResponse)
        do {
            (data, answer) = try await session.data(for: message)
        } catch {
            throw Self.translate(error)
        }
        guard let answer = answer as? HTTPURLResponse else {
            throw TransportError.misconfigured("'\(base)' does not answer with HTTP.")
        }
        var headers: [String: String] = [:]
        for (name, value) in answer.allHeaderFields { headers["\(name)"] = "\(value)" }
        return TransportResponse(status: answer.statusCode, headers: headers, body: Array(data))
    }

    /// Posts a file; see ``Transport/upload(_:by:progress:)``.
    public func upload(
        _ file: URL, by request: TransferRequest, progress: @escaping @Sendable (_ sent: Int64) -> Void
    ) async throws -> TransportResponse {
        try await files.upload(file, by: request, to: request.url(relativeTo: base), progress: progress)
    }

    /// Gets a file; see ``Transport/download(to:by:progress:)``.
    public func download(
        to file: URL, by request: TransferRequest, progress: @escaping @Sendable (_ received: Int64) -> Void
    ) async throws -> TransportResponse {
        try await files.download(
            to: file, by: request, from: request.url(relativeTo: base), progress: progress)
    }

    static func translate(_ error: any Error) -> any Error {
        guard let error = error as? URLError else { return error }
        return switch error.code {
        case .cancelled: TransportError.cancelled(cause: error)
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff:
            TransportError.offline("There is no network.", cause: error)
        case .cannotFindHost, .dnsLookupFailed:
            TransportError.unreachable("The host of the record service is not known.", cause: error)
        case .cannotConnectToHost:
            TransportError.unreachable("The record service cannot be connected to.", cause: error)
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
            TransportError.unreachable("No secure connection to the service could be made.", cause: error)
        case .badURL, .unsupportedURL:
            TransportError.misconfigured("The address of the service cannot be used.", cause: error)
        case .timedOut: TransportError.timedOut("The record service did not answer in time.", cause: error)
        default:
            TransportError.connectionLost("The connection to the record service broke.", cause: error)
        }
    }
}
