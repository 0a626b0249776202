import HTTPTypes
import HummingbirdCore
import NIOCore
public import RecordEngine
import RecordModel

/// Takes the files that clients upload, at the addresses that `assets/upload` gave.
public struct AssetUploadSite: Site {
    public let name = "assets/upload/file"
    public let prefix = AssetPath.upload
    public let allowsOtherOrigins = true

    private let service: RecordService

    /// Serves the files of a service.
    public init(service: RecordService) { self.service = service }

    public func loggedPath(of path: Substring) -> Substring? { nil }

    public func answer(_ request: SiteRequest) async -> SiteAnswer {
        // Not read from before the address and the length were looked at.
        let body = request.incomingBytes()
        defer { body.end() }
        var answer: SiteAnswer
        do {
            let reply = Reply(status: 200, json: try await upload(body, request))
            answer = SiteAnswer(
                Response(
                    status: .ok, headers: ResponseHeaders.fields(for: reply, requestID: request.requestID),
                    body: ResponseBody(byteBuffer: reply.body)))
        } catch {
            answer = SiteAnswer(error, requestID: request.requestID)
            if request.hasBody, !body.isAtEnd { answer = request.last(answer) }
        }
        answer.bytesIn = body.count
        return answer
    }

    private func upload(_ body: IncomingBytes, _ request: SiteRequest) async throws -> [UInt8] {
        guard [.post, .put].contains(request.request.method) else {
            throw ServiceError(
                .badRequest, "An upload address does not accept \(request.request.method.rawValue).",
                remedy: "POST the file's bytes.")
        }
        let headers = request.request.headers
        return try await service.upload(
            body, token: request.path, contentType: headers[.contentType],
            length: headers[.contentLength].flatMap(Int64.init))
    }
}
