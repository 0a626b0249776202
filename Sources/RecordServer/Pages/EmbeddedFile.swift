import HTTPTypes
import NIOCore

/// A file that is part of the program, as browsers fetch it.
struct EmbeddedFile: Sendable {
    /// What the protocol's addresses take and answer.
    static let protocolDescription = EmbeddedFile(
        contentType: "application/json; charset=utf-8", bytes: PackageResources.openapi_json)
    /// CloudKit's names for web pages, as a module.
    static let cloudKitModule = EmbeddedFile(
        contentType: "text/javascript; charset=utf-8", bytes: CloudKitScript.module)
    /// The same as a plain script.
    static let cloudKitScript = EmbeddedFile(
        contentType: "text/javascript; charset=utf-8", bytes: CloudKitScript.classic)
    /// Their types, for editors.
    static let cloudKitTypes = EmbeddedFile(
        contentType: "application/typescript; charset=utf-8", bytes: PackageResources.cloudkit_d_ts)

    /// How long a browser may use its copy without asking: an upgraded server reaches every page within it.
    private static let freshSeconds = 600

    let contentType: String
    let body: ByteBuffer
    let entityTag: EntityTag

    init(contentType: String, bytes: [UInt8]) {
        self.contentType = contentType
        body = ByteBuffer(bytes: bytes)
        entityTag = EntityTag(content: bytes)
    }

    /// The file, or 304 for a browser whose copy is this one.
    func reply(ifNoneMatch: String?) -> Reply {
        var reply =
            entityTag.isKnown(ifNoneMatch)
            ? Reply(status: 304, contentType: nil, body: ByteBuffer())
            : Reply(status: 200, contentType: contentType, body: body)
        reply.isShared = true
        reply.headers[.eTag] = entityTag.text
        reply.headers[.cacheControl] = "public, max-age=\(Self.freshSeconds)"
        reply.headers[.xContentTypeOptions] = "nosniff"
        return reply
    }
}
