import Foundation
import SQLiteAccess
import StratusCoreData
import TestSupport
import Testing

@testable import StoreInspection

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

    private static func randomValue(_ random: inout Random) -> SQLiteValue {
        switch random.int(0...9) {
        case 0: return .null
        case 1:
            return .int([.min, .max, -1, 0, 1, 15_999, 16_000, 1 << 32].randomElement(using: &random) ?? 0)
        case 2: return .int(Int64(random.int(-20...20)))
        case 3: return .double([.infinity, -.infinity, 0.5, -0.0, 1e300].randomElement(using: &random) ?? 0)
        case 4:
            return .text(
                ["", "0", "a\0b", "Course", "\u{301}'\"", "9e999"].randomElement(using: &random) ?? "")
        case 5: return .text(String(repeating: "x", count: random.int(1...5_000)))
        case 6: return .blob(Data())
        case 7: return .blob(Data((0..<random.int(1...64)).map { _ in UInt8(random.int(0...255)) }))
        default: return .blob((try? propertyList(&random)) ?? Data())
        }
    }

    /// A list that is well formed and says nothing that is expected, or is cut off.
    private static func propertyList(_ random: inout Random) throws -> Data {
        let values: [Any] = [
            ["NSStoreModelVersionHashes": ["Course": 1, "Tag": Data([1])]],
            ["NSPersistenceFrameworkVersion": "x"],
            ["NSStoreModelVersionHashes": 5, "NSStoreType": ["a"]], [1, "a"], "text",
            ["NSStoreModelVersionIdentifiers": ["": 1]],
        ]
        let value = values.randomElement(using: &random) ?? "text"
        let format = random.oneIn(2) ? PropertyListSerialization.PropertyListFormat.xml : .binary
        let data = try PropertyListSerialization.data(fromPropertyList: value, format: format, options: 0)
        return random.oneIn(3) ? data.prefix(random.int(0...data.count)) : data
    }

    private func exercise(_ url: URL) {
        _ = StoreChecker.check(url)
        for entity in ["Course", "Tag"] { _ = try? RowTable(url, query: .init(entity: entity)) }
        _ = try? StoreInspector.report(url)
        // The module itself opens the same file, with the model and with what the file says about itself.
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleStore.model())
        _ = try? NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
        guard
            let store = try? coordinator.addPersistentStore(
                type: .sqlite, at: url, options: [NSPersistentHistoryTrackingKey: true])
        else { return }
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Course")
            _ = try? context.fetch(request)
            _ = try? context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast))
            NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context).setValue(
                "new", forKey: "name")
            try? context.save()
        }
        try? coordinator.remove(store)
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
                    [Self.randomValue(&random)])
            }
            connection.close()
            exercise(original.url)
        }
    }
}
