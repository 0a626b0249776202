import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import RecordModel
import RecordServer

extension RequestPages {
    /// How often an idle stream says something, so that nothing in between takes it for dead.
    private static let secondsBetweenBeats = 15
    /// How long a stream lasts; the browser then begins another one, for which it has to be signed in still.
    private static let beatsOfAStream = 20
    /// The most rows that the page holds while it follows; what came before these is not sent.
    private static let rowsOfAPage = 300

    /// New requests as Server-Sent Events, each with its row of the list.
    ///
    /// What came since the request of `after`, or of the browser's `Last-Event-ID`, is sent first.
    @Sendable static func live(_ context: ConsoleContext) async throws -> SiteAnswer {
        let form = RequestForm(context.query)
        let history = context.console.history
        let seen = context.request.request.headers[.lastEventID] ?? form.values["after"]
        // The tail begins before the page is read, so that no request falls between them.
        let tail = try history.tail(form.filter)
        let missed = seen.flatMap(UInt64.init).map { seen in
            history.page(form.filter, limit: rowsOfAPage).requests.prefix { $0.sequence > seen }
        }
        let templates = context.console.templates
        // The body is written when the request's task is over.
        let path = PublicPath.current
        var headers = ConsoleContext.pageHeaders
        headers[.contentType] = "text/event-stream"
        // A proxy that collects answers would hold the events back.
        headers[.accelBuffering] = "no"
        let body = ResponseBody { writer in
            try await writer.write(ByteBuffer(string: "retry: 2000\n\n"))
            var last: UInt64 = 0
            for request in (missed ?? []).reversed() {
                try await writer.write(event(request, dropped: 0, templates, at: path))
                last = request.sequence
            }
            try await withThrowingTaskGroup { group in
                group.addTask { try await beat(tail) }
                for await element in tail {
                    guard let request = element.request else {
                        try await writer.write(ByteBuffer(string: ": still here\n\n"))
                        continue
                    }
                    guard request.sequence > last else { continue }
                    try await writer.write(event(request, dropped: element.dropped, templates, at: path))
                }
                group.cancelAll()
            }
            try await writer.finish(nil)
        }
        return SiteAnswer(Response(status: .ok, headers: headers, body: body))
    }

    /// Has a tail say that it is still there, and ends it after a while.
    private static func beat(_ tail: RequestTail) async throws {
        for _ in 0..<beatsOfAStream {
            try await Task.sleep(for: .seconds(secondsBetweenBeats))
            tail.beat()
        }
        tail.end()
    }

    private static func event(
        _ request: KeptRequest, dropped: Int, _ templates: Templates, at path: String
    ) -> ByteBuffer {
        let row = PublicPath.$current.withValue(path) {
            PublicPath.placed(templates.render(RequestModels.row(request)))
        }
        var text = ""
        if dropped > 0 { text += "event: dropped\ndata: \(dropped)\n\n" }
        text += "id: \(request.sequence)\n"
        for line in row.split(whereSeparator: \.isNewline) { text += "data: \(line)\n" }
        return ByteBuffer(string: text + "\n")
    }
}

extension HTTPField.Name {
    fileprivate static let lastEventID = constant("Last-Event-ID")
    fileprivate static let accelBuffering = constant("X-Accel-Buffering")
}
