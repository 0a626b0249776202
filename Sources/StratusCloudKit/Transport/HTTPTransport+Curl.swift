#if canImport(CurlAccess)
internal import CurlAccess
internal import Foundation

extension HTTPTransport {
    /// - Throws: ``TransportError`` where no answer came, or why a file cannot be used.
    static func exchange(_ exchange: Exchange) async throws -> TransportResponse {
        let body: CurlRequest.Body =
            switch exchange.body {
            case .none: .none
            case .bytes(let bytes, let type): .bytes(bytes, type: type)
            case .file(let file): .file(path: file.path, type: "application/octet-stream")
            }
        let destination: CurlRequest.Destination =
            exchange.target.map { .file(path: $0.path, maximumBytes: exchange.maximumBytes) }
            ?? .memory(maximumBytes: Int(exchange.maximumBytes))
        do {
            let answer = try await CurlClient.shared.send(
                CurlRequest(
                    url: exchange.url.absoluteString, body: body, to: destination,
                    secondsWithoutBytes: exchange.timeout, onProgress: exchange.progress))
            return TransportResponse(status: answer.status, headers: answer.headers, body: answer.body)
        } catch let error as CurlError {
            throw translate(error)
        }
    }

    /// Sends a request whose answer is taken as it comes; see ``Transport/stream(_:take:)``.
    ///
    /// - Throws: ``TransportError``.
    public func stream(
        _ request: TransportRequest, take: @escaping @Sendable (_ bytes: [UInt8]) -> Void
    ) async throws -> TransportResponse {
        guard let url = URL(string: base + request.pathAndQuery), url.host != nil else {
            throw TransportError.misconfigured("'\(base)' is not the address of a record service.")
        }
        do {
            let answer = try await Self.streams.send(
                CurlRequest(
                    url: url.absoluteString, to: .stream(take), secondsWithoutBytes: request.timeout))
            return TransportResponse(status: answer.status, headers: answer.headers, body: answer.body)
        } catch let error as CurlError {
            throw Self.translate(error)
        }
    }

    /// Streams keep their connections, so other requests have connections of their own.
    private static let streams = CurlClient(connectionsPerHost: 256)

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
        case .file, .tooLong, .refusedAddress: error
        case .connectionLost:
            TransportError.connectionLost("The connection to the record service broke.", cause: error)
        }
    }
}
#endif
