internal import SQLiteAccess
internal import StratusCoreData

/// Removes files of large values that no row names, which a crash between writing a file and its row leaves.
struct ExternalSweep {
    private let connection: SQLiteConnection
    private let schema: StoredSchema
    private let files: ExternalFiles
    /// Younger files may belong to a save of another process that is under way.
    private static let age: TimeInterval = 3_600

    init(_ connection: SQLiteConnection, _ schema: StoredSchema, _ files: ExternalFiles) {
        self.connection = connection
        self.schema = schema
        self.files = files
    }

    func run() throws {
        let limit = Date(timeIntervalSinceNow: -Self.age)
        let old = files.names.filter { files.date(of: $0).map { $0 < limit } ?? false }
        guard !old.isEmpty, !files.isShared else { return }
        files.remove(Set(old).subtracting(try named()))
    }

    /// The files that rows name.
    private func named() throws -> Set<String> {
        var result: Set<String> = []
        // All columns with bytes, whatever the model says of them now: a file is removed only when nothing names it.
        for (table, columns) in schema.tables {
            for column in columns where column.type == "BLOB" { try add(table, column.name, to: &result) }
        }
        return result
    }

    private func add(_ table: String, _ column: String, to result: inout Set<String>) throws {
        let (table, column) = (SQLName.quoted(table), SQLName.quoted(column))
        let statement = try connection.makeStatement(
            "SELECT \(column) FROM \(table) WHERE length(\(column)) = 38 AND substr(\(column), 1, 1) = x'02'")
        while try statement.step() {
            if let name = ExternalFiles.fileName(statement.bytes(0)) { result.insert(name) }
        }
    }
}
