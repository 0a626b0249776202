internal import Foundation
internal import GRDB
import SQLiteStatements

/// A store as plain SQL sees it: nothing here goes through Core Data, so that the two can be compared.
final class PlainStore {
    /// A row of `Z_PRIMARYKEY`.
    struct Entity {
        var number: Int
        var name: String
        var parent: Int
        var greatestKey: Int64
        /// The name in `Z_PRIMARYKEY`, where the model has another.
        var oldName: String?
    }

    struct Column {
        var name: String
        var type: String
    }

    private let queue: DatabaseQueue
    let path: String
    let identifier: String
    /// The property list of `Z_METADATA`; nil where it has none.
    let metadata: [String: Any]?
    /// The app's entities.
    private(set) var entities: [Entity]
    /// Those of the framework, for history and mirroring.
    let privateEntities: [Entity]
    /// The columns of each table, by its name in upper case.
    let tables: [String: [Column]]
    let modelCache: Data?
    let hasModelCacheTable: Bool

    /// - Throws: ``InspectionError``.
    init(_ url: URL, original: String) throws {
        path = original
        var configuration = Configuration()
        configuration.readonly = true
        configuration.label = "stratus-inspect"
        do {
            let queue = try DatabaseQueue(path: url.path, configuration: configuration)
            self.queue = queue
            let tables = try queue.read { try Self.tables($0) }
            guard tables["Z_METADATA"] != nil, tables["Z_PRIMARYKEY"] != nil else {
                throw InspectionError(.noStore, path: original)
            }
            self.tables = tables
            let row = try queue.read { database in
                try Row.fetchOne(database, sql: "SELECT Z_UUID, Z_PLIST FROM Z_METADATA LIMIT 1")
            }
            identifier = row?["Z_UUID"] ?? ""
            let list: Data? = row?["Z_PLIST"]
            metadata = list.flatMap {
                (try? PropertyListSerialization.propertyList(from: $0, format: nil)) as? [String: Any]
            }
            hasModelCacheTable = tables["Z_MODELCACHE"] != nil
            modelCache =
                tables["Z_MODELCACHE"] == nil
                ? nil
                : try queue.read { try Data.fetchOne($0, sql: "SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1") }
            let all = try queue.read { try Self.entities($0) }
            entities = all.filter { $0.number < 16_000 }
            privateEntities = all.filter { $0.number >= 16_000 }
        } catch let error as DatabaseError {
            throw InspectionError(.unreadable(error.message ?? "\(error)"), path: original, cause: error)
        }
    }

    private static func tables(_ database: Database) throws -> [String: [Column]] {
        var result: [String: [Column]] = [:]
        let names = try String.fetchAll(database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
        for name in names {
            let rows = try Row.fetchAll(database, sql: "PRAGMA table_info(\(quoted(name)))")
            result[name.uppercased()] = rows.map { row in
                let declared: String = row["type"] ?? ""
                return Column(name: row["name"] ?? "", type: declared.uppercased())
            }
        }
        return result
    }

    private static func entities(_ database: Database) throws -> [Entity] {
        try Row.fetchAll(
            database, sql: "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT"
        )
        .map { row in
            Entity(
                number: row.number("Z_ENT"), name: row.text("Z_NAME"), parent: row.number("Z_SUPER"),
                greatestKey: Int64(row.number("Z_MAX")))
        }
    }

    // MARK: Entities

    /// Gives an entity the name that the model has for it: Apple's migration leaves the old name of a renamed
    /// entity in `Z_PRIMARYKEY`.
    func rename(_ number: Int, to name: String) {
        guard let index = entities.firstIndex(where: { $0.number == number }) else { return }
        entities[index].oldName = entities[index].name
        entities[index].name = name
    }

    func root(of entity: Entity) -> Entity {
        var current = entity
        // Numbers of parents are smaller, so that a damaged table ends too.
        while current.parent > 0, current.parent < current.number,
            let parent = entities.first(where: { $0.number == current.parent })
        {
            current = parent
        }
        return current
    }

    /// The numbers of the entity and of all that inherit from it.
    func family(of entity: Entity) -> [Int] {
        var result: Set<Int> = [entity.number]
        for other in entities.sorted(by: { $0.number < $1.number }) where result.contains(other.parent) {
            result.insert(other.number)
        }
        return result.sorted()
    }

    /// The table of an entity's rows, where it exists.
    func table(of entity: Entity) -> String? {
        let root = root(of: entity)
        return [root.name, root.oldName].compactMap { $0 }.map { "Z" + $0.uppercased() }
            .first { tables[$0] != nil }
    }

    func hasColumn(_ column: String, in table: String) -> Bool {
        tables[table.uppercased()]?.contains { $0.name.uppercased() == column.uppercased() } ?? false
    }

    // MARK: Queries

    func rows(_ sql: String) throws -> [Row] {
        try wrap { try queue.read { try Row.fetchAll($0, sql: sql) } }
    }

    func each(_ sql: String, _ body: (Row) throws -> Void) throws {
        try wrap {
            try queue.read { database in
                let cursor = try Row.fetchCursor(database, sql: sql)
                while let row = try cursor.next() { try body(row) }
            }
        }
    }

    func number(_ sql: String) throws -> Int64? {
        try wrap { try queue.read { try Int64.fetchOne($0, sql: sql) } }
    }

    func count(_ table: String, _ condition: String = "1") throws -> Int {
        Int(try number("SELECT count(*) FROM \(Self.quoted(table)) WHERE \(condition)") ?? 0)
    }

    private func wrap<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw InspectionError(.unreadable(error.message ?? "\(error)"), path: path, cause: error)
        }
    }

    static func quoted(_ name: String) -> String { SQLQuotes.identifier(name) }
}
