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

    @Test("A damaged index that calls a row another entity's gives no object for it")
    func indexOfOtherEntity() throws {
        let store = try SampleStore(journal: "DELETE")
        let all = try RowTable(store.url, query: .init(entity: "Course")).rows.count
        let connection = try SQLiteConnection(path: store.url.path)
        let numbers = try connection.rows(
            """
            SELECT (SELECT rootpage FROM sqlite_master WHERE name = 'ZITEM_Z_ENT_INDEX'),
                (SELECT page_size FROM pragma_page_size),
                (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Chapter'), Z_ENT, Z_PK
            FROM ZITEM WHERE ZBEGINS NOT NULL AND Z_PK > 1 LIMIT 1
            """
        )[0].map { if case .int(let number) = $0 { Int(number) } else { 0 } }
        connection.close()
        let (root, size, chapter, course, key) = (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])
        // An entry: the length of its header, twice an integer of one byte, the entity, the row.
        var bytes = try Data(contentsOf: store.url)
        let page = size * (root - 1)..<size * root
        let entry = try #require(bytes.range(of: Data([3, 1, 1, UInt8(course), UInt8(key)]), in: page))
        bytes[entry.lowerBound + 3] = UInt8(chapter)
        try bytes.write(to: store.url)
        #expect(StoreChecker.check(store.url).verdict != .clean)
        #expect(try RowTable(store.url, query: .init(entity: "Course")).rows.count == all - 1)
        StoreMutation.exercise(store.url)
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
