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
        do {
            guard [.post, .put].contains(request.request.method) else {
                throw ServiceError(
                    .badRequest, "An upload address does not take \(request.request.method.rawValue).",
                    remedy: "POST the file's bytes.")
            }
            let headers = request.request.headers
            let length = headers[.contentLength].flatMap(Int64.init)
            if let length, length > Limits.assetBytes + Int(Limits.requestHeadBytes) * 4 {
                throw ServiceError(
                    .quotaExceeded, "The file is larger than \(Limits.assetBytes) bytes.",
                    remedy: "GET /limits tells how large a file may be.")
            }
            let body = request.incomingBytes(
                stallSeconds: Limits.assetStallSeconds, totalSeconds: Limits.uploadSeconds)
            defer { body.end() }
            let json = try await service.upload(
                body, token: request.path, contentType: headers[.contentType], length: length)
            let reply = Reply(status: 200, json: json)
            var answer = SiteAnswer(
                Response(
                    status: .ok, headers: ResponseHeaders.fields(for: reply, requestID: request.requestID),
                    body: ResponseBody(byteBuffer: reply.body)))
            answer.bytesIn = body.count
            return answer
        } catch {
            // What is left of the body is read for a moment, so that the client sees the answer.
            request.closeSoon()
            return SiteAnswer(error, requestID: request.requestID)
        }
    }
}
