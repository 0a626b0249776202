import RecordEngine
import RecordModel
import RecordWire

/// The query of a page as code, to paste into an app or a shell.
struct QuerySnippets {
    let request: RecordsQueryRequest
    let address: RecordsAddress
    let type: RecordType
    let tenant: Tenant
    let baseURL: String

    /// What the template shows: a title and a text each.
    var all: [Snippet] {
        Snippet.all([("Swift", swift), ("JavaScript", javaScript), ("curl", curl)])
    }

    // MARK: JavaScript and curl: the protocol's own JSON

    /// The request of the first page, without what only this console asks for.
    private var plainRequest: RecordsQueryRequest {
        var plain = RecordsQueryRequest(query: request.query)
        if let zone = request.zoneID, !zone.isDefault { plain.zoneID = zone }
        plain.resultsLimit = request.resultsLimit
        return plain
    }

    var curl: String {
        let path = Endpoint.recordsQuery.path(
            container: tenant.container.rawValue, environment: tenant.environment, scope: address.scope)
        let user = address.owner == nil ? "" : "&ckWebAuthToken=$WEB_AUTH_TOKEN"
        return """
            curl -sS "\(baseURL)\(path)?ckAPIToken=$API_TOKEN\(user)" \\
              -H 'Content-Type: application/json' \\
              --data-binary \(ShellWord.inQuotes(String(decoding: plainRequest.encoded(), as: UTF8.self)))
            """
    }

    var javaScript: String {
        let query = Self.pretty(plainRequest.encoded(), member: "query")
        var options: [String] = []
        if let zone = plainRequest.zoneID {
            options.append("zoneID: { zoneName: \(Self.jsonLiteral(zone.zoneName)) }")
        }
        if let limit = plainRequest.resultsLimit { options.append("resultsLimit: \(limit)") }
        let user = address.owner == nil ? "" : ", ckWebAuthToken: \"WEB_AUTH_TOKEN\""
        return """
            import { CloudKit } from \(Self.jsonLiteral(baseURL + "/cloudkit.js"));

            CloudKit.configure({
              containers: [{
                containerIdentifier: \(Self.jsonLiteral(tenant.container.rawValue)),
                apiTokenAuth: { apiToken: "API_TOKEN"\(user) },
                environment: \(Self.jsonLiteral(tenant.environment.rawValue)),
              }],
            });
            const database = CloudKit.getDefaultContainer().\(address.scope.rawValue)CloudDatabase;
            const response = await database.performQuery(\(query), { \(options.joined(separator: ", ")) });
            if (response.hasErrors) throw response.errors[0];
            console.log(response.records);
            """
    }

    /// A text as a literal of JSON, which JavaScript reads as well.
    static func jsonLiteral(_ text: String) -> String {
        scriptSafe(String(decoding: JSONWriter.text { $0.string(text) }, as: UTF8.self))
    }

    /// JSON that may also be inside a `<script>` element.
    private static func scriptSafe(_ json: String) -> String { json.replacing("</", with: "<\\/") }

    /// One member of an object, indented.
    private static func pretty(_ json: [UInt8], member: String) -> String {
        guard let value = try? JSONReader.read(json).object?[member] else { return "{}" }
        return scriptSafe(value.indented())
    }
}

extension JSONValue {
    /// The value as text on several lines, as people write it.
    func indented(_ depth: Int = 0) -> String {
        let inner = String(repeating: "  ", count: depth + 1)
        let outer = String(repeating: "  ", count: depth)
        switch self {
        case .object(let object) where !object.members.isEmpty:
            let lines = object.members.map { member in
                let key = String(decoding: JSONWriter.text { $0.string(member.key) }, as: UTF8.self)
                return "\(inner)\(key): \(member.value.indented(depth + 1))"
            }
            return "{\n\(lines.joined(separator: ",\n"))\n\(outer)}"
        case .array(let elements) where elements.contains { $0.object != nil || $0.array != nil }:
            return "[\n\(elements.map { inner + $0.indented(depth + 1) }.joined(separator: ",\n"))\n\(outer)]"
        default: return String(decoding: JSONWriter.text { $0.value(self) }, as: UTF8.self)
        }
    }
}
