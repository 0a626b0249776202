public import Foundation

/// Sends requests over HTTP and TLS.
///
/// Connections are kept and shared by all requests of the process. Nothing is cached, no cookies are kept. Files are
/// moved in memory that does not grow with them.
public struct HTTPTransport: Transport {
    /// The most bytes of an answer that are taken into memory. Answers of Stratus are shorter; another service's that
    /// is longer is given up.
    static let maximumAnswerBytes = 256 * 1_048_576

    /// The most bytes that are kept of an answer to a file that was sent, or in place of one.
    static let maximumFileAnswerBytes = 1_048_576

    let base: String

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
        return try await Self.exchange(
            Exchange(
                url: url, body: request.body.map { .bytes($0, type: request.contentType) } ?? .none,
                target: nil,
                maximumBytes: Int64(Self.maximumAnswerBytes), timeout: request.timeout,
                allowsCellularAccess: request.allowsCellularAccess))
    }

    /// Posts a file; see ``Transport/upload(_:by:progress:)``.
    ///
    /// - Throws: ``TransportError`` where no answer came, or why the file cannot be read.
    public func upload(
        _ file: URL, by request: TransferRequest, progress: @escaping @Sendable (_ sent: Int64) -> Void
    ) async throws -> TransportResponse {
        try await Self.upload(file, by: request, to: request.url(relativeTo: base), progress: progress)
    }

    /// Gets a file; see ``Transport/download(to:by:progress:)``.
    ///
    /// - Throws: ``TransportError`` where no answer came, or why the file cannot be written.
    public func download(
        to file: URL, by request: TransferRequest, progress: @escaping @Sendable (_ received: Int64) -> Void
    ) async throws -> TransportResponse {
        try await Self.download(
            to: file, by: request, from: request.url(relativeTo: base), progress: progress)
    }

    static func upload(
        _ file: URL, by request: TransferRequest, to url: URL, progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> TransportResponse {
        try await exchange(
            Exchange(
                url: url, body: .file(file), target: nil, maximumBytes: Int64(maximumFileAnswerBytes),
                timeout: request.timeout, allowsCellularAccess: request.allowsCellularAccess,
                progress: progress))
    }

    static func download(
        to file: URL, by request: TransferRequest, from url: URL,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> TransportResponse {
        try await exchange(
            Exchange(
                url: url, body: .none, target: file, maximumBytes: request.maximumBytes,
                timeout: request.timeout, allowsCellularAccess: request.allowsCellularAccess,
                progress: progress))
    }

    /// A request with what becomes of its answer, for the library that moves it.
    struct Exchange: Sendable {
        /// What goes out; a request with a body is a POST.
        enum Body: Sendable {
            case none
            case bytes([UInt8], type: String)
            case file(URL)
        }

        let url: URL
        let body: Body
        /// The new file for the body of an answer that says success; nil for memory.
        let target: URL?
        /// The most bytes of that body.
        let maximumBytes: Int64
        /// The longest time in seconds in which no byte moves.
        let timeout: Double
        let allowsCellularAccess: Bool
        /// Takes the bytes of a file that were moved so far.
        var progress: (@Sendable (Int64) -> Void)?
    }
}

/// The former name of ``HTTPTransport``.
@available(*, deprecated, renamed: "HTTPTransport")
public typealias URLSessionTransport = HTTPTransport
