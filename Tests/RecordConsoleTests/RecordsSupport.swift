import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordStorageSQLite
import RecordWire
import Testing

extension ConsoleFixture {
    static let base = "/console/c/iCloud.test/development"

    /// Saves records as an operator does.
    func save(_ records: [(name: String, fields: [(String, FieldValue)])], type: String = "Note") async throws
    {
        for start in stride(from: 0, to: records.count, by: Limits.operationsPerRequest) {
            let part = records[start..<min(start + Limits.operationsPerRequest, records.count)]
            let request = RecordsModifyRequest(
                operations: part.map { record in
                    var input = RecordInput(recordName: record.name, recordType: type)
                    input.fields = record.fields.map { ($0.0, WireField($0.1)) }
                    return RecordOperation(.forceReplace, input)
                })
            let answer = try await ask(.recordsModify, request)
            for case .object(let item) in answer["records"]?.array ?? [] {
                if let error = ErrorDictionary(json: item) { throw error }
            }
        }
    }

    /// Asks the service as an operator.
    func ask(_ endpoint: Endpoint, _ request: some WireRequest, owner: String? = nil) async throws
        -> JSONObject
    {
        let answer = await service.answer(
            ServiceCall(
                endpoint: endpoint, tenant: try Self.tenant(), scope: owner == nil ? .public : .private,
                credentials: Credentials(apiToken: nil, webAuthToken: nil), body: request.encoded(),
                requestID: "test", administration: Administration(name: "tests", owner: owner)))
        return try #require(try JSONReader.read(answer.body).object)
    }

    /// The fields of a record as they are now; nil where it is not there.
    func fields(of name: String) async throws -> JSONObject? {
        let answer = try await ask(.recordsLookup, RecordsLookupRequest(records: [.init(recordName: name)]))
        return answer["records"]?.array?.first?.object?["fields"]?.object
    }

    /// What operators did, the newest first.
    func deeds() async throws -> [String] {
        try await store.read(.short) {
            try $0.audit(before: nil, limit: 50).map { "\($0.action) \($0.subject)" }
        }
    }
}

extension Browser.Page {
    /// The record names of the table's rows, in their order.
    var names: [String] {
        text.matches(of: /name="name" form="picked" value="([^"]*)"/).map { String($0.1) }
    }

    /// The address of a link by its text.
    func link(_ title: String) -> String? {
        let pattern =
            #"<a class="button"[^>]*href="([^"]*)">"# + NSRegularExpression.escapedPattern(for: title)
            + "</a>"
        guard let expression = try? NSRegularExpression(pattern: pattern),
            let match = expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)),
            let range = Range(match.range(at: 1), in: text)
        else { return nil }
        return text[range].replacingOccurrences(of: "&amp;", with: "&")
    }

    /// The value of a hidden input.
    func hidden(_ name: String) throws -> String? {
        let expression = try Regex(
            #"name="\#(NSRegularExpression.escapedPattern(for: name))" value="([^"]*)""#)
        return text.firstMatch(of: expression).flatMap { $0[1].substring.map { Self.unescaped(String($0)) } }
    }

    /// A text of the page without the entities of HTML.
    static func unescaped(_ text: String) -> String {
        [("&quot;", "\""), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")].reduce(text) {
            $0.replacingOccurrences(of: $1.0, with: $1.1)
        }
    }

    /// The hidden inputs by which a record's form says which version it was opened with.
    func opened() throws -> [String: String] {
        [
            "csrf": csrf, "tag": try hidden("tag") ?? "", "recordType": try hidden("recordType") ?? "",
            "opened": try hidden("opened") ?? "",
        ]
    }
}

extension Browser {
    /// Makes a text the schema of development as a person does: looks at what it would change, and agrees.
    func makeSchema(_ text: String, _ csrf: String) async throws {
        let page = ConsoleFixture.base + "/schema/text"
        let preview = try await post(page, ["csrf": csrf, "text": text])
        let plan = try #require(try preview.hidden("plan"))
        let made = try await post(page, ["csrf": csrf, "text": text, "apply": "1", "plan": plan])
        #expect(made.status == 303, "\(made.text)")
    }
}
