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
                throw ServiceError(.badRequest, "The field '\(name)' is there twice.")
            }
            fields.append(field)
        }
        let tenant = try await change(context, "type.make", name) { document in
            guard document[name] == nil else {
                throw ServiceError(.exists, "There is a record type '\(name)' already.")
            }
            document.types.append(
                SchemaRecordType(name: name, fields: fields, grants: SecurityGrant.defaults))
        }
        return context.redirect(
            to: ConsoleContext.path(tenant, "/records?type=\(FormValues.encoded(name))"),
            saying: "The record type '\(name)' is there. Add its first record.")
    }

    @Sendable private static func addField(_ context: ConsoleContext) async throws -> SiteAnswer {
        let type = context.parameters["type"] ?? ""
        let name = (context.form["name"] ?? "").trimming { $0.isWhitespace }
        let field = try field(named: name, type: context.form["type"] ?? "")
        return try await edit(
            context, "field.add", "\(type).\(name)", saying: "'\(name)' is a field of \(type) now."
        ) {
            try modify(&$0, type) { type in
                guard type[name] == nil else {
                    throw ServiceError(.exists, "There is a field '\(name)' already.")
                }
                type.fields.append(field)
            }
        }
    }

    @Sendable private static func setIndexes(_ context: ConsoleContext) async throws -> SiteAnswer {
        let type = context.parameters["type"] ?? ""
        let name = context.parameters["field"] ?? ""
        let words = context.form.all("index")
        var indexes: FieldIndexes = []
        for (word, index) in [
            ("queryable", FieldIndexes.queryable), ("sortable", .sortable), ("searchable", .searchable),
        ] where words.contains(word) { indexes.insert(index) }
        return try await edit(
            context, "field.index", "\(type).\(name)", saying: "The indexes of \(type).\(name) are set."
        ) { document in
            try modify(&document, type) { type in
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
    }

    @Sendable private static func deleteField(_ context: ConsoleContext) async throws -> SiteAnswer {
        let type = context.parameters["type"] ?? ""
        let name = context.parameters["field"] ?? ""
        return try await edit(
            context, "field.delete", "\(type).\(name)", saying: "The field \(type).\(name) is gone."
        ) { document in
            try modify(&document, type) { type in type.fields.removeAll { $0.name == name } }
        }
    }

    @Sendable private static func deleteType(_ context: ConsoleContext) async throws -> SiteAnswer {
        let name = context.parameters["type"] ?? ""
        return try await edit(context, "type.delete", name, saying: "The record type \(name) is gone.") {
            $0.types.removeAll { $0.name == name }
        }
    }

    // MARK: The way in

    private static func field(named name: String, type: String) throws -> SchemaField {
        try Names.checkIdentifier(name, what: "field name")
        guard let type = FieldType(title: type) else {
            throw ServiceError(.badRequest, "'\(type.prefix(40))' is no field type.")
        }
        return SchemaField(name: name, type: DeclaredType(type), indexes: .all(for: type))
    }

    private static func modify(
        _ document: inout SchemaDocument, _ name: String, _ change: (inout SchemaRecordType) throws -> Void
    ) throws {
        guard let position = document.types.firstIndex(where: { $0.name == name }) else {
            throw ServiceError(.notFound, "There is no record type '\(name.prefix(64))'.")
        }
        try change(&document.types[position])
    }

    private static func edit(
        _ context: ConsoleContext, _ action: String, _ subject: String, saying sentence: String,
        _ change: (inout SchemaDocument) throws -> Void
    ) async throws -> SiteAnswer {
        let tenant = try await self.change(context, action, subject, change)
        return context.redirect(to: ConsoleContext.path(tenant, "/schema"), saying: sentence)
    }

    /// Changes development's schema; the page has asked before it took values away.
    private static func change(
        _ context: ConsoleContext, _ action: String, _ subject: String,
        _ change: (inout SchemaDocument) throws -> Void
    ) async throws -> Tenant {
        let tenant = try context.tenant()
        guard tenant.environment == .development else {
            throw ServiceError(
                .badRequest, "Production's schema is changed by deploying development's.",
                remedy: "Change it in development, look at it there, then deploy it.")
        }
        var document = SchemaText.document(of: context.store.schema(of: tenant))
        try change(&document)
        _ = try await SchemaText.importSchema(
            document, container: tenant.container, allowsLoss: true, store: context.store)
        try await context.audit(action, subject, tenant: tenant)
        return tenant
    }
}
