import HTTPTypes
import HummingbirdCore
import NIOCore
public import RecordEngine
import RecordModel
public import RecordServer

/// Where links to what is shared lead: `/share/LINK`, which sends the browser on to the page of the link's container.
///
/// The page is below the container's sign-in page, where the browser shows who is signed in. A link that leads nowhere is sent to a
/// page as well, so that nobody learns from the answer whether it leads somewhere.
public struct ShareSite: Site {
    public let name = "share"
    public let prefix = "/share"
    public let allowsOtherOrigins = false
    private let service: RecordService

    /// Makes the addresses of a service's links.
    public init(service: RecordService) { self.service = service }

    /// A link is a right: it is in no log.
    public func loggedPath(of path: Substring) -> Substring? { nil }

    public func answer(_ request: SiteRequest) async -> SiteAnswer {
        do {
            let method = request.request.method
            guard method == .get || method == .head else {
                throw ServiceError(.badRequest, "The address of a link takes GET.")
            }
            let link = request.path.dropFirst()
            guard LinkPages.isLink(link),
                let tenant = try await service.tenant(
                    ofLink: String(link), openedAt: request.clientNetwork)
            else { throw ServiceError(.notFound, "There is no page at this address.") }
            let headers: HTTPFields = [
                .location: "/sign-in/\(tenant.container)/\(tenant.environment.rawValue)/share/\(link)",
                .cacheControl: "no-store", .referrerPolicy: "no-referrer", .contentTypeOptions: "nosniff",
            ]
            return SiteAnswer(Response(status: .seeOther, headers: headers))
        } catch {
            let failure = ServiceError(describing: error)
            var answer = SiteAnswer(error, requestID: request.requestID)
            answer.response.headers[.contentType] = "text/plain; charset=utf-8"
            answer.response.headers[.cacheControl] = "no-store"
            answer.response.headers[.contentTypeOptions] = "nosniff"
            let text = [failure.reason, failure.remedy].compactMap { $0 }.joined(separator: "\n") + "\n"
            answer.response.body = ResponseBody(byteBuffer: ByteBuffer(string: text))
            answer.response.headers[.contentLength] = nil
            return answer
        }
    }
}
