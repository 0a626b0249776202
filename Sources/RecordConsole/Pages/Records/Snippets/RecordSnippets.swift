import RecordEngine
import RecordModel
import RecordWire

/// One record as code: fetching it and saving it with a value of its own, to paste into an app or a shell.
struct RecordSnippets {
    let record: JSONObject
    let type: RecordType
    let address: RecordsAddress
    let tenant: Tenant
    let baseURL: String

    /// What the template shows: a title and a text each.
    var all: [Snippet] {
        Snippet.all([("Swift", swift), ("JavaScript", javaScript), ("curl", curl)])
    }

    private var name: String { record["recordName"]?.string ?? "" }
    private var zone: ZoneID? { address.zoneID.isDefault ? nil : address.zoneID }

    /// The field that the code sets: the first that has a value which is short to write.
    private var example: (name: String, value: JSONValue, scalar: FieldType.Scalar)? {
        for field in type.fields where !field.type.isList {
            guard let value = RecordMerge.value(record["fields"]?.object, field.name) else { continue }
            switch (field.type.scalar, value) {
            case (.string, .string(let text)) where text.utf8.count <= 200: break
            case (.int64, .int), (.double, .double), (.double, .int), (.timestamp, .int): break
            default: continue
            }
            return (field.name, value, field.type.scalar)
        }
        return nil
    }

    // MARK: Swift

    private var swift: String {
        let container = QuerySnippets.swiftLiteral(tenant.container.rawValue)
        var id = "recordName: \(QuerySnippets.swiftLiteral(name))"
        if let zone {
            id += ", zoneID: CKRecordZone.ID(zoneName: \(QuerySnippets.swiftLiteral(zone.zoneName)))"
        }
        var lines = [
            "import CloudKit", "import Foundation", "",
            "let database = CKContainer(identifier: \(container)).\(address.scope.rawValue)CloudDatabase",
            "let record = try await database.record(for: CKRecord.ID(\(id)))",
        ]
        if let example {
            lines.append("record[\(QuerySnippets.swiftLiteral(example.name))] = \(Self.literal(example))")
        }
        lines += ["let saved = try await database.save(record)", "print(saved.recordChangeTag ?? \"\")"]
        return lines.joined(separator: "\n")
    }

    private static func literal(
        _ field: (name: String, value: JSONValue, scalar: FieldType.Scalar)
    ) -> String {
        switch field.value {
        case .string(let text): QuerySnippets.swiftLiteral(text)
        case .int(let number):
            switch field.scalar {
            case .timestamp: "Date(timeIntervalSince1970: \(Double(number) / 1_000))"
            case .double: "Double(\(number))"
            default: "\(number)"
            }
        case .double(let number): "\(number)"
        default: "nil"
        }
    }

    // MARK: JavaScript and curl: the protocol's own JSON

    private var javaScript: String {
        let options =
            zone.map { ", { zoneID: { zoneName: \(QuerySnippets.jsonLiteral($0.zoneName)) } }" } ?? ""
        var lines = [
            "const fetched = await database.fetchRecords(\(QuerySnippets.jsonLiteral(name))\(options));",
            "if (fetched.hasErrors) throw fetched.errors[0];", "const [record] = fetched.records;",
        ]
        if let example {
            let key = "record.fields[\(QuerySnippets.jsonLiteral(example.name))]"
            lines.append("\(key) = { value: \(Self.json(example.value)) };")
        }
        lines += [
            "const saved = await database.saveRecords(record\(options));",
            "if (saved.hasErrors) throw saved.errors[0];", "console.log(saved.records[0].recordChangeTag);",
        ]
        return """
            import { CloudKit } from \(QuerySnippets.jsonLiteral(baseURL + "/cloudkit.js"));

            CloudKit.configure({
              containers: [{
                containerIdentifier: \(QuerySnippets.jsonLiteral(tenant.container.rawValue)),
                apiTokenAuth: { apiToken: "API_TOKEN", ckWebAuthToken: "WEB_AUTH_TOKEN" }, // writing needs a user
                environment: \(QuerySnippets.jsonLiteral(tenant.environment.rawValue)),
              }],
            });
            const database = CloudKit.getDefaultContainer().\(address.scope.rawValue)CloudDatabase;
            \(lines.joined(separator: "\n"))
            """
    }

    private static func json(_ value: JSONValue) -> String {
        if case .string(let text) = value { return QuerySnippets.jsonLiteral(text) }
        return RecordPages.text(value)
    }

    private var curl: String {
        var lookup = RecordsLookupRequest(records: [.init(recordName: name)])
        lookup.zoneID = zone
        var input = RecordInput(
            recordName: name, recordType: type.name,
            recordChangeTag: record["recordChangeTag"]?.string ?? "")
        if let example { input.fields = [(example.name, WireField(value: example.value))] }
        let modify = RecordsModifyRequest(operations: [RecordOperation(.update, input)], zoneID: zone)
        return [
            call(.recordsLookup, lookup.encoded(), needsUser: address.owner != nil),
            "# Writing needs a user. The change tag says which version is meant.",
            call(.recordsModify, modify.encoded(), needsUser: true),
        ].joined(separator: "\n")
    }

    private func call(_ endpoint: Endpoint, _ body: [UInt8], needsUser: Bool) -> String {
        let path = endpoint.path(
            container: tenant.container.rawValue, environment: tenant.environment, scope: address.scope)
        let user = needsUser ? "&ckWebAuthToken=$WEB_AUTH_TOKEN" : ""
        return """
            curl -sS "\(baseURL)\(path)?ckAPIToken=$API_TOKEN\(user)" \\
              -H 'Content-Type: application/json' \\
              --data-binary \(ShellWord.inQuotes(String(decoding: body, as: UTF8.self)))
            """
    }
}
