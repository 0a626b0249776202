internal import CStratusSQLite
internal import SQLiteAccess
internal import StratusCoreData

/// What a file says about itself: its tables, numbers, metadata and model.
enum StoredState {
    /// The tables, and the numbers of the entities.
    static func schema(_ connection: SQLiteConnection) throws -> StoredSchema {
        var schema = StoredSchema()
        var names: [String] = []
        let tables = try connection.makeStatement("SELECT name FROM sqlite_master WHERE type = 'table'")
        while try tables.step() { names.append(tables.text(0)) }
        for name in names {
            let info = try connection.makeStatement("PRAGMA table_info(\(SQLName.quoted(name)))")
            var columns: [StoredSchema.Column] = []
            while try info.step() {
                columns.append(StoredSchema.Column(name: info.text(1), type: info.text(2).uppercased()))
            }
            schema.tables[name.uppercased()] = columns
        }
        guard schema.columns(of: "Z_PRIMARYKEY") != nil else { return schema }
        let keys = try connection.makeStatement("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY ORDER BY Z_ENT DESC")
        while try keys.step() { schema.numbers[keys.text(0)] = Int(keys.int(1)) }
        return schema
    }

    /// The metadata; nil where the file is no store.
    static func metadata(_ connection: SQLiteConnection) throws -> [String: Any]? {
        let exists = try connection.makeStatement(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'Z_METADATA' COLLATE NOCASE")
        guard try exists.step() else { return nil }
        exists.reset()
        let row = try connection.makeStatement(
            "SELECT Z_UUID, Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
        guard try row.step() else { return nil }
        let list = row.isNull(1) ? nil : Data(row.bytes(1))
        return StoreMetadata.decode(list, identifier: row.text(0))
    }

    /// The bytes of the model in the store, where it has any.
    static func modelCache(_ connection: SQLiteConnection) throws -> Data? {
        let exists = try connection.makeStatement(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'Z_MODELCACHE' COLLATE NOCASE")
        guard try exists.step() else { return nil }
        exists.reset()
        let row = try connection.makeStatement("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
        guard try row.step(), !row.isNull(0) else { return nil }
        return Data(row.bytes(0))
    }

    /// Writes the metadata, within a transaction of the caller's.
    static func write(_ metadata: [String: Any], identifier: String, _ connection: SQLiteConnection) throws {
        let data = try StoreMetadata.encode(metadata)
        let statement = try connection.makeStatement(
            "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?1, ?2) "
                + "ON CONFLICT (Z_VERSION) DO UPDATE SET Z_UUID = ?1, Z_PLIST = ?2")
        statement.bind(identifier, at: 1)
        statement.bind(blob: [UInt8](data), at: 2)
        try statement.run()
    }
}
