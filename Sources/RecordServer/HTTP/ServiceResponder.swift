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

/// Answers every request that passes the ``RequestPolicies``: the protocol's by the ``RecordService``, those of sites by these, and
/// the operator's pages by itself.
struct ServiceResponder: HTTPResponder {
    typealias Context = ConnectionContext

    let service: RecordService
    let state: ServerState
    let address: PublicAddress
    private let policies: RequestPolicies

    init(
        service: RecordService, state: ServerState, log: RequestLog, sites: [any Site] = [],
        start: (any Site)? = nil, address: PublicAddress = PublicAddress()
    ) {
        self.service = service
        self.state = state
        self.address = address
        policies = RequestPolicies(
            service: service, state: state, log: log, sites: sites, start: start, address: address)
    }

    func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        await answer(to: request, context)
    }

    func answer(to request: Request, _ context: ConnectionContext) async -> Response {
        var passage = RequestPassage(request, context.channel, state.proxies)
        return await policies.pass(&passage, answer: answered, failure: failed)
    }

    /// The answer to a request that no policy refused.
    private func answered(_ passage: inout RequestPassage) async throws -> Response {
        switch passage.destination {
        case .site(let site, let path): return await answer(of: site, path, &passage)
        case .live: return try await liveAnswer(&passage)
        case .page: return response(try await page(passage.target.path, &passage), &passage)
        case .call: return response(try await reply(&passage), &passage)
        case .preflight:
            return response(Reply(status: 204, contentType: nil, body: ByteBuffer()), &passage)
        case nil: throw Self.unprepared
        }
    }

    /// The answer to a request that came to nothing; the log is told why.
    private func failed(_ error: any Error, _ passage: inout RequestPassage) -> Response {
        let failure = ServiceError(describing: error)
        passage.entry.trace.code = failure.code
        passage.entry.trace.error = failure
        return response(Reply(failure, requestID: passage.entry.id), &passage)
    }

    private func response(_ reply: Reply, _ passage: inout RequestPassage) -> Response {
        passage.entry.status = reply.status
        passage.entry.bytesOut = reply.body.readableBytes
        let body =
            if passage.request.method == .head {
                ResponseBody()
            } else if reply.isShared {
                OutgoingAnswers.shared(reply.body, to: passage.channel)
            } else {
                state.answers.body(reply.body, to: passage.channel, of: reply.party)
            }
        return Response(
            status: HTTPResponse.Status(code: reply.status),
            headers: ResponseHeaders.fields(for: reply, requestID: passage.entry.id), body: body)
    }

    /// The service's answer.
    private func reply(_ passage: inout RequestPassage) async throws -> Reply {
        guard var call = passage.call, let room = passage.room else { throw Self.unprepared }
        call.room = RequestRoom(room)
        let answer = await service.answer(call, admitted: passage.admission)
        state.memory.note(call.body.count + answer.body.count)
        passage.entry.trace = answer.trace
        passage.isSignatureValid = answer.trace.user != nil
        var reply = Reply(status: answer.status, json: answer.body)
        if let token = passage.admission?.nextWebAuthToken {
            reply.headers[ResponseHeaders.webAuthToken] = token
        }
        reply.party = passage.parties?.taker
        return reply
    }

    /// A page of the server's own. One that is made for the request, and large, asks for room as all answers do.
    private func page(_ path: Substring, _ passage: inout RequestPassage) async throws -> Reply {
        var reply = try OperatorPages(state: state).reply(
            to: path, method: passage.request.method, ifNoneMatch: passage.request.headers[.ifNoneMatch])
        if !reply.isShared, reply.body.readableBytes > OutgoingAnswers.smallBytes {
            reply.party = passage.client.map { .network($0.network) }
            try await state.answers.waitForRoom(for: reply.party)
        }
        return reply
    }

    /// A list of policies that lacks one.
    static let unprepared = ServiceError(
        .internalError, "The server is not set up to answer this request.",
        remedy: "Report it: a policy is missing that requests have to pass.")
}
