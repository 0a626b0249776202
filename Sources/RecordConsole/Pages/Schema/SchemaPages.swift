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
        let types = SchemaText.document(of: schema).types.map { type in
            typeModel(type, isDevelopment: isDevelopment, keeping: schema.types[type.name]?.keeping)
        }
        let waiting = try SchemaDeployPages.changes(of: tenant.container, context)
        let removed = try await context.store.read(.short) { try RemovedParts.all(of: tenant, reader: $0) }
        return context.page(
            SchemaPage(
                types: types,
                removed: removed.map {
                    .init(
                        title: $0.title, id: $0.id, gone: TimeModel($0.removedAt), ends: TimeModel($0.endsAt))
                },
                hasRemoved: !removed.isEmpty, isEmpty: types.isEmpty, isDevelopment: isDevelopment,
                rejected: RejectedModel(context, tenant: production(of: tenant)), waiting: waiting.count,
                hasWaiting: !waiting.isEmpty, isOneWaiting: waiting.count == 1, fieldTypes: fieldTypes,
                roles: schema.roles.joined(separator: ", "), hasRoles: !schema.roles.isEmpty),
            title: "Schema", section: .schema)
    }

    private static func production(of tenant: Tenant) -> Tenant {
        Tenant(container: tenant.container, environment: .production)
    }

    @Sendable private static func newType(_ context: ConsoleContext) async throws -> SiteAnswer {
        _ = try context.tenant()
        // Rows for the first fields; empty ones are passed over.
        let rows = (1...6).map { SchemaNewPage.Row(number: $0, fieldTypes: fieldTypes) }
        return context.page(SchemaNewPage(rows: rows), title: "New record type", section: .schema)
    }

    private static func typeModel(
        _ type: SchemaRecordType, isDevelopment: Bool, keeping: VersionKeeping?
    ) -> SchemaPage.RecordType {
        let shown = keeping ?? .usual
        func models(_ fields: [SchemaField]) -> [SchemaPage.Field] {
            fields.map { fieldModel($0, of: type, isDevelopment: isDevelopment) }
        }
        let own = models(type.fields.filter { $0.systemName == nil })
        let refusals = IndexRefusals.sentences(of: type)
        let grants = type.grants.map { "\($0.permissions.words.joined(separator: ", ")) to \($0.role)" }
        return SchemaPage.RecordType(
            name: type.name, encoded: FormValues.encoded(type.name), fields: own, hasFields: !own.isEmpty,
            systemFields: models(type.fields.filter { $0.systemName != nil }), refusals: refusals,
            hasRefusals: !refusals.isEmpty, grants: grants.joined(separator: " · "),
            isUsers: type.name == SchemaRecordType.users.name,
            isShares: type.name == ShareRecordType.name, isDevelopment: isDevelopment,
            isKept: keeping != nil, keepCount: shown.count, keepDays: shown.days,
            versionsAction: "/schema/types/\(FormValues.encoded(type.name))/versions",
            mostVersions: Limits.versionsPerRecord, mostDays: Limits.versionDays)
    }

    private static func fieldModel(
        _ field: SchemaField, of owner: SchemaRecordType, isDevelopment: Bool
    ) -> SchemaPage.Field {
        let possible = FieldIndexes.all(for: field.systemName?.type ?? field.type.type)
        let choices = [
            ("queryable", FieldIndexes.queryable), ("sortable", .sortable), ("searchable", .searchable),
        ].map { word, index in
            SchemaPage.Index(
                word: word, isSet: field.indexes.contains(index),
                isPossible: possible.contains(index) && field.type.declaration != .encrypted)
        }
        return SchemaPage.Field(
            name: field.name, encoded: FormValues.encoded(field.name),
            typeName: FormValues.encoded(owner.name), type: field.type.description, choices: choices,
            canIndex: isDevelopment && choices.contains(where: \.isPossible),
            canDelete: isDevelopment && !owner.isAlwaysThere(field.name))
    }

    /// What a field can be declared as, for people.
    static var fieldTypes: [FieldTypeModel] {
        FieldType.all.map { type in
            FieldTypeModel(
                value: type.title, words: words[type.scalar, default: ""] + (type.isList ? ", a list" : ""))
        }
    }

    private static let words: [FieldType.Scalar: String] = [
        .string: "text", .int64: "whole number", .double: "number", .timestamp: "date and time",
        .bytes: "bytes", .reference: "link to a record", .asset: "file or photo", .location: "place",
    ]
}
