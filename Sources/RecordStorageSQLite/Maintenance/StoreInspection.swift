import Foundation
import RecordStorage
import SQLiteAccess

/// Looks through a store's files without changing them, also while a server uses them.
public struct StoreInspection {
    /// How much of a store is looked at.
    public struct Depth: Sendable {
        /// Whether SQLite checks every page and every index instead of the pages only.
        public var checksIndexes: Bool
        /// How many records of each type are compared with their columns.
        public var sampledRecords: Int

        /// Chooses a depth.
        public init(checksIndexes: Bool = false, sampledRecords: Int = 1_000) {
            self.checksIndexes = checksIndexes
            self.sampledRecords = sampledRecords
        }
    }

    /// What the repair of findings is called in remedies.
    static let repairRemedy = "Stop the server and run 'stratus doctor --repair'."
    /// A larger log of pending pages means that something keeps it from being folded into the database.
    private static let largeLogBytes: Int64 = 268_435_456

    let connection: Connection
    let catalog: Catalog
    let depth: Depth

    /// What helps where the file itself is damaged.
    private static let recoveryRemedy =
        "Stop the server, keep a copy of the directory, and restore the last backup; 'sqlite3 stratus.sqlite .recover' saves what can be read."

    /// Inspects the store of a directory. That the file is damaged, or none of SQLite, is a finding like others.
    ///
    /// - Throws: `StorageError` when there is no file, or it cannot be read for another reason.
    public static func run(directory: String, depth: Depth = Depth()) throws -> [StoreFinding] {
        let path = directory + "/" + SQLiteStore.fileName
        guard FileManager.default.fileExists(atPath: path) else {
            throw StorageError.engine("There is no \(SQLiteStore.fileName) in \(directory).")
        }
        do {
            return try inspect(path: path, depth: depth)
        } catch let error as StorageError where error.code == StorageError.corrupt(error).code {
            let cause = error.cause.map { " (\($0))" } ?? ""
            return [
                StoreFinding(
                    "integrity", .problem,
                    "The file \(path) is damaged, or not an SQLite database\(cause).", remedy: recoveryRemedy)
            ]
        }
    }

    private static func inspect(path: String, depth: Depth) throws -> [StoreFinding] {
        let connection = try Connection(path: path, role: .reader, cacheKiB: 16_384)
        defer { connection.close() }
        let damage = try integrity(connection, checksIndexes: depth.checksIndexes)
        // Nothing more is known about damaged pages; what the other checks say would be noise.
        guard damage.severity == .good else { return [damage] }
        guard try connection.int("SELECT count(*) FROM sqlite_master WHERE name = 'meta'") > 0 else {
            return [
                damage,
                StoreFinding(
                    "layout", .problem, "The file \(path) is not a database of Stratus.",
                    remedy:
                        "Name the server's directory with --data; or move the file away and restore the last backup in its place."
                ),
            ]
        }
        try connection.execute("BEGIN")
        defer { try? connection.execute("COMMIT") }
        let inspection = StoreInspection(
            connection: connection, catalog: try Catalog.load(connection), depth: depth)
        return try [damage] + inspection.findings() + [logFinding(path)]
    }

    /// Whether the store of a directory holds any record.
    ///
    /// - Throws: `StorageError` when it cannot be read.
    public static func holdsRecords(directory: String) throws -> Bool {
        let path = directory + "/" + SQLiteStore.fileName
        guard FileManager.default.fileExists(atPath: path) else { return false }
        let connection = try Connection(path: path, role: .reader, cacheKiB: 1_024)
        defer { connection.close() }
        return try connection.int("SELECT EXISTS (SELECT 1 FROM directory)") > 0
    }

    /// Whether a server holds the directory at this moment.
    public static func isServed(directory: String) -> Bool {
        DirectoryLock.isHeld(directory: directory)
    }

    private func findings() throws -> [StoreFinding] {
        try tableFindings() + directoryFindings() + [sequenceFinding(), referenceFinding()] + indexFindings()
            + assetFindings()
            + accessFindings() + bodyFindings()
    }

    private static func integrity(_ connection: Connection, checksIndexes: Bool) throws -> StoreFinding {
        let pragma = checksIndexes ? "integrity_check" : "quick_check"
        let statement = try connection.statement("PRAGMA \(pragma)(5)")
        var lines: [String] = []
        while try statement.step() { lines.append(statement.text(0)) }
        if lines == ["ok"] {
            return StoreFinding("integrity", .good, "SQLite finds the file whole (\(pragma)).")
        }
        return StoreFinding(
            "integrity", .problem, "The file is damaged: \(lines.joined(separator: "; "))",
            remedy: recoveryRemedy)
    }

    private static func logFinding(_ path: String) -> StoreFinding {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
        let size = (attributes?[.size] as? NSNumber)?.int64Value ?? 0
        guard size > largeLogBytes else {
            return StoreFinding("log", .good, "The write-ahead log has \(size) bytes.")
        }
        return StoreFinding(
            "log", .warning, "The write-ahead log has grown to \(size) bytes.",
            remedy: "A restart of the server folds it into the database; so does 'stratus doctor --repair'.",
            isRepairable: true)
    }
}

extension Connection {
    /// The integer that a statement gives; 0 where it gives none.
    func int(_ sql: String) throws -> Int64 {
        let statement = try statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }

    /// The first column of all rows.
    func texts(_ sql: String) throws -> [String] {
        let statement = try statement(sql)
        defer { statement.reset() }
        var texts: [String] = []
        while try statement.step() { texts.append(statement.text(0)) }
        return texts
    }
}
