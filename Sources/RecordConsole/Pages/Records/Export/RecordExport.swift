import HTTPTypes
import HummingbirdCore
import NIOCore
import RecordEngine
import RecordImport
import RecordModel
import RecordServer
import RecordWire

/// The records of a query as a file, sent page by page as they are read.
enum RecordExport {
    static let routes: [Route] = [.get("/c/:container/:environment/records-export", export)]

    /// The formats of files.
    enum Format: String, CaseIterable {
        case csv, jsonl

        var contentType: String {
            self == .csv ? "text/csv; charset=utf-8" : "application/jsonl; charset=utf-8"
        }
    }

    @Sendable private static func export(_ context: ConsoleContext) async throws -> SiteAnswer {
        let scope = try RecordsScope(context)
        let type = try scope.requiredType()
        guard let format = Format(rawValue: context.query["format"] ?? "") else {
            throw ServiceError(.badRequest, "The format must be csv or jsonl.")
        }
        var request = try scope.address.with { $0.page = .first }.request(for: type)
        request.resultsLimit = Limits.recordsPerAnswer
        try await scope.auditLook()
        try await scope.audit("records.export", type.name)
        // What is wrong with the query is reported before the file begins.
        let first = try await scope.ask(.recordsQuery, request).json
        var headers = ConsoleContext.pageHeaders
        headers[.contentType] = format.contentType
        headers[.contentDisposition] = "attachment; filename=\"\(type.name).\(format.rawValue)\""
        let pages = Pages(scope: scope, request: request, type: type, format: format)
        return SiteAnswer(
            Response(
                status: .ok, headers: headers,
                body: ResponseBody { writer in
                    var page = first
                    try await writer.write(ByteBuffer(bytes: pages.heading))
                    while true {
                        try await writer.write(ByteBuffer(bytes: pages.bytes(of: page)))
                        guard let marker = page["continuationMarker"]?.string else { break }
                        page = try await pages.page(after: marker)
                    }
                    try await writer.finish(nil)
                }))
    }

    /// FairQueue the answers of a query into the lines of a file.
    private struct Pages: Sendable {
        let scope: RecordsScope
        let request: RecordsQueryRequest
        let type: RecordType
        let format: Format

        func page(after marker: String) async throws -> JSONObject {
            var request = request
            request.continuationMarker = marker
            return try await scope.ask(.recordsQuery, request).json
        }

        var heading: [UInt8] {
            guard format == .csv else { return [] }
            return CSVCell.row(["recordName"] + type.fields.map(\.name))
        }

        func bytes(of page: JSONObject) -> [UInt8] {
            var bytes: [UInt8] = []
            for case .object(let record) in page["records"]?.array ?? [] {
                switch format {
                case .csv:
                    let fields = record["fields"]?.object
                    bytes += CSVCell.row(
                        [CSVCell.guarded(record["recordName"]?.string ?? "")]
                            + type.fields.map { Self.text(of: fields?[$0.name]?.object) })
                case .jsonl:
                    bytes += JSONWriter.text { $0.value(.object(record)) }
                    bytes.append(UInt8(ascii: "\n"))
                }
            }
            return bytes
        }

        /// A field of an answer as the text of a cell; empty for no value.
        private static func text(of field: JSONObject?) -> String {
            guard let field, let wire = try? WireField(json: field),
                let value = try? FieldValue.decode(wire, expected: nil, allowsEncrypted: true)
            else { return "" }
            return CSVCell.text(value)
        }
    }
}
