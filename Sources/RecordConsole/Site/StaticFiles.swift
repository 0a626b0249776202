import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import RecordModel
import RecordServer

/// The scripts and styles of the pages.
enum StaticFiles {
    /// Every file: its name, type and bytes.
    static let files: [(name: String, type: String, bytes: [UInt8])] = [
        ("console.css", css, PackageResources.console_css),
        ("console.js", javaScript, PackageResources.console_js),
        ("records.css", css, PackageResources.records_css),
        ("records.js", javaScript, PackageResources.records_js),
        ("predicate.js", javaScript, PackageResources.predicate_js),
        ("record.js", javaScript, PackageResources.record_js),
        ("records-delete.js", javaScript, PackageResources.records_delete_js),
        ("records-import.js", javaScript, PackageResources.records_import_js),
        ("requests.js", javaScript, PackageResources.requests_js),
        ("stratus.svg", "image/svg+xml", PackageResources.stratus_svg),
    ]

    private static let css = "text/css; charset=utf-8"
    private static let javaScript = "text/javascript; charset=utf-8"

    static let routes: [Route] = [.get("/static/:name", access: .nobody, file)]

    private static let tags: [String: EntityTag] = Dictionary(
        uniqueKeysWithValues: files.map { ($0.name, EntityTag(content: $0.bytes)) })

    /// The bytes as they are sent: all answers share them.
    private static let bodies: [String: ByteBuffer] = Dictionary(
        uniqueKeysWithValues: files.map { ($0.name, ByteBuffer(bytes: $0.bytes)) })

    @Sendable private static func file(_ context: ConsoleContext) async throws -> SiteAnswer {
        let name = context.parameters["name"] ?? ""
        guard let file = files.first(where: { $0.name == name }), let tag = tags[name],
            let body = bodies[name]
        else {
            throw ServiceError(.notFound, "There is no such file.")
        }
        var headers = ConsoleContext.pageHeaders
        headers[.contentType] = file.type
        headers[.cacheControl] = "no-cache"
        headers[.eTag] = tag.text
        #if DEBUG
        if let folder = ConsoleSources.folder,
            let data = FileManager.default.contents(atPath: "\(folder)/Static/\(name)")
        {
            headers[.eTag] = nil
            let source = ResponseBody(byteBuffer: ByteBuffer(bytes: data))
            return SiteAnswer(Response(status: .ok, headers: headers, body: source))
        }
        #endif
        if tag.isKnown(context.request.request.headers[.ifNoneMatch]) {
            return SiteAnswer(Response(status: .notModified, headers: headers))
        }
        return SiteAnswer(Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body)))
    }
}
