import Hummingbird
import ServiceLifecycle

/// Answers with Server-Sent Events.
enum EventStream {
    /// An answer that goes on until the stream ends, the reader leaves or the program is asked to stop.
    ///
    /// - Throws: a status of 503 where there is no stream because too many read.
    static func response(
        to request: Request, _ stream: AsyncStream<ServerSentEvent>?
    ) async throws -> Response {
        guard let stream else { throw HTTPError(.serviceUnavailable, message: "Too many windows are open.") }
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                let output = writer
                // A window that is closed sends nothing more: that ends the loop, not the next write.
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    var writer = output
                    // After how many milliseconds a browser that lost the connection tries again.
                    try await writer.write(ByteBuffer(string: "retry: 1000\n\n"))
                    for await event in stream.cancelOnGracefulShutdown() {
                        try await writer.write(event.bytes)
                    }
                    try await writer.finish(nil)
                }
            })
    }
}
