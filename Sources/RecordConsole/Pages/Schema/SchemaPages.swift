import RecordEngine
import RecordModel
import RecordServer
import RecordStorage
import SchemaLanguage

/// The record types of a container: to look at, to change in development, to bring to production.
///
/// A change of one type is made to the type as it is then, and to no other; the text form's is that of
/// `stratus schema import`. Either way production's types and fields stay, and values go only with consent.
enum SchemaPages {
    static let routes: [Route] =
        [
            .get("/c/:container/:environment/schema", overview),
            .get("/c/:container/:environment/schema/new", newType),
        ] + SchemaEdits.routes + SchemaTextPages.routes + SchemaDeployPages.routes

    @Sendable private static func overview(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let schema = context.store.schema(of: tenant)
        let isDevelopment = tenant.environment == .development
        let types = SchemaText.document(of: schema).types.map { typeModel($0, isDevelopment: isDevelopment) }
        let waiting = try SchemaDeployPages.changes(of: tenant.container, context)
        return context.page(
            "schema", title: "Schema", section: .schema,
            [
                "types": types, "isEmpty": types.isEmpty, "isDevelopment": isDevelopment,
                "rejected": RejectedModel.model(context, tenant: production(of: tenant)) as Any,
                "waiting": waiting.count, "hasWaiting": !waiting.isEmpty,
                "isOneWaiting": waiting.count == 1, "fieldTypes": fieldTypes,
                "roles": schema.roles.joined(separator: ", "), "hasRoles": !schema.roles.isEmpty,
            ])
    }

    private static func production(of tenant: Tenant) -> Tenant {
        Tenant(container: tenant.container, environment: .production)
    }

    @Sendable private static func newType(_ context: ConsoleContext) async throws -> SiteAnswer {
        _ = try context.tenant()
        // Rows for the first fields; empty ones are passed over.
        let rows = (1...6).map { ["number": $0, "fieldTypes": fieldTypes] as [String: Any] }
        return context.page("schema-new", title: "New record type", section: .schema, ["rows": rows])
    }

    private static func typeModel(_ type: SchemaRecordType, isDevelopment: Bool) -> [String: Any] {
        let owner = type.name
        let fields: [[String: Any]] = type.fields.map { field in
            let type = field.systemName?.type ?? field.type.type
            let possible = FieldIndexes.all(for: type)
            let choices: [[String: Any]] = [
                ("queryable", FieldIndexes.queryable), ("sortable", .sortable), ("searchable", .searchable),
            ].map { word, index in
                [
                    "word": word, "isSet": field.indexes.contains(index),
                    "isPossible": possible.contains(index) && field.type.declaration != .encrypted,
                ]
            }
            return [
                "name": field.name, "encoded": FormValues.encoded(field.name),
                "typeName": FormValues.encoded(owner),
                "type": field.type.description, "isSystem": field.systemName != nil, "choices": choices,
                "canIndex": isDevelopment && choices.contains { $0["isPossible"] as? Bool == true },
            ]
        }
        let own = fields.filter { $0["isSystem"] as? Bool == false }
        let grants = type.grants.map { "\($0.permissions.words.joined(separator: ", ")) to \($0.role)" }
        return [
            "name": type.name, "encoded": FormValues.encoded(type.name), "fields": own,
            "hasFields": !own.isEmpty, "systemFields": fields.filter { $0["isSystem"] as? Bool == true },
            "refusals": IndexRefusals.sentences(of: type),
            "hasRefusals": !IndexRefusals.sentences(of: type).isEmpty,
            "grants": grants.joined(separator: " · "), "isUsers": type.name == SchemaRecordType.users.name,
            "count": own.count, "isDevelopment": isDevelopment,
        ]
    }

    /// What a field can be declared as, for people.
    static var fieldTypes: [[String: Any]] {
        FieldType.all.map { type in
            [
                "value": type.title,
                "words": words[type.scalar, default: ""] + (type.isList ? ", a list" : ""),
            ]
        }
    }

    private static let words: [FieldType.Scalar: String] = [
        .string: "text", .int64: "whole number", .double: "number", .timestamp: "date and time",
        .bytes: "bytes", .reference: "link to a record", .asset: "file or photo", .location: "place",
    ]
}
