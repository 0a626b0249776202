import HTTPTypes
import HummingbirdCore
import NIOCore
import RecordEngine

/// A folder of files for browsers: read only, and nothing outside of it.
///
/// A folder is answered by its `index.html`. Names with a dot in front, symbolic links below the folder and
/// everything that is not an ordinary file do not exist for clients; the folder itself may be a link, so that a new
/// version can take its place at once. Browsers keep files and ask whether they have changed.
public struct StaticSite: Site {
    public let name: String
    public let prefix: String
    public let allowsOtherOrigins = false
    private let folder: String
    private let policy: String

    /// What pages may load: what is served beside them, and pictures that they made themselves.
    public static let contentSecurityPolicy =
        "default-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; object-src 'none'; "
        + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

    /// Creates the site; the folder is looked at with each request.
    ///
    /// - Parameters:
    ///   - name: what the log calls it.
    ///   - prefix: the beginning of its addresses; empty for all that nothing else answers.
    ///   - folder: the path of the folder.
    ///   - contentSecurityPolicy: what its pages may load.
    public init(
        name: String = "site", prefix: String, folder: String,
        contentSecurityPolicy: String = StaticSite.contentSecurityPolicy
    ) {
        self.name = name
        self.prefix = prefix
        self.folder = folder
        policy = contentSecurityPolicy
    }

    public func answer(_ request: SiteRequest) async -> SiteAnswer {
        guard [.get, .head].contains(request.request.method) else {
            var fields = commonFields
            fields[.allow] = "GET, HEAD"
            return page(.methodNotAllowed, "This address can only be read.", fields)
        }
        guard !request.path.isEmpty else { return redirect(request) }
        guard let path = StaticPath(request.path) else { return notFound }
        do {
            let folder = folder
            guard let file = try await FileThreads.run({ try StaticFile.open(path, in: folder) }) else {
                return notFound
            }
            guard !file.isFolder else {
                return request.path.last == "/" ? notFound : redirect(request)
            }
            return answer(of: file, named: path.fileName, ifNoneMatch: request.request.headers[.ifNoneMatch])
        } catch {
            var answer = page(.internalServerError, "The file cannot be read.", commonFields)
            answer.trace.error = error
            return answer
        }
    }

    private func answer(of file: StaticFile, named name: String, ifNoneMatch: String?) -> SiteAnswer {
        var fields = commonFields
        fields[.eTag] = file.entityTag.text
        // Browsers keep the file, and ask each time whether it is still the same.
        fields[.cacheControl] = "no-cache"
        if file.entityTag.isKnown(ifNoneMatch) {
            return SiteAnswer(Response(status: .notModified, headers: fields))
        }
        fields[.contentType] = MediaType.of(name)
        fields[.contentLength] = String(file.size)
        return SiteAnswer(Response(status: .ok, headers: fields, body: file.body))
    }

    /// To the same address with a `/` at the end, from which a folder's pages find their files.
    private func redirect(_ request: SiteRequest) -> SiteAnswer {
        var fields = commonFields
        let query = request.query.isEmpty ? "" : "?" + request.query
        fields[.location] = "\(prefix)\(request.path)/\(query)"
        return page(.movedPermanently, "The folder's address ends in '/'.", fields)
    }

    private var notFound: SiteAnswer { page(.notFound, "There is nothing at this address.", commonFields) }

    private func page(
        _ status: HTTPResponse.Status, _ sentence: String, _ fields: HTTPFields
    ) -> SiteAnswer {
        var fields = fields
        fields[.contentType] = "text/html; charset=utf-8"
        let text = """
            <!doctype html><html lang="en"><meta charset="utf-8">\
            <meta name="viewport" content="width=device-width"><title>\(status.code)</title>\
            <h1>\(status.code) \(status.reasonPhrase)</h1><p>\(sentence)</p></html>

            """
        return SiteAnswer(
            Response(
                status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(string: text))))
    }

    private var commonFields: HTTPFields {
        var fields = HTTPFields()
        fields[.contentSecurityPolicy] = policy
        fields[.xContentTypeOptions] = "nosniff"
        fields[ResponseHeaders.referrerPolicy] = "no-referrer"
        return fields
    }
}
