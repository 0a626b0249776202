import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1
import RecordEngine
import RecordModel
import RecordWire

extension ServiceResponder {
    /// Answers what may go on for long by itself, and hands on everything else.
    ///
    /// A connection's task keeps the stack that it needed once for as long as it is open. What Hummingbird's application
    /// does for a request, and what it takes to begin the answer, would be 10 KiB more for each.
    func answering(handingOn others: @escaping HTTP1Channel.Responder) -> HTTP1Channel.Responder {
        { request, writer, channel in
            guard Self.mayStayOpen(request) else { return try await others(request, writer, channel) }
            do {
                let (body, bodyWriter) = try await begun(request, writer, channel)
                try await body.write(bodyWriter)
            } catch is HTTPParserError {
                // The answer has begun, so the connection ends without another one.
                throw ChannelError.outputClosed
            }
        }
    }

    /// Whether a request may be for an answer that goes on for long.
    private static func mayStayOpen(_ request: Request) -> Bool {
        request.method == .get && request.head.path?.contains("/records/live") == true
    }

    /// Begins an answer in a task that goes with its stack, and sends its head, which nobody keeps.
    @inline(never)
    private func begun(
        _ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel
    ) async throws -> (ResponseBody, any ResponseBodyWriter) {
        let task = Task {
            var response = await answer(to: request, ConnectionContext(channel: channel))
            response.headers[.date] = HTTPDate.now()
            return response
        }
        let response = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return (response.body, try await writer.writeHead(response.head))
    }

    /// Answers `records/live` and `records/live/count` with Server-Sent Events.
    func liveAnswer(_ passage: inout RequestPassage) async throws -> Response {
        guard let call = passage.call else { throw Self.unprepared }
        let live = try await service.openLive(
            call,
            after: passage.request.headers[.lastEventID] ?? passage.target.member("lastEventID"),
            from: passage.client.map { "\($0)" } ?? "")
        passage.isSignatureValid = true
        passage.entry.status = 200
        return stream(live, passage.entry.id)
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
