import Foundation
import SQLiteAccess
import StratusCoreData
import TestSupport
import Testing

@testable import CoreDataInspection

/// A store of others may hold any value of any type in the tables that say what the store is.
@Suite struct ForeignValueTests {
    /// Each column of each system table, as a store with history has them.
    private static func columns(_ connection: SQLiteConnection) throws -> [(table: String, column: String)] {
        let tables = try connection.rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND (name GLOB 'Z_*' OR name GLOB 'A*')")
        return try tables.flatMap { row -> [(table: String, column: String)] in
            guard case .text(let table) = row[0] else { return [] }
            return try connection.rows("PRAGMA table_info(\(SQLQuotes.identifier(table)))").compactMap {
                guard case .text(let column) = $0[1] else { return nil }
                return (table, column)
            }
        }
    }

    @Test("Z_METADATA holds a number and a blob where text and a list belong")
    func metadata() throws {
        for change in ["Z_PLIST = 0", "Z_UUID = x'00ff'", "Z_PLIST = 'text', Z_UUID = 1.5"] {
            let store = try SampleStore()
            try store.execute("UPDATE Z_METADATA SET \(change)")
            let report = StoreChecker.check(store.url)
            #expect(report.verdict == .clean && report.objects == 94, "\(change): \(report)")
        }
    }

    @Test("No value in a system table stops the program", arguments: Seed.some(12))
    func any(seed: Seed) throws {
        var random = seed.random
        let original = try SampleStore(journal: "DELETE", history: true)
        let bytes = try Data(contentsOf: original.url)
        let columns = try Self.columns(SQLiteConnection(path: original.url.path))
        #expect(columns.count > 20)
        for _ in 0..<25 {
            try bytes.write(to: original.url)
            let connection = try SQLiteConnection(path: original.url.path)
            for _ in 0..<random.int(1...2) {
                guard let (table, column) = columns.randomElement(using: &random) else { continue }
                let place = random.oneIn(2) ? "" : " WHERE rowid % 2 = \(random.int(0...1))"
                // A column that is the table's key takes integers only, and refuses equal ones.
                try? connection.run(
                    "UPDATE \(SQLQuotes.identifier(table)) SET \(SQLQuotes.identifier(column)) = ?\(place)",
                    [StoreMutation.value(&random)])
            }
            connection.close()
            StoreMutation.exercise(original.url)
        }
    }
}
