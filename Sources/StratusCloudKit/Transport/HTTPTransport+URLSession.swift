#if !canImport(CurlAccess)
internal import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Apple's platforms, which have no libcurl of their own; there a `URLSession` can be cancelled. Untested.
extension HTTPTransport {
    private static let session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpMaximumConnectionsPerHost = 8
        return URLSession(configuration: configuration)
    }()

    /// - Throws: ``TransportError`` where no answer came, or why a file cannot be used.
    static func exchange(_ exchange: Exchange) async throws -> TransportResponse {
        var request = URLRequest(url: exchange.url)
        request.timeoutInterval = exchange.timeout
        request.allowsCellularAccess = exchange.allowsCellularAccess
        do {
            switch exchange.body {
            case .file(let file):
                request.httpMethod = "POST"
                request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
                let meter = SentBytes(exchange.progress)
                let (data, answer) = try await session.upload(for: request, fromFile: file, delegate: meter)
                return try response(answer, data, exchange)
            case .bytes(let bytes, let type):
                request.httpMethod = "POST"
                request.setValue(type, forHTTPHeaderField: "Content-Type")
                request.httpBody = Data(bytes)
            case .none: break
            }
            guard let target = exchange.target else {
                let (data, answer) = try await session.data(for: request)
                return try response(answer, data, exchange)
            }
            let (file, answer) = try await session.download(for: request)
            // It was moved, or it is a temporary file of the session's.
            defer { try? FileManager.default.removeItem(at: file) }
            return try keep(file, at: target, answer, exchange)
        } catch let error as URLError {
            throw translate(error)
        }
    }

    private static func keep(
        _ file: URL, at target: URL, _ answer: URLResponse, _ exchange: Exchange
    ) throws -> TransportResponse {
        let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
        guard let status = (answer as? HTTPURLResponse)?.statusCode, (200..<300).contains(status) else {
            let start = try FileHandle(forReadingFrom: file).read(upToCount: maximumFileAnswerBytes)
            return try response(answer, start ?? Data(), exchange)
        }
        guard Int64(size) <= exchange.maximumBytes else { throw tooLong }
        try FileManager.default.moveItem(at: file, to: target)
        exchange.progress?(Int64(size))
        return try response(answer, Data(), exchange)
    }

    private static func response(
        _ answer: URLResponse, _ data: Data, _ exchange: Exchange
    ) throws -> TransportResponse {
        guard let answer = answer as? HTTPURLResponse else {
            throw TransportError.misconfigured("'\(exchange.url.host ?? "")' does not answer with HTTP.")
        }
        guard exchange.target != nil || Int64(data.count) <= exchange.maximumBytes else { throw tooLong }
        var headers: [String: String] = [:]
        for (name, value) in answer.allHeaderFields { headers["\(name)"] = "\(value)" }
        return TransportResponse(status: answer.statusCode, headers: headers, body: Array(data))
    }

    private static var tooLong: TransportError {
        .connectionLost("The service sent more bytes than were asked for.")
    }

    private static func translate(_ error: URLError) -> TransportError {
        switch error.code {
        case .cancelled: .cancelled(cause: error)
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff:
            .offline("There is no network.", cause: error)
        case .cannotFindHost, .dnsLookupFailed:
            .unreachable("The host of the record service is not known.", cause: error)
        case .cannotConnectToHost:
            .unreachable("The record service cannot be connected to.", cause: error)
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
            .unreachable("No secure connection to the service could be made.", cause: error)
        case .badURL, .unsupportedURL:
            .misconfigured("The address of the service cannot be used.", cause: error)
        case .timedOut: .timedOut("The record service did not answer in time.", cause: error)
        default: .connectionLost("The connection to the record service broke.", cause: error)
        }
    }
}

/// Tells how much of a file went out.
private final class SentBytes: NSObject, URLSessionTaskDelegate {
    private let progress: (@Sendable (Int64) -> Void)?

    init(_ progress: (@Sendable (Int64) -> Void)?) { self.progress = progress }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        progress?(totalBytesSent)
    }
}
#endif
