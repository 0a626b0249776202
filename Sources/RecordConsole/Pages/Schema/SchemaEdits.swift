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
        .post("/c/:container/:environment/schema/removed/:id/restore", bringBack),
        .post("/c/:container/:environment/schema/removed/:id/purge", purge),
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
                throw ServiceError(.exists, "The record type '\(name)' already exists.")
            }
            return SchemaRecordType(name: name, fields: fields, grants: SecurityGrant.defaults)
        }
        return context.redirect(
            to: ConsoleContext.path(tenant, "/records?type=\(FormValues.encoded(name))"),
            saying: "The record type '\(name)' was created. Add its first record.")
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
                throw ServiceError(.exists, "The field '\(name)' already exists.")
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
        guard !SchemaRecordType(name: type).isAlwaysThere(name) else {
            throw ServiceError(.badRequest, "The field \(type).\(name) is always there.")
        }
        if let page = try await question(context, type, field: name) { return page }
        return try await change(
            context, "field.delete", "\(type).\(name)", type: type,
            saying: "The field \(type).\(name) was deleted." + kept(context)
        ) { $0.fields.removeAll { $0.name == name } }
    }

    @Sendable private static func deleteType(_ context: ConsoleContext) async throws -> SiteAnswer {
        let name = context.parameters["type"] ?? ""
        guard name != SchemaRecordType.users.name else {
            throw ServiceError(.badRequest, "The record type of users is always there.")
        }
        if let page = try await question(context, name, field: nil) { return page }
        let tenant = try await edit(context, "type.delete", name, type: name) { _ in nil }
        return context.redirect(
            to: ConsoleContext.path(tenant, "/schema"),
            saying: "The record type \(name) was deleted." + kept(context))
    }

    private static func kept(_ context: ConsoleContext) -> String {
        let days = context.console.settings.removedSchemaDays
        return days > 0 ? " What it held can be brought back for \(days) days." : ""
    }

    /// The page that asks for the name before values go; nil where it was typed, or where there are no records.
    private static func question(
        _ context: ConsoleContext, _ typeName: String, field: String?
    ) async throws -> SiteAnswer? {
        let tenant = try context.tenant()
        guard tenant.environment == .development,
            let type = context.store.schema(of: tenant).types[typeName],
            field.map({ type[$0] != nil }) ?? true
        else { return nil }
        let name = field ?? typeName
        let typed = context.form["confirm"]
        guard typed != name else { return nil }
        let records = try await context.read { try $0.recordCount(of: type) }
        guard records > 0 else { return nil }
        let days = context.console.settings.removedSchemaDays
        let isField = field != nil
        let path =
            "/schema/types/\(FormValues.encoded(typeName))"
            + (field.map { "/fields/\(FormValues.encoded($0))" } ?? "") + "/delete"
        return context.page(
            SchemaRemovePage(
                name: name, type: typeName, isField: isField, records: NumberText.grouped(records),
                days: days, isKept: days > 0, isWrong: typed != nil, action: path),
            title: isField ? "Delete the field \(typeName).\(name)" : "Delete the record type \(name)",
            section: .schema)
    }

    // MARK: What was deleted

    @Sendable private static func bringBack(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let part = try await removedPart(context, tenant)
        let outcome = try await context.doing("schema.restore", part.title, tenant: tenant) {
            try await RemovedParts.bringBack("\(part.id)", in: tenant, store: context.store)
        }
        var sentence =
            "\(part.title) is back, with the values of \(NumberText.grouped(outcome.records)) records."
        if outcome.passedOver > 0 {
            sentence += " \(NumberText.grouped(outcome.passedOver)) stay as they are by now."
        }
        if let first = outcome.refusals.first {
            sentence += " \(outcome.refusals.count) could not be put back: \(first)"
        }
        return context.redirect(to: ConsoleContext.path(tenant, "/schema"), saying: sentence)
    }

    @Sendable private static func purge(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let part = try await removedPart(context, tenant)
        try await context.doing("schema.purge", part.title, tenant: tenant) {
            try await RemovedParts.purge("\(part.id)", in: tenant, store: context.store)
        }
        return context.redirect(
            to: ConsoleContext.path(tenant, "/schema"), saying: "What \(part.title) held is gone for good.")
    }

    private static func removedPart(_ context: ConsoleContext, _ tenant: Tenant) async throws -> RemovedPart {
        let id = context.parameters["id"] ?? ""
        return try await context.store.read(.short) { try RemovedParts.find(id, in: tenant, reader: $0) }
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
            try await SchemaText.edit(
                name, container: tenant.container, store: context.store, keeping: context.removalKeeping,
                change)
        }
        return tenant
    }
}
