import RecordModel
import RecordStorage

extension SQLiteWriter {
    func makeType(named name: String, tenant: Tenant) throws -> RecordType {
        if let type = catalog.schemas[tenant]?.types[name] { return type }
        let number = try makeTenant(tenant)
        try run("INSERT INTO record_type (tenant, name) VALUES (?, ?)", .int(number), .text(name))
        let type = RecordType(name: name, id: connection.lastInsertedID)
        try connection.execute(
            """
            CREATE TABLE r\(type.id) (
                id INTEGER PRIMARY KEY, zone INTEGER NOT NULL, name TEXT NOT NULL, sequence INTEGER NOT NULL,
                created_by TEXT NOT NULL, created_at INTEGER NOT NULL,
                modified_by TEXT NOT NULL, modified_at INTEGER NOT NULL, parent TEXT);
            CREATE TABLE b\(type.id) (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
            """)
        catalog.schemas[tenant, default: Schema()].types[name] = type
        markCatalogChanged()
        return type
    }

    func addField(
        named name: String, type: FieldType, indexes: FieldIndexes, to recordType: RecordType, tenant: Tenant
    ) throws -> RecordType {
        let number = (recordType.fields.map(\.column).max() ?? 0) + 1
        let field = FieldSchema(name: name, type: type, indexes: indexes, column: number)
        try run(
            "INSERT INTO field (type, number, name, scalar, list, indexes) VALUES (?, ?, ?, ?, ?, ?)",
            .int(recordType.id), .int(Int64(number)), .text(name), .text(type.scalar.rawValue),
            .int(type.isList ? 1 : 0), .int(Int64(indexes.rawValue)))
        if ColumnValues.hasColumn(field) {
            for column in ColumnValues.names(of: field) {
                try connection.execute("ALTER TABLE r\(recordType.id) ADD COLUMN \(column) \(field.affinity)")
            }
        }
        var changed = recordType
        changed.set(field)
        catalog.schemas[tenant, default: Schema()].types[recordType.name] = changed
        markCatalogChanged()
        return changed
    }

    func setIndexes(
        _ indexes: FieldIndexes, ofField name: String, in recordType: RecordType, tenant: Tenant
    ) throws {
        guard var field = recordType[name], field.indexes != indexes else { return }
        // A field keeps its column once it has one, so that taking an index away and giving it back loses nothing.
        guard !field.indexes.isEmpty || indexes.isEmpty else {
            throw StorageError.engine("A field that never could be asked for cannot be indexed later yet.")
        }
        try run(
            "UPDATE field SET indexes = ? WHERE type = ? AND number = ?",
            .int(Int64(indexes.rawValue)), .int(recordType.id), .int(Int64(field.column)))
        field.indexes = indexes
        var changed = recordType
        changed.set(field)
        catalog.schemas[tenant, default: Schema()].types[recordType.name] = changed
        markCatalogChanged()
    }

    /// Makes the index for a shape, in the place of one that served longest ago where there are too many.
    func makeIndex(_ shape: IndexShape, type: Int64, dropping old: AutomaticIndex?) throws {
        guard catalog.index(for: shape, of: type) == nil else { return }
        if let old {
            try connection.execute("DROP INDEX IF EXISTS \(old.name)")
            try run("DELETE FROM automatic_index WHERE name = ?", .text(old.name))
            catalog.indexes[type]?.removeAll { $0 == old }
        }
        let name = "auto_\(type)_\(try nextSequence())"
        try connection.execute(
            "CREATE INDEX \(name) ON r\(type) (zone, \(shape.columns.joined(separator: ", ")))")
        try run(
            "INSERT INTO automatic_index (name, type, shape) VALUES (?, ?, ?)",
            .text(name), .int(type), .text(shape.text))
        catalog.indexes[type, default: []].append(AutomaticIndex(name: name, type: type, shape: shape))
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
