import Foundation
public import RecordStorage
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

    let connection: Connection
    let catalog: Catalog
    let depth: Depth

    /// What helps where the file itself is damaged.
    private static let recoveryRemedy =
        "Stop the server, keep a copy of the directory, and restore the last backup; 'stratus doctor --recover DIRECTORY' takes what can be read into a new directory."

    /// Is told what is done, and how much of it.
    public typealias Progress = (_ what: String, _ done: Int, _ total: Int) -> Void

    /// Inspects the store of a directory. That the file is damaged, or none of SQLite, is a finding like others.
    ///
    /// Nothing is written: beside a server this is one more reader, without one the files are read by a way of SQLite's
    /// that makes, cuts and removes nothing.
    /// - Throws: `StorageError` when there is no file, or it cannot be read for another reason.
    public static func run(
        directory: String, depth: Depth = Depth(), progress: @escaping Progress = { _, _, _ in }
    ) throws -> [StoreFinding] {
        let path = directory + "/" + SQLiteStore.fileName
        guard FileManager.default.fileExists(atPath: path) else {
            throw StorageError.engine("There is no \(SQLiteStore.fileName) in \(directory).")
        }
        // A command may write beside, or a server start meanwhile: then what was seen may not fit together.
        for _ in 0..<3 {
            let isServed = isServed(directory: directory)
            let before = FileStamps(path)
            let findings = try inspectCatching(path, isServed, depth, progress)
            if isServed || FileStamps(path) == before { return findings }
        }
        return [
            StoreFinding(
                "files", .warning, "Somebody writes into the files while they are looked at.",
                remedy: "Run the command again when nothing else works on the directory.")
        ]
    }

    private static func inspectCatching(
        _ path: String, _ isServed: Bool, _ depth: Depth, _ progress: @escaping Progress
    ) throws -> [StoreFinding] {
        do {
            return try inspect(path, isServed, depth, progress)
        } catch let error as StorageError where error.isCorrupt {
            let cause = error.cause.map { " (\($0))" } ?? ""
            return [
                StoreFinding(
                    "integrity", .problem,
                    "The file \(path) is damaged, or not an SQLite database\(cause).", remedy: recoveryRemedy)
            ]
        }
    }

    private static func inspect(
        _ path: String, _ isServed: Bool, _ depth: Depth, _ progress: @escaping Progress
    ) throws -> [StoreFinding] {
        let connection = try Connection(lookingAt: path, isServed: isServed)
        defer { connection.close() }
        try connection.execute("BEGIN")
        defer { connection.endReading() }
        // The log first: the pages that are checked are those that SQLite sees through it.
        let log = try logFindings(path, connection, isServed: isServed, progress: progress)
        progress("Checking the pages", 0, 1)
        let damage = try integrity(connection, checksIndexes: depth.checksIndexes)
        // Nothing more is known about damaged pages; what the other checks say would be noise.
        guard damage.severity == .good else { return [damage] + log }
        guard try connection.int("SELECT count(*) FROM sqlite_master WHERE name = 'meta'") > 0 else {
            return [
                damage,
                StoreFinding(
                    "layout", .problem, "The file \(path) is not a database of Stratus.",
                    remedy:
                        "Name the server's directory with --data; or move the file away and restore the last backup in its place."
                ),
            ] + log
        }
        let inspection = StoreInspection(
            connection: connection, catalog: try Catalog.load(connection), depth: depth)
        progress("Comparing the tables", 0, 1)
        return try [damage] + inspection.findings() + log
    }

    /// Whether the store of a directory holds any record.
    ///
    /// - Throws: `StorageError` when it cannot be read.
    public static func holdsRecords(directory: String) throws -> Bool {
        let path = directory + "/" + SQLiteStore.fileName
        guard FileManager.default.fileExists(atPath: path) else { return false }
        let connection = try Connection(
            lookingAt: path, isServed: isServed(directory: directory), cacheKiB: 1_024)
        defer { connection.close() }
        return try connection.int("SELECT EXISTS (SELECT 1 FROM directory)") > 0
    }

    /// The databases that have a key of encrypted fields; none in a layout of before there were such keys.
    ///
    /// - Throws: `StorageError` when they cannot be read.
    public static func databaseKeys(directory: String) throws -> [KeyedDatabase] {
        let path = directory + "/" + SQLiteStore.fileName
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        let connection = try Connection(
            lookingAt: path, isServed: isServed(directory: directory), cacheKiB: 1_024)
        defer { connection.close() }
        guard
            try connection.int("SELECT count(*) FROM pragma_table_info('database') WHERE name = 'data_key'")
                > 0
        else { return [] }
        return try SQLiteReader.keyedDatabases(after: 0, limit: .max, connection)
    }

    /// Asks a directory's store without changing anything, also while a server uses it.
    ///
    /// - Returns: nil where there is no database.
    /// - Throws: `StorageError` where it cannot be read, or is of an older version that lacks what is asked for.
    public static func read<Value>(
        directory: String, _ body: (any StoreReader) throws -> Value
    ) throws -> Value? {
        let path = directory + "/" + SQLiteStore.fileName
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let connection = try Connection(
            lookingAt: path, isServed: isServed(directory: directory), cacheKiB: 1_024)
        defer { connection.close() }
        try connection.execute("BEGIN")
        defer { connection.endReading() }
        let catalog = try Catalog.load(connection)
        return try body(
            SQLiteReader(connection: connection, catalog: catalog, indexAdvisor: nil, zoneCache: nil))
    }

    /// Whether a server holds the directory at this moment.
    public static func isServed(directory: String) -> Bool {
        DirectoryLock.isHeld(directory: directory)
    }

    private func findings() throws -> [StoreFinding] {
        try tableFindings() + directoryFindings() + [sequenceFinding(), referenceFinding()] + indexFindings()
            + assetFindings()
            + accessFindings() + bodyFindings() + [usageFinding()] + [backgroundFinding()]
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
