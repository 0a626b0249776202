internal import CurlAccess
public import Foundation

/// Sends requests over HTTP and TLS.
///
/// Connections are kept and shared by all requests of the process. Nothing is cached, no cookies are kept. Files are
/// moved in memory that does not grow with them.
public struct HTTPTransport: Transport {
    /// The most bytes of an answer that are taken into memory. Answers of Stratus are shorter; another service's that
    /// is longer is given up.
    static let maximumAnswerBytes = 256 * 1_048_576

    private let base: String

    /// Makes a transport to the service at an address, `https://records.example.org` for example.
    public init(url: URL) {
        var base = url.absoluteString
        while base.hasSuffix("/") { base.removeLast() }
        self.base = base
    }

    /// Sends one request; see ``Transport/send(_:)``.
    ///
    /// - Throws: ``TransportError`` where no answer came, also because the task was cancelled.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard let url = URL(string: base + request.pathAndQuery), url.host != nil else {
            throw TransportError.misconfigured("'\(base)' is not the address of a record service.")
        }
        return try await Self.perform(
            CurlRequest(
                url: url.absoluteString,
                body: request.body.map { .bytes($0, type: "application/json") } ?? .none,
                to: .memory(maximumBytes: Self.maximumAnswerBytes), secondsWithoutBytes: request.timeout))
    }

    /// Posts a file; see ``Transport/upload(_:by:progress:)``.
    public func upload(
        _ file: URL, by request: TransferRequest, progress: @escaping @Sendable (_ sent: Int64) -> Void
    ) async throws -> TransportResponse {
        try await Self.upload(file, by: request, to: request.url(relativeTo: base), progress: progress)
    }

    /// Gets a file; see ``Transport/download(to:by:progress:)``.
    public func download(
        to file: URL, by request: TransferRequest, progress: @escaping @Sendable (_ received: Int64) -> Void
    ) async throws -> TransportResponse {
        try await Self.download(
            to: file, by: request, from: request.url(relativeTo: base), progress: progress)
    }

    static func upload(
        _ file: URL, by request: TransferRequest, to url: URL, progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> TransportResponse {
        try await perform(
            CurlRequest(
                url: url.absoluteString, body: .file(path: file.path, type: "application/octet-stream"),
                to: .memory(maximumBytes: CurlRequest.fileAnswerBytes), secondsWithoutBytes: request.timeout,
                onProgress: progress))
    }

    static func download(
        to file: URL, by request: TransferRequest, from url: URL,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> TransportResponse {
        try await perform(
            CurlRequest(
                url: url.absoluteString, to: .file(path: file.path, maximumBytes: request.maximumBytes),
                secondsWithoutBytes: request.timeout, onProgress: progress))
    }

    private static func perform(_ request: CurlRequest) async throws -> TransportResponse {
        do {
            let answer = try await CurlClient.shared.send(request)
            return TransportResponse(status: answer.status, headers: answer.headers, body: answer.body)
        } catch let error as CurlError {
            throw translate(error)
        }
    }

    private static func translate(_ error: CurlError) -> any Error {
        switch error.kind {
        case .cancelled: TransportError.cancelled(cause: error)
        case .noNetwork: TransportError.offline("There is no network.", cause: error)
        case .unknownHost:
            TransportError.unreachable("The host of the record service is not known.", cause: error)
        case .cannotConnect:
            TransportError.unreachable("The record service cannot be connected to.", cause: error)
        case .insecure:
            TransportError.unreachable("No secure connection to the service could be made.", cause: error)
        case .badURL:
            TransportError.misconfigured("The address of the service cannot be used.", cause: error)
        case .timedOut: TransportError.timedOut("The record service did not answer in time.", cause: error)
        case .file, .tooLong: error
        case .connectionLost:
            TransportError.connectionLost("The connection to the record service broke.", cause: error)
        }
    }
}

/// The former name of ``HTTPTransport``.
@available(*, deprecated, renamed: "HTTPTransport")
public typealias URLSessionTransport = HTTPTransport
