import RecordModel
import RecordStorage
import SQLiteAccess

extension SQLiteWriter {
    func makeType(named name: String, tenant: Tenant) throws -> RecordType {
        if let type = catalog.schemas[tenant]?.types[name] { return type }
        let number = try makeTenant(tenant)
        try run("INSERT INTO record_type (tenant, name) VALUES (?, ?)", .int(number), .text(name))
        return try makeTables(of: RecordType(name: name, id: connection.lastInsertedID), tenant: tenant)
    }

    /// Makes the tables of a type without fields, and puts it into the catalog.
    func makeTables(of type: RecordType, tenant: Tenant) throws -> RecordType {
        try connection.execute(
            """
            CREATE TABLE r\(type.id) (
                id INTEGER PRIMARY KEY, zone INTEGER NOT NULL, name TEXT NOT NULL, sequence INTEGER NOT NULL,
                created_by TEXT NOT NULL, created_at INTEGER NOT NULL,
                modified_by TEXT NOT NULL, modified_at INTEGER NOT NULL, parent TEXT);
            CREATE TABLE b\(type.id) (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
            """)
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
        try run(
            "INSERT INTO field (type, number, name, scalar, list, indexes, declaration) VALUES (?, ?, ?, ?, ?, ?, ?)",
            .int(recordType.id), .int(Int64(field.column)), .text(field.name),
            .text(field.type.scalar.rawValue), .int(field.type.isList ? 1 : 0),
            .int(Int64(field.indexes.rawValue)), .text(field.declaration.rawValue))
        try makeColumns(of: field, in: recordType)
        var changed = recordType
        changed.set(field)
        take(changed, tenant: tenant)
        return changed
    }

    /// Makes the columns that a field needs and the table lacks.
    private func makeColumns(of field: FieldSchema, in recordType: RecordType) throws {
        guard ColumnValues.hasColumn(field) else { return }
        let there = try Set(connection.texts("SELECT name FROM pragma_table_info('r\(recordType.id)')"))
        for column in ColumnValues.names(of: field) where !there.contains(column) {
            try connection.execute("ALTER TABLE r\(recordType.id) ADD COLUMN \(column) \(field.affinity)")
        }
    }

    func setIndexes(
        _ indexes: FieldIndexes, ofField name: String, in recordType: RecordType, tenant: Tenant
    ) throws {
        guard var field = recordType[name], field.indexes != indexes else { return }
        let hadColumn = ColumnValues.hasColumn(field)
        try run(
            "UPDATE field SET indexes = ? WHERE type = ? AND number = ?",
            .int(Int64(indexes.rawValue)), .int(recordType.id), .int(Int64(field.column)))
        field.indexes = indexes
        // A column stays when its last index goes, but is not kept up from then on.
        if !hadColumn, ColumnValues.hasColumn(field) {
            try makeColumns(of: field, in: recordType)
        }
        var changed = recordType
        changed.set(field)
        take(changed, tenant: tenant)
        if !hadColumn, ColumnValues.hasColumn(field) {
            try run(
                "DELETE FROM job WHERE kind = 'fill' AND type = ? AND number = ?", .int(recordType.id),
                .int(Int64(field.column)))
            try begin(BackgroundJob(kind: .fill, type: recordType.id, number: Int64(field.column)))
        }
    }

    func setDeclaration(
        _ declaration: FieldDeclaration, ofField name: String, in recordType: RecordType, tenant: Tenant
    ) throws {
        guard var field = recordType[name], field.declaration != declaration else { return }
        try run(
            "UPDATE field SET declaration = ? WHERE type = ? AND number = ?",
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
        try run("DELETE FROM system_index WHERE type = ?", .int(recordType.id))
        for (field, indexes) in changed.systemIndexes {
            try run(
                "INSERT INTO system_index (type, field, indexes) VALUES (?, ?, ?)",
                .int(recordType.id), .text(field.rawValue), .int(Int64(indexes.rawValue)))
        }
        try run("DELETE FROM type_grant WHERE type = ?", .int(recordType.id))
        for (position, grant) in (grants ?? []).enumerated() {
            try run(
                "INSERT INTO type_grant (type, position, role, permissions) VALUES (?, ?, ?, ?)",
                .int(recordType.id), .int(Int64(position)), .text(grant.role),
                .int(Int64(grant.permissions.rawValue)))
        }
        try run(
            "UPDATE record_type SET has_grants = ? WHERE id = ?",
            .int(grants == nil ? 0 : 1), .int(recordType.id))
        take(changed, tenant: tenant)
        return changed
    }

    func setRoles(_ roles: [String], tenant: Tenant) throws {
        guard catalog.schemas[tenant]?.roles ?? [] != roles else { return }
        let number = try makeTenant(tenant)
        try run("DELETE FROM security_role WHERE tenant = ?", .int(number))
        for (position, role) in roles.enumerated() {
            try run(
                "INSERT INTO security_role (tenant, position, name) VALUES (?, ?, ?)",
                .int(number), .int(Int64(position)), .text(role))
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

extension FieldSchema {
    /// The affinity of the field's columns, so that SQLite keeps values as they are.
    fileprivate var affinity: String {
        if type.isList { return "TEXT" }
        return switch type.scalar {
        case .string, .reference: "TEXT"
        case .int64, .timestamp: "INTEGER"
        case .double, .location: "REAL"
        case .bytes, .asset: "BLOB"
        }
    }
}
