import RecordEngine
import RecordModel
import RecordServer
import RecordStorage
import SchemaLanguage

/// Single changes of development's schema.
enum SchemaEdits {
    static let routes: [Route] = [
        .post("/c/:container/:environment/schema/types", makeType),
        .post("/c/:container/:environment/schema/types/:type/fields", addField),
        .post("/c/:container/:environment/schema/types/:type/fields/:field/indexes", setIndexes),
        .post("/c/:container/:environment/schema/types/:type/fields/:field/delete", deleteField),
        .post("/c/:container/:environment/schema/types/:type/delete", deleteType),
    ]

    @Sendable private static func makeType(_ context: ConsoleContext) async throws -> SiteAnswer {
        let name = (context.form["name"] ?? "").trimming { $0.isWhitespace }
        try Names.checkIdentifier(name, what: "record type")
        let names = context.form.all("field").map { $0.trimming { $0.isWhitespace } }
        let types = context.form.all("type")
        var fields: [SchemaField] = []
        for (name, type) in zip(names, types) where !name.isEmpty {
            let field = try Self.field(named: name, type: type)
            guard !fields.contains(where: { $0.name == field.name }) else {
                throw ServiceError(.badRequest, "The field '\(name)' occurs twice.")
            }
            fields.append(field)
        }
        let tenant = try await edit(context, "type.make", name, type: name) { [fields] type in
            guard type == nil else {
                throw ServiceError(.exists, "There is a record type '\(name)' already.")
            }
            return SchemaRecordType(name: name, fields: fields, grants: SecurityGrant.defaults)
        }
        return context.redirect(
            to: ConsoleContext.path(tenant, "/records?type=\(FormValues.encoded(name))"),
            saying: "The record type '\(name)' is there. Add its first record.")
    }

    @Sendable private static func addField(_ context: ConsoleContext) async throws -> SiteAnswer {
        let type = context.parameters["type"] ?? ""
        let name = (context.form["name"] ?? "").trimming { $0.isWhitespace }
        let field = try field(named: name, type: context.form["type"] ?? "")
        return try await change(
            context, "field.add", "\(type).\(name)", type: type,
            saying: "'\(name)' is a field of \(type) now."
        ) { type in
            guard type[name] == nil else {
                throw ServiceError(.exists, "There is a field '\(name)' already.")
            }
            type.fields.append(field)
        }
    }

    @Sendable private static func setIndexes(_ context: ConsoleContext) async throws -> SiteAnswer {
        let type = context.parameters["type"] ?? ""
        let name = context.parameters["field"] ?? ""
        let words = context.form.all("index")
        let indexes = [
            ("queryable", FieldIndexes.queryable), ("sortable", .sortable), ("searchable", .searchable),
        ].reduce(into: FieldIndexes()) { if words.contains($1.0) { $0.insert($1.1) } }
        return try await change(
            context, "field.index", "\(type).\(name)", type: type,
            saying: "The indexes of \(type).\(name) are set."
        ) { type in
            guard let position = type.fields.firstIndex(where: { $0.name == name }) else {
                throw ServiceError(.notFound, "There is no field '\(name.prefix(64))'.")
            }
            let field = type.fields[position]
            let possible = FieldIndexes.all(for: field.systemName?.type ?? field.type.type)
            guard possible.isSuperset(of: indexes) else {
                throw ServiceError(
                    .badRequest,
                    "A field of type \(field.type) can be \(possible.words.joined(separator: ", ")) at most."
                )
            }
            type.fields[position].indexes = indexes
        }
    }

    @Sendable private static func deleteField(_ context: ConsoleContext) async throws -> SiteAnswer {
        let type = context.parameters["type"] ?? ""
        let name = context.parameters["field"] ?? ""
        return try await change(
            context, "field.delete", "\(type).\(name)", type: type,
            saying: "The field \(type).\(name) was deleted."
        ) { $0.fields.removeAll { $0.name == name } }
    }

    @Sendable private static func deleteType(_ context: ConsoleContext) async throws -> SiteAnswer {
        let name = context.parameters["type"] ?? ""
        guard name != SchemaRecordType.users.name else {
            throw ServiceError(.badRequest, "The record type of users is always there.")
        }
        let tenant = try await edit(context, "type.delete", name, type: name) { _ in nil }
        return context.redirect(
            to: ConsoleContext.path(tenant, "/schema"), saying: "The record type \(name) was deleted.")
    }

    // MARK: The way in

    private static func field(named name: String, type: String) throws -> SchemaField {
        try Names.checkIdentifier(name, what: "field name")
        guard let type = FieldType(title: type) else {
            throw ServiceError(.badRequest, "'\(type.prefix(40))' is not a field type.")
        }
        return SchemaField(name: name, type: DeclaredType(type), indexes: .all(for: type))
    }

    /// Changes a record type that is there, and goes back to the schema's page.
    private static func change(
        _ context: ConsoleContext, _ action: String, _ subject: String, type name: String,
        saying sentence: String, _ change: @escaping @Sendable (inout SchemaRecordType) throws -> Void
    ) async throws -> SiteAnswer {
        let tenant = try await edit(context, action, subject, type: name) { type in
            guard var type else {
                throw ServiceError(.notFound, "There is no record type '\(name.prefix(64))'.")
            }
            try change(&type)
            return type
        }
        return context.redirect(to: ConsoleContext.path(tenant, "/schema"), saying: sentence)
    }

    /// Changes a record type of development; the page has asked before it took values away.
    private static func edit(
        _ context: ConsoleContext, _ action: String, _ subject: String, type name: String,
        _ change: @escaping @Sendable (SchemaRecordType?) throws -> SchemaRecordType?
    ) async throws -> Tenant {
        let tenant = try context.tenant()
        guard tenant.environment == .development else {
            throw ServiceError(
                .badRequest, "Production's schema is changed by deploying development's.",
                remedy: "Change it in development, look at it there, then deploy it.")
        }
        try await context.doing(action, subject, tenant: tenant) {
            try await SchemaText.edit(name, container: tenant.container, store: context.store, change)
        }
        return tenant
    }
}
