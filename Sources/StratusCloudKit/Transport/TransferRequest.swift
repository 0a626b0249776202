public import Foundation

/// A file to send to, or to get from, an address that the service gave.
///
/// The address is all that is needed: no token of the app or of the user goes with it.
public struct TransferRequest: Sendable, Hashable {
    /// The address: a whole one, or a path of the service's.
    public var address: String
    /// The longest time in seconds in which no byte moves.
    public var timeout: Double
    /// Whether the request may use an expensive network.
    public var allowsCellularAccess: Bool
    /// The most bytes to take; a download that continues after them is given up.
    public var maximumBytes: Int64

    /// Makes a request.
    public init(
        address: String, timeout: Double = 60, allowsCellularAccess: Bool = true, maximumBytes: Int64 = .max
    ) {
        self.address = address
        self.timeout = timeout
        self.allowsCellularAccess = allowsCellularAccess
        self.maximumBytes = maximumBytes
    }

    /// The address as a URL; a path is one of the service at `base`.
    ///
    /// - Throws: ``TransportError`` where it is not one of HTTP.
    func url(relativeTo base: String?) throws -> URL {
        let text = address.hasPrefix("/") ? (base ?? "") + address : address
        guard let url = URL(string: text), url.host != nil,
            ["http", "https"].contains(url.scheme?.lowercased())
        else {
            throw TransportError.misconfigured("The service gave an address that cannot be used for a file.")
        }
        return url
    }
}

extension Transport {
    /// Posts a file over HTTP, whatever way requests go.
    ///
    /// - Throws: ``TransportError`` where no answer came, or the address cannot be used.
    public func upload(
        _ file: URL, by request: TransferRequest, progress: @escaping @Sendable (_ sent: Int64) -> Void
    ) async throws -> TransportResponse {
        try await HTTPTransport.upload(
            file, by: request, to: request.url(relativeTo: nil), progress: progress)
    }

    /// Gets a file over HTTP, whatever way requests go.
    ///
    /// - Throws: ``TransportError`` where no answer came, or the address cannot be used.
    public func download(
        to file: URL, by request: TransferRequest, progress: @escaping @Sendable (_ received: Int64) -> Void
    ) async throws -> TransportResponse {
        try await HTTPTransport.download(
            to: file, by: request, from: request.url(relativeTo: nil), progress: progress)
    }
}
