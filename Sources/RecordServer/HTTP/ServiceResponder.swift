import HTTPTypes
import Hummingbird
import NIOCore
import RecordEngine
import RecordModel
import RecordWire

/// What a request needs besides itself: the connection, for its deadline.
struct ConnectionContext: InitializableFromSource, Sendable {
    let channel: any Channel

    init(source: ApplicationRequestContextSource) { channel = source.channel }

    init(channel: any Channel) { self.channel = channel }
}

/// Answers every request: the protocol's by the ``RecordService``, the operator's pages by itself.
struct ServiceResponder: HTTPResponder {
    typealias Context = ConnectionContext

    let service: RecordService
    let state: ServerState
    let log: RequestLog

    func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        let start = ContinuousClock.now
        let requestID = RequestID.make()
        var entry = RequestLog.Entry(id: requestID, method: request.method.rawValue)
        let reply = await reply(to: request, context, requestID, &entry)
        entry.status = reply.status
        entry.bytesOut = reply.body.readableBytes
        entry.duration = ContinuousClock.now - start
        log.write(entry)
        state.metrics.record(entry)
        return Response(
            status: HTTPResponse.Status(code: reply.status),
            headers: ResponseHeaders.fields(for: reply, requestID: requestID),
            body: request.method == .head ? ResponseBody() : ResponseBody(byteBuffer: reply.body))
    }

    private func reply(
        to request: Request, _ context: ConnectionContext, _ requestID: String,
        _ entry: inout RequestLog.Entry
    ) async -> Reply {
        if request.method == .options { return Reply(status: 204, contentType: nil, body: ByteBuffer()) }
        let target = RequestTarget(request.head.path ?? "/")
        do {
            guard let (endpoint, tenant, scope) = try target.call() else {
                entry.route = "page"
                entry.path = String(target.path.prefix(200))
                return try OperatorPages(state: state).reply(
                    to: target.path, method: request.method, ifNoneMatch: request.headers[.ifNoneMatch])
            }
            entry.route = endpoint.rawValue
            entry.tenant = tenant
            entry.scope = scope
            guard request.method == .post || request.method == .get && endpoint.allowsGET else {
                throw ServiceError(
                    .badRequest, "'\(endpoint.rawValue)' does not take \(request.method.rawValue).",
                    remedy: "Use POST.")
            }
            let body = try await body(of: request, context)
            entry.bytesIn = body.count
            let answer = await service.answer(
                ServiceCall(
                    endpoint: endpoint, tenant: tenant, scope: scope, credentials: target.credentials,
                    body: body,
                    requestID: requestID))
            entry.trace = answer.trace
            return Reply(status: answer.status, json: answer.body)
        } catch {
            let failure = ServiceError(describing: error)
            entry.trace.code = failure.code
            entry.trace.error = failure
            return Reply(failure, requestID: requestID)
        }
    }

    /// The whole body, within its limits of size and time.
    private func body(of request: Request, _ context: ConnectionContext) async throws -> [UInt8] {
        if let length = request.headers[.contentLength].flatMap(Int.init) {
            if length == 0 { return [] }
            guard length <= Limits.requestBodyBytes else { throw Self.tooLarge }
        } else if request.headers[.transferEncoding] == nil {
            return []
        }
        let deadline = state.deadlines.begin(context.channel)
        defer { state.deadlines.end(deadline) }
        do {
            let buffer = try await request.body.collect(upTo: Limits.requestBodyBytes)
            return Array(buffer.readableBytesView)
        } catch is NIOTooManyBytesError {
            throw Self.tooLarge
        }
    }

    private static let tooLarge = ServiceError(
        .quotaExceeded, "The request is larger than \(Limits.requestBodyBytes) bytes.",
        remedy: "Send fewer records at once; GET /limits tells how large a request may be.")
}

/// An answer that is ready to be sent.
struct Reply {
    var status: Int
    var contentType: String?
    var body: ByteBuffer
    /// What only this answer carries.
    var headers = HTTPFields()

    init(status: Int, contentType: String?, body: ByteBuffer) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    init(status: Int, json: [UInt8]) {
        self.init(
            status: status, contentType: "application/json; charset=utf-8", body: ByteBuffer(bytes: json))
    }

    /// The error dictionary of a request that failed before the service saw it.
    init(_ error: ServiceError, requestID: String) {
        self.init(status: error.httpStatus, json: error.json(uuid: requestID))
    }
}
