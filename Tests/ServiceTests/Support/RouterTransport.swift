import CloudKit
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOEmbedded

@testable import RecordServer

/// Hands requests to the server's responder without a socket: routes, headers and limits are tested, the
/// network is not.
struct RouterTransport: Transport {
    let responder: ServiceResponder

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let head = HTTPRequest(
            method: HTTPRequest.Method(request.method) ?? .post, scheme: "http", authority: "localhost",
            path: request.pathAndQuery,
            headerFields: [.contentLength: String(request.body?.count ?? 0)])
        let body = RequestBody(buffer: ByteBuffer(bytes: request.body ?? []))
        let response = try await responder.respond(
            to: Request(head: head, body: body), context: ConnectionContext(channel: EmbeddedChannel()))
        let collector = BodyCollector()
        try await response.body.write(collector)
        var headers: [String: String] = [:]
        for field in response.headers { headers[field.name.canonicalName] = field.value }
        return TransportResponse(status: response.status.code, headers: headers, body: collector.bytes)
    }

    func upload(
        _ file: URL, by request: TransferRequest, progress: @escaping @Sendable (_ sent: Int64) -> Void
    ) async throws -> TransportResponse {
        let bytes = Array(try Data(contentsOf: file))
        let answer = try await send(TransportRequest(path: path(of: request.address), body: bytes))
        progress(Int64(bytes.count))
        return answer
    }

    func download(
        to file: URL, by request: TransferRequest, progress: @escaping @Sendable (_ received: Int64) -> Void
    ) async throws -> TransportResponse {
        let answer = try await send(TransportRequest(path: path(of: request.address)))
        guard answer.status == 200 else { return answer }
        try Data(answer.body).write(to: file)
        progress(Int64(answer.body.count))
        return TransportResponse(status: answer.status, headers: answer.headers)
    }

    private func path(of address: String) -> String { URLComponents(string: address)?.path ?? address }
}

/// Takes in what a response writes.
private final class BodyCollector: ResponseBodyWriter {
    private(set) var bytes: [UInt8] = []

    func write(_ buffer: ByteBuffer) async throws { bytes += Array(buffer.readableBytesView) }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

extension ServiceFixture {
    var routerTransport: RouterTransport { routerTransport(publicURL: nil) }

    func routerTransport(publicURL: String?) -> RouterTransport {
        RouterTransport(
            responder: ServiceResponder(
                service: service, state: ServerState(store: store, version: "test"), log: requestLog,
                sites: sites,
                address: PublicAddress(publicURL: publicURL)))
    }
}
