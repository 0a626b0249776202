import HTTPTypes
import HummingbirdCore
import NIOCore
import RecordEngine
import RecordModel
import RecordServer
import RecordWire

/// Files for fields of records: they are taken in as they come, and a record that is saved with their receipts has
/// them from then on. A form that is refused keeps the receipts, so that no file is sent twice.
enum RecordFile {
    static let routes: [Route] = [
        .post("/c/:container/:environment/record-file", body: .stream, upload)
    ]

    /// A script sends one file before it sends the form, and puts the answer's `value` into it.
    @Sendable private static func upload(_ context: ConsoleContext) async throws -> SiteAnswer {
        let scope = try RecordsScope(context)
        let headers = context.request.request.headers
        let body = context.request.incomingBytes()
        defer { body.end() }
        do {
            let asset = try await take(
                body, type: context.query["type"] ?? "", field: context.query["field"] ?? "",
                length: headers[.contentLength].flatMap(Int64.init), scope)
            return context.json(
                JSONWriter.text { writer in
                    writer.beginObject()
                    writer.key("value")
                    writer.value(.object(asset))
                    writer.endObject()
                })
        } catch {
            // Whoever goes on sending sees the answer first.
            return context.request.last(context.failure(error))
        }
    }

    /// Takes in the files of a form that is sent without scripts: `file.x` becomes `sent.x`.
    ///
    /// - Returns: the context with the form, and why a file could not be taken in.
    static func readForm(_ scope: RecordsScope) async throws -> (
        context: ConsoleContext, refusal: (any Error)?
    ) {
        try await scope.context.readingForm { part, bytes, form in
            let isNew = part.name == newFileName
            let field = isNew ? form["new.name"] ?? "" : String(part.name.dropFirst(filePrefix.count))
            guard isNew || part.name.hasPrefix(filePrefix) else {
                throw ServiceError(.badRequest, "The form does not take a file '\(part.name.prefix(64))'.")
            }
            do {
                let type = form["recordType"] ?? scope.address.type ?? ""
                let asset = try await take(
                    bytes, type: type.trimming { $0.isWhitespace }, field: field, length: nil, scope)
                let sent = SentFile(name: part.fileName ?? "", asset: asset)
                return (isNew ? newSentName : sentPrefix + field, sent.text)
            } catch let error as ServiceError {
                throw RecordFormError(field: field, message: error.reason, remedy: error.remedy)
            } catch let error as ErrorDictionary {
                throw RecordFormError(
                    field: field, message: error.reason ?? error.serverErrorCode, remedy: error.remedy)
            }
        }
    }

    /// What the choosers of files are called, and the receipts of files that were sent.
    static let filePrefix = "file."
    static let sentPrefix = "sent."
    static let newFileName = "new.file"
    static let newSentName = "new.sent"

    /// Takes in a file.
    ///
    /// - Returns: the value for the field, with the receipt of the upload.
    private static func take<Bytes: AsyncSequence>(
        _ bytes: Bytes, type: String, field: String, length: Int64?, _ scope: RecordsScope
    ) async throws -> JSONObject where Bytes.Element == ByteBuffer {
        // A name that no client could have chosen needs none here: the file is found by its receipt.
        let wish = AssetsUploadRequest(
            tokens: [.init(recordType: type, fieldName: field)], zoneID: scope.address.zoneID)
        let tokens = try await scope.ask(.assetsUpload, wish).json["tokens"]?.array
        guard let address = tokens?.first?.object?["url"]?.string,
            let token = address.split(separator: AssetPath.upload + "/", maxSplits: 1).last
        else { throw ServiceError(.internalError, "The service gave no address to upload to.") }
        let json = try await scope.context.console.service.upload(bytes, token: token, length: length)
        guard let file = try JSONReader.read(json).object?["singleFile"]?.object else {
            throw ServiceError(.internalError, "The file could not be stored.")
        }
        return file
    }
}
