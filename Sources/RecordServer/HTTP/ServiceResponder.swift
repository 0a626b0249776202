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
    /// Whether connections are encrypted.
    var isSecure = false

    /// How long browsers are not to ask over plain HTTP again (RFC 6797, 6.1.1): a year, as usual. A proxy that ends TLS, as an
    /// https address says, passes it on; browsers take no notice of it over plain HTTP.
    private static let strictTransport = "max-age=31536000"

    func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        await answer(to: request, context)
    }

    func answer(to request: Request, _ context: ConnectionContext) async -> Response {
        let start = ContinuousClock.now
        var entry = RequestLog.Entry(
            id: RequestID.next(), method: request.method.rawValue, time: LogTime.milliseconds)
        entry.userAgent = request.headers[.userAgent].map { String($0.prefix(Limits.userAgentCharacters)) }
        guard request.head.authority != nil else { return refuseHost(of: request, &entry, context) }
        let target = RequestTarget(request.head.path ?? "/")
        let invitation = BodyInvitation(request, context.channel)
        let client = state.proxies.client(of: request, over: context.channel)
        var standing: RateStanding?
        var response: Response
        var isRefused = false
        if let refusal = await refusal(of: request, target, from: client, &standing, &entry) {
            response = refusal
            isRefused = Self.hasLargeBody(request)
        } else if let (site, rest) = site(of: target.path, request),
            request.method != .options || !site.allowsOtherOrigins
        {
            response = await answer(
                of: site,
                SiteRequest(
                    request, path: rest, query: target.query, requestID: entry.id,
                    baseURL: baseURL(of: request),
                    client: client,
                    intake: BodyIntake(request, state, context.channel, invitation), pieces: state.pieces),
                &entry)
        } else if let live = await liveAnswer(to: request, target, from: client, &standing, &entry) {
            response = live
        } else {
            response = await answer(to: request, target, context, invitation, from: client, &standing, &entry)
            // Who still sends a large body is told at once, and the rest of it is not waited for.
            isRefused = entry.status >= 400 && entry.bytesIn == 0 && Self.hasLargeBody(request)
        }
        ResponseHeaders.add(standing, to: &response.headers)
        if isSecure || publicURL?.hasPrefix("https://") == true {
            response.headers[.strictTransportSecurity] = Self.strictTransport
        }
        if invitation.isAwaited || isRefused {
            // The client was refused before it sent the body, and may or may not send it now: nobody could tell
            // where its next request begins.
            response.close(context.channel)
        }
        if Task.isCancelled, entry.status >= 500 { entry.status = Self.clientLeft }
        entry.duration = ContinuousClock.now - start
        record(entry)
        return response
    }

    private func record(_ entry: RequestLog.Entry) {
        log.write(entry)
        state.history.record(entry)
        state.metrics.record(entry)
    }

    /// The answer to a request that does not say, or not clearly, which server it means: the last of its connection.
    private func refuseHost(
        of request: Request, _ entry: inout RequestLog.Entry, _ context: ConnectionContext
    ) -> Response {
        let error = ServiceError(
            .badRequest, "The request needs one Host header with the name of the server.",
            remedy: "Send 'Host: name' or 'Host: name:port', once.")
        var response = failure(error, of: request, &entry)
        record(entry)
        response.close(context.channel)
        return response
    }

    private func site(of path: Substring, _ request: Request) -> (any Site, Substring)? {
        // Most requests are the protocol's, and no site lies there.
        if path.utf8.starts(with: Self.protocolPrefix.utf8) { return nil }
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

    /// Where the protocol's addresses begin; a site that has all others does not have these.
    private static let protocolPrefix = "/database/"

    /// Whether an address outside the protocol stays the server's where a site has all others.
    private static func isOwn(_ path: Substring) -> Bool {
        OperatorPages.addresses.contains { $0 == path }
    }

    /// The address by which the client knows the server: the one that was set, or the one it asked.
    func baseURL(of request: Request) -> String {
        publicURL ?? (isSecure ? "https" : "http") + "://\(request.head.authority ?? "localhost")"
    }

    private func answer(
        of site: any Site, _ request: SiteRequest, _ entry: inout RequestLog.Entry
    ) async -> Response {
        entry.route = site.name
        entry.isOfClients = !site.isForOperators
        entry.path = site.loggedPath(of: request.path).map { String($0.prefix(200)) }
        let publicPath = PublicPath.of(publicURL)
        let answer = await PublicPath.$current.withValue(publicPath) { await site.answer(request) }
        var response = answer.response
        PublicPath.place(publicPath, in: &response.headers)
        response.headers[ResponseHeaders.requestUUID] = request.requestID
        entry.trace = answer.trace
        entry.status = response.status.code
        entry.bytesIn = answer.bytesIn
        entry.isLook = answer.isLook
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
        _ invitation: BodyInvitation, from client: ClientAddress?, _ standing: inout RateStanding?,
        _ entry: inout RequestLog.Entry
    ) async -> Response {
        let reply = await reply(to: request, target, context, invitation, from: client, &standing, &entry)
        // From here on the body counts.
        defer { reply.room?.end() }
        return response(reply, to: request, &entry) {
            reply.isShared
                ? OutgoingAnswers.shared(reply.body, to: context.channel)
                : state.answers.body(reply.body, to: context.channel, of: reply.party)
        }
    }

    /// The answer to a request that came to nothing, where it is short and known at once; the log is told why.
    func failure(_ error: any Error, of request: Request, _ entry: inout RequestLog.Entry) -> Response {
        let reply = failed(error, &entry)
        return response(reply, to: request, &entry) { ResponseBody(byteBuffer: reply.body) }
    }

    private func failed(_ error: any Error, _ entry: inout RequestLog.Entry) -> Reply {
        let failure = ServiceError(describing: error)
        entry.trace.code = failure.code
        entry.trace.error = failure
        return Reply(failure, requestID: entry.id)
    }

    private func response(
        _ reply: Reply, to request: Request, _ entry: inout RequestLog.Entry, body: () -> ResponseBody
    ) -> Response {
        entry.status = reply.status
        entry.bytesOut = reply.body.readableBytes
        return Response(
            status: HTTPResponse.Status(code: reply.status),
            headers: ResponseHeaders.fields(for: reply, requestID: entry.id),
            body: request.method == .head ? ResponseBody() : body())
    }

    private func reply(
        to request: Request, _ target: RequestTarget, _ context: ConnectionContext,
        _ invitation: BodyInvitation, from client: ClientAddress?, _ standing: inout RateStanding?,
        _ entry: inout RequestLog.Entry
    ) async -> Reply {
        if request.method == .options { return Reply(status: 204, contentType: nil, body: ByteBuffer()) }
        do {
            guard let (endpoint, tenant, scope) = try target.call() else {
                entry.route = "page"
                entry.path = String(target.path.prefix(200))
                return try await page(at: target.path, request, from: client)
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
            var credentials = target.credentials
            credentials.signature = ResponseHeaders.signature(of: request)
            var call = ServiceCall(
                endpoint: endpoint, tenant: tenant, scope: scope, credentials: credentials, body: [],
                requestID: entry.id, baseURL: baseURL(of: request))
            call.wantsSyncToken = target.isSet("getCurrentSyncToken")
            // Nobody's body is taken who is not let in.
            let admission = try await service.admit(call)
            try await count(call, of: admission.caller, &standing)
            if case .anonymous = admission.caller { call.client = client?.text }
            let parties = parties(of: call, admission, from: client)
            let taker = parties.taker
            let (answer, room) = try await state.shares.with(parties.first, runner: parties.runner) {
                let intake = BodyIntake(request, state, context.channel, invitation)
                let collected = try await body(of: request, intake)
                // It counts until the request is answered.
                defer { withExtendedLifetime(collected) {} }
                call.body = collected.bytes
                entry.bytesIn = call.body.count
                guard let later = parties.later else {
                    return try await work(on: call, admission, for: taker)
                }
                return try await state.shares.with([later], runner: parties.runner) {
                    try await work(on: call, admission, for: taker)
                }
            }
            entry.trace = answer.trace
            if answer.trace.user != nil { countSigned(call, &standing) }
            var reply = Reply(status: answer.status, json: answer.body)
            if let token = admission.nextWebAuthToken { reply.headers[ResponseHeaders.webAuthToken] = token }
            reply.party = taker
            reply.room = room
            return reply
        } catch {
            return failed(error, &entry)
        }
    }

    /// A page of the server's own. One that is made for the request, and large, asks for room as all answers do.
    private func page(
        at path: Substring, _ request: Request, from client: ClientAddress?
    ) async throws -> Reply {
        var reply = try OperatorPages(state: state).reply(
            to: path, method: request.method, ifNoneMatch: request.headers[.ifNoneMatch])
        if !reply.isShared, reply.body.readableBytes > OutgoingAnswers.smallBytes {
            reply.party = client.map { .network($0.network) }
            try await state.answers.waitForRoom(for: reply.party)
        }
        return reply
    }

    /// The whole body, within its limits of size and time.
    private func body(of request: Request, _ intake: BodyIntake) async throws -> CollectedBody {
        if let length = intake.length {
            if length == 0 { return .empty }
            guard length <= Limits.requestBodyBytes else {
                throw ServiceError.tooLarge(Limits.requestBodyBytes)
            }
        } else if request.headers[.transferEncoding] == nil {
            return .empty
        }
        return try await intake.whole(request.body, upTo: Limits.requestBodyBytes)
    }

    /// Who has shares in a request.
    private func parties(
        of call: ServiceCall, _ admission: Admission, from client: ClientAddress?
    ) -> RequestParties {
        var user: RequestShares.Party?
        if case .user(let name) = admission.caller { user = .user(call.tenant, name) }
        return RequestParties(user: user, token: call.credentials.apiToken, from: client)
    }

    /// The service's answer; large requests come in only so many at a time, since reading one takes a multiple of it.
    private func work(
        on call: ServiceCall, _ admission: Admission, for party: RequestShares.Party?
    ) async throws -> (ServiceAnswer, OutgoingAnswers.Making) {
        let weight = call.body.count > Self.smallBodyBytes ? call.body.count : 0
        if weight > 0 { try await state.work.enter(room: weight, taking: weight, of: party) }
        defer { if weight > 0 { state.work.give(weight) } }
        try await state.answers.waitForRoom(for: party)
        // Room may be gone when the store gets to the request, so it is asked for again there, and taken.
        let room = state.answers.making(for: party)
        let answer = await RequestRoom.$current.withValue(RequestRoom(room)) {
            await service.answer(call, admitted: admission)
        }
        state.memory.note(call.body.count + answer.body.count)
        return (answer, room)
    }

    /// What the log says of requests whose client did not wait for the answer, as other servers do.
    private static let clientLeft = 499

    /// What is read and thrown away without another thought, so that a client keeps its connection.
    private static let smallBodyBytes = 65_536

    /// Whether more follows the head than is worth reading only to throw it away.
    private static func hasLargeBody(_ request: Request) -> Bool {
        if let length = request.contentLength { return length > smallBodyBytes }
        return request.headers[.transferEncoding] != nil
    }
}
