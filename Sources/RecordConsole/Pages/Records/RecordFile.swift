import HTTPTypes
import HummingbirdCore
import RecordEngine
import RecordModel
import RecordServer
import RecordWire

/// Putting a file into a field of a record: the browser's own upload of a form, taken in as it comes.
enum RecordFile {
    static let routes: [Route] = [
        .post("/c/:container/:environment/record-file", readsBody: true, upload)
    ]

    @Sendable private static func upload(_ context: ConsoleContext) async throws -> SiteAnswer {
        let scope = try RecordsScope(context)
        let name = context.query["name"] ?? ""
        let field = context.query["field"] ?? ""
        let record = try await RecordPages.lookup(name, scope)
        let asset = try await receive(name, record["recordType"]?.string ?? "", field, scope)
        var input = RecordInput(
            recordName: name, recordType: nil, recordChangeTag: context.query["tag"] ?? "")
        input.fields = [(field, WireField(value: .object(asset), type: "ASSETID"))]
        try await RecordPages.modify(RecordOperation(.update, input), scope)
        try await scope.audit("record.save", "\(name).\(field)")
        return context.redirect(to: scope.path(scope.address.recordPath(name)), saying: "The file is there.")
    }

    /// Takes in the file that the request carries.
    ///
    /// - Returns: the value for the field, with the receipt of the upload.
    private static func receive(
        _ name: String, _ type: String, _ field: String, _ scope: RecordsScope
    ) async throws -> JSONObject {
        // A name that no client could have chosen needs none here: the file is found by its receipt.
        let wish = AssetsUploadRequest(
            tokens: [.init(recordType: type, fieldName: field)], zoneID: scope.address.zoneID)
        let tokens = try await scope.ask(.assetsUpload, wish).json["tokens"]?.array
        guard let address = tokens?.first?.object?["url"]?.string,
            let token = address.split(separator: AssetPath.upload + "/", maxSplits: 1).last
        else { throw ServiceError(.internalError, "The service gave no address to upload to.") }
        let request = scope.context.request.request
        let headers = request.headers
        let json = try await scope.context.console.service.upload(
            request.body, token: token, contentType: headers[.contentType],
            length: headers[.contentLength].flatMap(Int64.init))
        guard let file = try JSONReader.read(json).object?["singleFile"]?.object else {
            throw ServiceError(.internalError, "The file was not taken in.")
        }
        guard file["size"]?.int != 0 else {
            throw ServiceError(.badRequest, "No file was chosen.", remedy: "Choose one and send it again.")
        }
        return file
    }
}
