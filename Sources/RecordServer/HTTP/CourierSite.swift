import HTTPTypes
import HummingbirdCore
import NIOCore
import RecordEngine
import RecordModel

/// The addresses that web couriers poll: each answer is one notification.
///
/// An address is the right to a user's notifications, so it is in no log line. A poll that ends without one answers 204,
/// and the client polls again, as it does when a connection breaks.
struct CourierSite: Site {
    let service: RecordService

    var name: String { "courier" }
    var prefix: String { RecordService.courierPrefix }
    var allowsOtherOrigins: Bool { true }

    func loggedPath(of path: Substring) -> Substring? { nil }

    func answer(_ request: SiteRequest) async -> SiteAnswer {
        do {
            guard request.request.method == .get else {
                throw ServiceError(.badRequest, "Notifications are waited for with GET.")
            }
            let target = RequestTarget("?\(request.query)")
            let token = String(request.path.dropFirst())
            guard
                let notification = try await service.nextNotification(
                    ofReceiver: token, after: target.member("after"))
            else { return SiteAnswer(Response(status: .noContent, headers: Self.headers(nil, request))) }
            return SiteAnswer(
                Response(
                    status: .ok,
                    headers: Self.headers("application/json; charset=utf-8", request),
                    body: ResponseBody(contentLength: notification.json.count) { writer in
                        try await writer.write(ByteBuffer(bytes: notification.json))
                        try await writer.finish(nil)
                        // One whose connection broke is told again.
                        service.noteDelivered(notification)
                    }))
        } catch {
            return SiteAnswer(error, requestID: request.requestID)
        }
    }

    private static func headers(_ type: String?, _ request: SiteRequest) -> HTTPFields {
        var reply = Reply(status: 200, contentType: type, body: ByteBuffer())
        reply.headers[.cacheControl] = "no-store"
        return ResponseHeaders.fields(for: reply, requestID: request.requestID)
    }
}
