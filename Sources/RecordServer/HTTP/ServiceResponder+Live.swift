import HTTPTypes
import Hummingbird
import NIOCore
import RecordEngine
import RecordModel
import RecordWire

extension ServiceResponder {
    /// Whether a request may be for an answer that goes on for long.
    static func mayStayOpen(_ request: Request) -> Bool {
        request.method == .get && request.head.path?.contains("/records/live") == true
    }

    /// Begins an answer that goes on for long, in a task that goes with its stack: the connection's own keeps what it
    /// needed once for as long as it is open, which are 10 KiB more for each.
    func answerAside(_ request: Request, _ context: ConnectionContext) async -> Response {
        let task = Task { await answer(to: request, context) }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Answers `records/live` and `records/live/count` with Server-Sent Events; nil where the request is none.
    func liveAnswer(
        to request: Request, _ target: RequestTarget, from client: ClientAddress?,
        _ standing: inout RateStanding?, _ entry: inout RequestLog.Entry
    ) async -> Response? {
        guard request.method == .get,
            target.path.hasSuffix("/live") || target.path.hasSuffix("/live/count"),
            let (endpoint, tenant, scope) = try? target.call(),
            endpoint == .recordsLive || endpoint == .recordsLiveCount
        else { return nil }
        entry.route = endpoint.rawValue
        entry.isOfClients = true
        entry.tenant = tenant
        entry.scope = scope
        do {
            guard let query = target.member("query") else { throw JSONError.missing("query") }
            var credentials = target.credentials
            credentials.signature = ResponseHeaders.signature(of: request)
            let call = ServiceCall(
                endpoint: endpoint, tenant: tenant, scope: scope, credentials: credentials,
                body: Array(query.utf8), requestID: entry.id, baseURL: baseURL(of: request))
            try await count(call, of: service.admit(call).caller, &standing)
            let live = try await service.openLive(
                call, after: request.headers[.lastEventID] ?? target.member("lastEventID"),
                from: client.map { "\($0)" } ?? "")
            countSigned(call, &standing)
            entry.status = 200
            return stream(live, entry.id)
        } catch {
            return failure(error, of: request, &entry)
        }
    }

    private func stream(_ live: LiveQuery, _ requestID: String) -> Response {
        var reply = Reply(status: 200, contentType: "text/event-stream; charset=utf-8", body: ByteBuffer())
        reply.headers[.cacheControl] = "no-store"
        // A proxy that collects answers would hold the events back.
        reply.headers[.accelBuffering] = "no"
        return Response(
            status: .ok, headers: ResponseHeaders.fields(for: reply, requestID: requestID),
            body: ResponseBody { writer in
                try await writer.write(ByteBuffer(string: "retry: 1000\n\n"))
                try await live.run { events in
                    var buffer = ByteBuffer()
                    buffer.reserveCapacity(events.reduce(0) { $0 + $1.text.count })
                    for event in events { buffer.writeBytes(event.text) }
                    try await writer.write(buffer)
                }
                try await writer.finish(nil)
            })
    }
}

extension HTTPField.Name {
    static let lastEventID = constant("Last-Event-ID")
    static let accelBuffering = constant("X-Accel-Buffering")
}
