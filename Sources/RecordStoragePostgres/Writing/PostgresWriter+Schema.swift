internal import PostgresAccess
internal import RecordModel
internal import RecordStorage
internal import RecordWire

extension PostgresWriter {
    func makeType(named name: String, tenant: Tenant) throws -> RecordType {
        if let type = catalog.schemas[tenant]?.types[name] { return type }
        let number = try makeTenant(tenant)
        let id = try ask(
            PostgresStatement("UPDATE meta SET value = value + 1 WHERE key = 'type' RETURNING value")
        ).int(0, 0)
        try write(
            PostgresStatement(
                "INSERT INTO record_type (id, tenant, name) VALUES ($1, $2, $3)", .int8, .int8, .text),
            .int(id), .int(number), .text(name))
        return try makeTable(of: RecordType(name: name, id: id), tenant: tenant)
    }

    /// Makes the table of a type without fields, and puts it into the catalog.
    func makeTable(of type: RecordType, tenant: Tenant) throws -> RecordType {
        for statement in PostgresLayout.table(ofType: type.id) { try write(PostgresCommand(sql: statement)) }
        take(type, tenant: tenant)
        return type
    }

    func addField(_ field: FieldSchema, to recordType: RecordType, tenant: Tenant) throws -> RecordType {
        var field = field
        field.column = try lastColumn(of: recordType) + 1
        return try insert(field, into: recordType, tenant: tenant)
    }

    /// Adds a field that has its number already.
    func insert(_ field: FieldSchema, into recordType: RecordType, tenant: Tenant) throws -> RecordType {
        try write(
            Self.insertFieldStatement, .int(recordType.id), .int(Int64(field.column)), .text(field.name),
            .text(field.type.scalar.rawValue), .bool(field.type.isList), .int(Int64(field.indexes.rawValue)),
            .text(field.declaration.rawValue))
        try makeColumns(of: field, in: recordType)
        var changed = recordType
        changed.set(field)
        take(changed, tenant: tenant)
        return changed
    }

    private static let insertFieldStatement = PostgresStatement(
        "INSERT INTO field VALUES ($1, $2, $3, $4, $5, $6, $7)", .int8, .int8, .text, .text, .bool, .int8,
        .text)

    private func makeColumns(of field: FieldSchema, in recordType: RecordType) throws {
        for (name, kind) in field.columns {
            try write(
                PostgresCommand(
                    sql: "ALTER TABLE r\(recordType.id) ADD COLUMN IF NOT EXISTS \(name) \(kind.sql)"))
        }
    }

    func setIndexes(
        _ indexes: FieldIndexes, ofField name: String, in recordType: RecordType, tenant: Tenant
    ) throws {
        guard var field = recordType[name], field.indexes != indexes else { return }
        let hadColumn = field.hasColumn
        try write(
            PostgresStatement(
                "UPDATE field SET indexes = $1 WHERE type = $2 AND number = $3", .int8, .int8, .int8),
            .int(Int64(indexes.rawValue)), .int(recordType.id), .int(Int64(field.column)))
        field.indexes = indexes
        // A column stays when its last index goes, but is not kept up from then on.
        if !hadColumn, field.hasColumn {
            try makeColumns(of: field, in: recordType)
            try fillColumns(of: field, in: recordType)
        }
        var changed = recordType
        changed.set(field)
        take(changed, tenant: tenant)
    }

    func setDeclaration(
        _ declaration: FieldDeclaration, ofField name: String, in recordType: RecordType, tenant: Tenant
    ) throws {
        guard var field = recordType[name], field.declaration != declaration else { return }
        try write(
            PostgresStatement(
                "UPDATE field SET declaration = $1 WHERE type = $2 AND number = $3", .text, .int8, .int8),
            .text(declaration.rawValue), .int(recordType.id), .int(Int64(field.column)))
        field.declaration = declaration
        var changed = recordType
        changed.set(field)
        take(changed, tenant: tenant)
    }

    func setAnnotations(
        systemIndexes: [SystemFieldName: FieldIndexes], grants: [SecurityGrant]?, of recordType: RecordType,
        tenant: Tenant
    ) throws -> RecordType {
        var changed = recordType
        changed.systemIndexes = systemIndexes.filter { !$0.value.isEmpty }
        changed.grants = grants
        guard changed != recordType else { return recordType }
        let id = PostgresValue.int(recordType.id)
        try write(PostgresStatement("DELETE FROM system_index WHERE type = $1", .int8), id)
        for (field, indexes) in changed.systemIndexes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            try write(
                PostgresStatement("INSERT INTO system_index VALUES ($1, $2, $3)", .int8, .text, .int8),
                id, .text(field.rawValue), .int(Int64(indexes.rawValue)))
        }
        try write(PostgresStatement("DELETE FROM type_grant WHERE type = $1", .int8), id)
        for (position, grant) in (grants ?? []).enumerated() {
            try write(
                PostgresStatement(
                    "INSERT INTO type_grant VALUES ($1, $2, $3, $4)", .int8, .int8, .text, .int8),
                id, .int(Int64(position)), .text(grant.role), .int(Int64(grant.permissions.rawValue)))
        }
        try write(
            PostgresStatement("UPDATE record_type SET has_grants = $1 WHERE id = $2", .bool, .int8),
            .bool(grants != nil), id)
        take(changed, tenant: tenant)
        return changed
    }

    func setRoles(_ roles: [String], tenant: Tenant) throws {
        guard catalog.schemas[tenant]?.roles ?? [] != roles else { return }
        let number = PostgresValue.int(try makeTenant(tenant))
        try write(PostgresStatement("DELETE FROM security_role WHERE tenant = $1", .int8), number)
        for (position, role) in roles.enumerated() {
            try write(
                PostgresStatement("INSERT INTO security_role VALUES ($1, $2, $3)", .int8, .int8, .text),
                number, .int(Int64(position)), .text(role))
        }
        catalog.schemas[tenant, default: Schema()].roles = roles
        markCatalogChanged()
    }

    /// Puts a changed type into the catalog.
    func take(_ type: RecordType, tenant: Tenant) {
        catalog.schemas[tenant, default: Schema()].set(type)
        markCatalogChanged()
    }
}
