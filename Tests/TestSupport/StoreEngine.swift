import Foundation
import PostgresAccess
public import RecordStorage
import RecordStorageOpening

/// The engines that tests run on: one more case here, and every test of the conformance suite runs on it too.
public enum StoreEngine: String, Sendable, CaseIterable {
    case memory, postgres, sqlite

    /// Those whose stores are still there after closing and opening again.
    public static let durable = allCases.filter { $0 != .memory }

    /// The engine of tests that need one: SQLite, or what `STRATUS_TEST_STORE` names.
    public static let chosen =
        ProcessInfo.processInfo.environment["STRATUS_TEST_STORE"].flatMap(StoreEngine.init) ?? .sqlite

    /// Opens the store of a directory: a database of PostgreSQL is a directory's own, too.
    public func open(_ directory: TemporaryDirectory) throws -> any RecordStore {
        switch self {
        case .memory: try StoreLocation.memory.open()
        case .postgres: try StoreLocation.postgres(url: Self.database(of: directory)).open()
        case .sqlite: try StoreLocation.sqlite(directory: directory.path).open()
        }
    }

    /// The address of a directory's database, which is made where it is missing.
    public static func databaseURL(of directory: TemporaryDirectory) throws -> String {
        try database(of: directory)
    }

    private static func database(of directory: TemporaryDirectory) throws -> String {
        let cluster = try PostgresCluster.shared()
        let name = "test_" + directory.path.filter(\.isHexDigit).suffix(24).lowercased()
        let connection = try PostgresConnection(url: cluster.url)
        defer { connection.close() }
        let found = try connection.run(
            PostgresStatement("SELECT count(*) FROM pg_database WHERE datname = $1::name", .text), .text(name)
        )
        if found.int(0, 0) == 0 { try connection.run(sql: "CREATE DATABASE \(name)") }
        return cluster.url(ofDatabase: name)
    }

    /// Runs a test with a store of its own and closes it afterwards.
    public func run(_ body: (any RecordStore) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let store = try open(directory)
        do {
            try await body(store)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }
}
