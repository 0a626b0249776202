import HTTPTypes
import NIOCore

/// A file that is part of the program, as browsers fetch it.
struct EmbeddedFile: Sendable {
    /// What the protocol's addresses take and answer.
    static let protocolDescription = EmbeddedFile(
        contentType: "application/json; charset=utf-8", bytes: PackageResources.openapi_json)
    /// CloudKit's names for web pages: two sources, one module.
    static let cloudKitModule = EmbeddedFile(
        contentType: "text/javascript; charset=utf-8",
        bytes: PackageResources.cloudkit_core_js + PackageResources.cloudkit_databases_js)
    /// Their types, for editors.
    static let cloudKitTypes = EmbeddedFile(
        contentType: "application/typescript; charset=utf-8", bytes: PackageResources.cloudkit_d_ts)

    /// How long a browser may use its copy without asking: an upgraded server reaches every page within it.
    private static let freshSeconds = 600

    let contentType: String
    let body: ByteBuffer
    let entityTag: String

    init(contentType: String, bytes: [UInt8]) {
        self.contentType = contentType
        body = ByteBuffer(bytes: bytes)
        // FNV-1a: it tells two versions apart, and guards nothing.
        let digest = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        entityTag = "\"\(String(digest, radix: 36))\""
    }

    /// The file, or 304 for a browser whose copy is this one.
    func reply(ifNoneMatch: String?) -> Reply {
        var reply =
            isKnown(ifNoneMatch)
            ? Reply(status: 304, contentType: nil, body: ByteBuffer())
            : Reply(status: 200, contentType: contentType, body: body)
        reply.headers[.eTag] = entityTag
        reply.headers[.cacheControl] = "public, max-age=\(Self.freshSeconds)"
        reply.headers[.xContentTypeOptions] = "nosniff"
        return reply
    }

    /// A proxy that compresses marks the tag as weak; for GET that counts as the same (RFC 9110, 13.1.2).
    private func isKnown(_ ifNoneMatch: String?) -> Bool {
        guard let ifNoneMatch else { return false }
        return ifNoneMatch.split(separator: ",").contains { part in
            let tag = part.drop { $0 == " " }.prefix { $0 != " " }
            return tag == "*" || tag == entityTag || tag == "W/" + entityTag
        }
    }
}
