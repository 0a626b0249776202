import HTTPTypes
import HummingbirdCore
import NIOCore
public import RecordEngine
import RecordModel
import RecordStorage
import RecordWire

/// Gives the files of assets to clients: whole, in ranges, or only their headers.
public struct AssetDownloadSite: Site {
    public let name = "assets/get"
    public let prefix = AssetPath.download
    public let allowsOtherOrigins = true

    private let service: RecordService

    /// Serves the files of a service.
    public init(service: RecordService) { self.service = service }

    public func loggedPath(of path: Substring) -> Substring? { nil }

    public func answer(_ request: SiteRequest) async -> SiteAnswer {
        do {
            guard [.get, .head].contains(request.request.method) else {
                throw ServiceError(
                    .badRequest, "The address of a file does not accept \(request.request.method.rawValue).",
                    remedy: "GET it.")
            }
            return SiteAnswer(answer(request, try await service.download(request.path)))
        } catch {
            return SiteAnswer(error, requestID: request.requestID)
        }
    }

    private func answer(_ request: SiteRequest, _ file: AssetDownload) -> Response {
        let asked = request.request.headers
        let kind = ContentKind(head: file.reader.head)
        let tag = EntityTag(Base64.encodeURL(file.digest.bytes))
        var headers = HTTPFields()
        headers[.eTag] = tag.text
        headers[.acceptRanges] = "bytes"
        headers[.cacheControl] = Self.caching(file.remaining)
        headers[.accessControlAllowOrigin] = "*"
        headers[.accessControlExposeHeaders] = AssetHeaders.exposed
        headers[AssetHeaders.resourcePolicy] = "cross-origin"
        if tag.isKnown(asked[.ifNoneMatch]) {
            return Response(status: .notModified, headers: headers)
        }
        headers[.contentType] = kind.type
        headers[.contentDisposition] = AssetHeaders.disposition(file.fileName, isShown: kind.isShown)
        headers[.xContentTypeOptions] = "nosniff"
        // Nothing that somebody uploaded may run as a page of this server's.
        headers[.contentSecurityPolicy] = kind.policy
        let range = tag.allowsRange(asked[.ifRange]) ? asked[.range] : nil
        switch ByteRange(range, size: file.reader.size) {
        case .whole:
            return Response(
                status: .ok, headers: headers, body: body(of: file, 0..<file.reader.size, request))
        case .part(let part):
            headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(file.reader.size)"
            return Response(status: .partialContent, headers: headers, body: body(of: file, part, request))
        case .unsatisfiable:
            headers[.contentRange] = "bytes */\(file.reader.size)"
            headers[.contentDisposition] = nil
            headers[.cacheControl] = "no-store"
            let error = ServiceError(
                .badRequest, "The file has \(file.reader.size) bytes; the range is beyond them.")
            headers[.contentType] = "application/json; charset=utf-8"
            return Response(
                status: .rangeNotSatisfiable, headers: headers,
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: error.json(uuid: request.requestID))))
        }
    }

    private func body(of file: AssetDownload, _ range: Range<Int64>, _ request: SiteRequest) -> ResponseBody {
        guard request.request.method != .head, !range.isEmpty else {
            return ResponseBody(contentLength: range.count) { try await $0.finish(nil) }
        }
        let reader = file.reader
        let pieces = request.pieces
        return ResponseBody(contentLength: range.count) { writer in
            var place = range.lowerBound
            while place < range.upperBound {
                // Until the connection has taken it.
                let length = pieces.begin()
                defer { pieces.end(length) }
                let count = Int(min(Int64(length), range.upperBound - place))
                let piece = try await reader.read(at: place, count: count)
                // A file never changes; one that is shorter than it was is damaged, and the client has to see it.
                guard piece.readableBytes == count else {
                    throw StorageError.engine("The file \(file.digest) is shorter than it was.")
                }
                try await writer.write(piece)
                place += Int64(count)
            }
            try await writer.finish(nil)
        }
    }

    /// Files never change, so whoever has one may keep it; those of private databases only for their reader, and
    /// no longer than the address is good.
    private static func caching(_ remaining: Int64?) -> String {
        guard let remaining else { return "public, max-age=31536000, immutable" }
        return "private, max-age=\(max(0, remaining / 1_000)), immutable"
    }
}
