import Foundation
import SQLiteAccess
import StratusCoreData
import TestSupport

@testable import CoreDataInspection

/// Changes a store as no app would: by its values, its tables, its lists of properties, its bytes.
enum StoreMutation {
    /// Changes a file in one to three ways. What SQLite refuses is left out.
    static func apply(to url: URL, _ random: inout Random) throws {
        for _ in 0..<random.int(1...3) {
            switch random.int(0...9) {
            case 0...3: changeValue(url, &random)
            case 4: changeTables(url, &random)
            case 5...6: changeBlob(url, &random)
            default: try changeBytes(url, &random)
            }
        }
    }

    /// A value that nobody expects.
    static func value(_ random: inout Random) -> SQLiteValue {
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

    // MARK: By SQL

    private static func changeValue(_ url: URL, _ random: inout Random) {
        guard let connection = try? SQLiteConnection(path: url.path) else { return }
        defer { connection.close() }
        guard let table = tables(connection).randomElement(using: &random),
            let column = columns(connection, table).randomElement(using: &random)
        else { return }
        let place = random.oneIn(2) ? "" : " WHERE rowid % 2 = \(random.int(0...1))"
        try? connection.run(
            "UPDATE \(SQLQuotes.identifier(table)) SET \(SQLQuotes.identifier(column)) = ?\(place)",
            [value(&random)])
    }

    private static func changeTables(_ url: URL, _ random: inout Random) {
        guard let connection = try? SQLiteConnection(path: url.path) else { return }
        defer { connection.close() }
        guard let name = tables(connection).randomElement(using: &random) else { return }
        let table = SQLQuotes.identifier(name)
        let column = SQLQuotes.identifier(
            columns(connection, name).randomElement(using: &random) ?? "Z_PK")
        let statements = [
            "DROP TABLE \(table)", "DELETE FROM \(table)", "ALTER TABLE \(table) DROP COLUMN \(column)",
            "ALTER TABLE \(table) RENAME COLUMN \(column) TO ZOTHER",
            "ALTER TABLE \(table) RENAME TO ZOTHER\(random.int(0...9))",
            "INSERT INTO \(table) DEFAULT VALUES",
            "CREATE TRIGGER t\(random.int(0...9)) AFTER INSERT ON \(table) BEGIN DELETE FROM \(table); END",
            "ALTER TABLE \(table) RENAME TO old; CREATE VIEW \(table) AS SELECT * FROM old",
            "UPDATE \(table) SET \(column) = (SELECT \(column) FROM \(table) ORDER BY random() LIMIT 1)",
        ]
        try? connection.execute(random.pick(statements, else: ""))
    }

    /// Changes some bytes of a blob: of the metadata, the model inside the store, or an attribute.
    private static func changeBlob(_ url: URL, _ random: inout Random) {
        guard let connection = try? SQLiteConnection(path: url.path) else { return }
        defer { connection.close() }
        let places = [
            ("Z_METADATA", "Z_PLIST"), ("Z_MODELCACHE", "Z_CONTENT"), ("ZITEM", "ZNOTES"), ("ZITEM", "ZCODE"),
        ]
        let (table, column) = random.pick(places, else: ("Z_METADATA", "Z_PLIST"))
        guard let rows = try? connection.rows("SELECT rowid, \(column) FROM \(table) LIMIT 5") else { return }
        for row in rows {
            guard case .blob(var data) = row[1], !data.isEmpty else { continue }
            scramble(&data, &random)
            try? connection.run("UPDATE \(table) SET \(column) = ? WHERE rowid = ?", [.blob(data), row[0]])
        }
    }

    private static func tables(_ connection: SQLiteConnection) -> [String] {
        let rows = try? connection.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        return (rows ?? []).compactMap { if case .text(let name) = $0[0] { name } else { nil } }
    }

    private static func columns(_ connection: SQLiteConnection, _ table: String) -> [String] {
        let rows = try? connection.rows("PRAGMA table_info(\(SQLQuotes.identifier(table)))")
        return (rows ?? []).compactMap { if case .text(let name) = $0[1] { name } else { nil } }
    }

    // MARK: By bytes

    private static func changeBytes(_ url: URL, _ random: inout Random) throws {
        var data = try Data(contentsOf: url)
        guard data.count > 200 else { return }
        let pages = data.count / 4_096
        switch random.int(0...6) {
        case 0: data = data.prefix(random.int(0...data.count))
        case 1 where pages > 1:
            // One page in the place of another.
            let (from, to) = (random.int(0...pages - 1) * 4_096, random.int(0...pages - 1) * 4_096)
            data.replaceSubrange(to..<to + 4_096, with: data.subdata(in: from..<from + 4_096))
        case 2: data[random.int(0...99)] = UInt8(random.int(0...255))
        case 3 where pages > 0:
            // The head of a page: its kind, its cells, where they lie.
            let start = random.int(0...pages - 1) * 4_096
            data[start + random.int(0...40)] = UInt8(random.int(0...255))
        default: scramble(&data, &random)
        }
        try data.write(to: url)
    }

    private static func scramble(_ data: inout Data, _ random: inout Random) {
        for _ in 0..<random.int(1...8) {
            let place = data.startIndex + random.int(0...data.count - 1)
            switch random.int(0...3) {
            case 0: data[place] ^= 1 << random.int(0...7)
            case 1: data[place] = random.oneIn(2) ? 0 : 0xFF
            default: data[place] = UInt8(random.int(0...255))
            }
        }
        if random.oneIn(8) { data = Data(data.prefix(random.int(1...data.count))) }
    }

    // MARK: Using what came of it

    /// Does with a store whatever a command or an app does with one that others made.
    static func exercise(_ url: URL) {
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
            for entity in ["Course", "Chapter"] {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                for object in (try? context.fetch(request)) ?? [] {
                    for name in object.entity.relationshipsByName.keys { _ = object.value(forKey: name) }
                    _ = object.value(forKey: "title")
                }
            }
            _ = try? context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast))
            let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
            tag.setValue("new", forKey: "name")
            let courses = (try? context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Course"))) ?? []
            courses.first?.setValue(Set([tag]), forKey: "tags")
            courses.first?.setValue("changed", forKey: "title")
            if let last = courses.last, courses.count > 1 { context.delete(last) }
            try? context.save()
        }
        try? coordinator.remove(store)
    }
}
