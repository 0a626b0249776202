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
    var sites: [any Site] = []
    var start: (any Site)?
    var publicURL: String?

    func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        let start = ContinuousClock.now
        var entry = RequestLog.Entry(
            id: RequestID.next(), method: request.method.rawValue, time: LogTime.milliseconds)
        entry.userAgent = request.headers[.userAgent].map { String($0.prefix(Limits.userAgentCharacters)) }
        let target = RequestTarget(request.head.path ?? "/")
        let invitation = BodyInvitation(request, context.channel)
        var response: Response
        if let (site, rest) = site(of: target.path, request),
            request.method != .options || !site.allowsOtherOrigins
        {
            response = await answer(
                of: site,
                SiteRequest(
                    request, path: rest, query: target.query, requestID: entry.id,
                    baseURL: baseURL(of: request), deadlines: state.deadlines, channel: context.channel,
                    invitation: invitation),
                &entry)
        } else {
            response = await answer(to: request, target, context, invitation, &entry)
        }
        if invitation.isAwaited {
            // The client was refused before it sent the body, and may or may not send it now: nobody could tell
            // where its next request begins.
            response.close(context.channel)
        }
        entry.duration = ContinuousClock.now - start
        log.write(entry)
        state.history.record(entry)
        state.metrics.record(entry)
        return response
    }

    private func site(of path: Substring, _ request: Request) -> (any Site, Substring)? {
        if path == "/", let start, request.headers[.accept]?.contains("text/html") == true {
            return (start, path)
        }
        for site in sites {
            guard let rest = site.rest(of: path) else { continue }
            if site.prefix.isEmpty, Self.isOwn(path) { return nil }
            return (site, rest)
        }
        return nil
    }

    /// Whether an address stays the server's where a site has all others.
    private static func isOwn(_ path: Substring) -> Bool {
        path.hasPrefix("/database/") || OperatorPages.addresses.contains { $0 == path }
    }

    /// The address by which the client knows the server: the one that was set, or the one it asked.
    private func baseURL(of request: Request) -> String {
        publicURL ?? "http://\(request.head.authority ?? "localhost")"
    }

    private func answer(
        of site: any Site, _ request: SiteRequest, _ entry: inout RequestLog.Entry
    ) async -> Response {
        entry.route = site.name
        entry.isOfClients = !site.isForOperators
        entry.path = site.loggedPath(of: request.path).map { String($0.prefix(200)) }
        let answer = await site.answer(request)
        var response = answer.response
        response.headers[ResponseHeaders.requestUUID] = request.requestID
        entry.trace = answer.trace
        entry.status = response.status.code
        entry.bytesIn = answer.bytesIn
        if request.request.method == .head {
            // The header with the length stays.
            let length = response.headers[.contentLength]
            response.body = ResponseBody()
            response.headers[.contentLength] = length
        } else {
            response.body = response.body.paced(by: request.channel)
        }
        entry.bytesOut = response.body.contentLength ?? 0
        return response
    }

    private func answer(
        to request: Request, _ target: RequestTarget, _ context: ConnectionContext,
        _ invitation: BodyInvitation, _ entry: inout RequestLog.Entry
    ) async -> Response {
        let reply = await reply(to: request, target, context, invitation, &entry)
        entry.status = reply.status
        entry.bytesOut = reply.body.readableBytes
        return Response(
            status: HTTPResponse.Status(code: reply.status),
            headers: ResponseHeaders.fields(for: reply, requestID: entry.id),
            body: request.method == .head ? ResponseBody() : ResponseBody(byteBuffer: reply.body))
    }

    private func reply(
        to request: Request, _ target: RequestTarget, _ context: ConnectionContext,
        _ invitation: BodyInvitation, _ entry: inout RequestLog.Entry
    ) async -> Reply {
        if request.method == .options { return Reply(status: 204, contentType: nil, body: ByteBuffer()) }
        do {
            guard let (endpoint, tenant, scope) = try target.call() else {
                entry.route = "page"
                entry.path = String(target.path.prefix(200))
                return try OperatorPages(state: state).reply(
                    to: target.path, method: request.method, ifNoneMatch: request.headers[.ifNoneMatch])
            }
            entry.route = endpoint.rawValue
            entry.isOfClients = true
            entry.tenant = tenant
            entry.scope = scope
            guard request.method == .post || request.method == .get && endpoint.allowsGET else {
                throw ServiceError(
                    .badRequest, "'\(endpoint.rawValue)' does not accept \(request.method.rawValue).",
                    remedy: "Use POST.")
            }
            let body = try await body(of: request, context, invitation)
            entry.bytesIn = body.count
            var credentials = target.credentials
            credentials.isSigned = ResponseHeaders.signature.contains { request.headers[$0] != nil }
            let answer = await service.answer(
                ServiceCall(
                    endpoint: endpoint, tenant: tenant, scope: scope, credentials: credentials,
                    body: body,
                    requestID: entry.id, baseURL: baseURL(of: request)))
            entry.trace = answer.trace
            return Reply(status: answer.status, json: answer.body)
        } catch {
            let failure = ServiceError(describing: error)
            entry.trace.code = failure.code
            entry.trace.error = failure
            return Reply(failure, requestID: entry.id)
        }
    }

    /// The whole body, within its limits of size and time.
    private func body(
        of request: Request, _ context: ConnectionContext, _ invitation: BodyInvitation
    ) async throws -> [UInt8] {
        if let length = request.headers[.contentLength].flatMap(Int.init) {
            if length == 0 { return [] }
            guard length <= Limits.requestBodyBytes else {
                if !invitation.isAwaited { await discard(request.body, context) }
                throw Self.tooLarge
            }
        } else if request.headers[.transferEncoding] == nil {
            return []
        }
        do {
            return try await IncomingBytes.whole(
                request.body, upTo: Limits.requestBodyBytes, state.deadlines, context.channel, invitation)
        } catch is NIOTooManyBytesError {
            throw Self.tooLarge
        }
    }

    /// Takes some of a body that is refused: a client that still sends when the connection closes never reads why.
    private func discard(_ body: RequestBody, _ context: ConnectionContext) async {
        let watch = StallWatch(state.deadlines, context.channel, total: state.deadlines.limits.request)
        defer { watch.end() }
        var rest = 2 * Limits.requestBodyBytes
        do {
            for try await part in body {
                watch.goOn()
                rest -= part.readableBytes
                if rest <= 0 { return }
            }
        } catch {
            // The client is gone, so nobody could be answered.
        }
    }

    private static let tooLarge = ServiceError(
        .quotaExceeded, "The request is larger than \(Limits.requestBodyBytes) bytes.",
        remedy: "Send fewer records at once; GET /limits says how large a request may be.")
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
