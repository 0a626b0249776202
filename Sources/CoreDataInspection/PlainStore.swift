internal import DataModel
internal import Foundation
internal import SQLiteAccess

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

    private let connection: SQLiteConnection
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
        var options = SQLiteConnection.Options()
        options.isReadOnly = true
        connection = try SQLiteConnection(path: url.path, options: options) {
            InspectionError(.unreadable($0.message), path: original, cause: $0)
        }
        tables = try Self.tables(connection)
        guard tables["Z_METADATA"] != nil, tables["Z_PRIMARYKEY"] != nil else {
            throw InspectionError(.noStore, path: original)
        }
        let row = try connection.makeStatement("SELECT Z_UUID, Z_PLIST FROM Z_METADATA LIMIT 1")
        let hasRow = try row.step()
        identifier = hasRow ? row.string(0) : ""
        metadata = (hasRow ? row.data(1) : nil).flatMap(PropertyList.dictionary)
        row.reset()
        hasModelCacheTable = tables["Z_MODELCACHE"] != nil
        modelCache = hasModelCacheTable ? try Self.modelCache(connection) : nil
        let all = try Self.entities(connection)
        entities = all.filter { $0.number < Self.firstPrivateNumber }
        privateEntities = all.filter { $0.number >= Self.firstPrivateNumber }
    }

    /// The entities of the framework's own, for history and mirroring, have numbers from here.
    private static let firstPrivateNumber = 16_000

    private static func tables(_ connection: SQLiteConnection) throws -> [String: [Column]] {
        let names = try connection.makeStatement("SELECT name FROM sqlite_master WHERE type = 'table'")
        var result: [String: [Column]] = [:]
        while try names.step() {
            let name = names.string(0)
            let info = try connection.makeStatement("PRAGMA table_info(\(quoted(name)))")
            var columns: [Column] = []
            while try info.step() {
                columns.append(Column(name: info.string(1), type: info.string(2).uppercased()))
            }
            result[name.uppercased()] = columns
        }
        return result
    }

    private static func modelCache(_ connection: SQLiteConnection) throws -> Data? {
        let row = try connection.makeStatement("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
        return try row.step() ? row.data(0) : nil
    }

    private static func entities(_ connection: SQLiteConnection) throws -> [Entity] {
        let row = try connection.makeStatement(
            "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT")
        var result: [Entity] = []
        while try row.step() {
            result.append(
                Entity(
                    number: Int(row.integer(0) ?? 0), name: row.string(1), parent: Int(row.integer(2) ?? 0),
                    greatestKey: row.integer(3) ?? 0))
        }
        return result
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

    /// Runs a closure for each row of an answer.
    func each(_ sql: String, _ body: (PreparedStatement) throws -> Void) throws {
        let row = try connection.makeStatement(sql)
        while try row.step() { try body(row) }
    }

    /// The first value of an answer, where it is a number.
    func number(_ sql: String) throws -> Int64? {
        let row = try connection.makeStatement(sql)
        return try row.step() ? row.integer(0) : nil
    }

    func count(_ table: String, _ condition: String = "1") throws -> Int {
        Int(try number("SELECT count(*) FROM \(Self.quoted(table)) WHERE \(condition)") ?? 0)
    }

    static func quoted(_ name: String) -> String { SQLQuotes.identifier(name) }
}
