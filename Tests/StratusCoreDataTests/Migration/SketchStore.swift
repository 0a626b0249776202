import Foundation
import SQLiteAccess
import TestSupport
import Testing

@testable import CoreDataSQLiteStore
@testable import StratusCoreData

/// A store of a sketched model, filled and read by plain SQL.
struct SketchStore {
    let url: URL
    let sketch: SketchModel
    let model: NSManagedObjectModel

    /// What an object holds, by the ids of properties.
    struct Content: Equatable {
        var entity: Int
        var attributes: [Int: SQLBinding] = [:]
        var relationships: [Int: [Int64]] = [:]
    }

    /// An object: the root of its older hierarchy and its key.
    struct Key: Hashable {
        var table: Int
        var pk: Int64
    }

    init(_ url: URL, _ sketch: SketchModel) throws {
        self.url = url
        self.sketch = sketch
        model = sketch.build()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        try coordinator.remove(store)
    }

    static func connect(_ url: URL) throws -> SQLiteConnection {
        try SQLiteConnection(
            path: url.path, settings: try StoreSettings(nil, isReadOnly: false, isInMemory: false),
            isReader: true)
    }

    static func layout(_ model: NSManagedObjectModel, _ connection: SQLiteConnection) throws -> StoreLayout {
        try LayoutBuilder.layout(model, configuration: nil, schema: try StoredState.schema(connection))
    }

    static func table(_ layout: StoreLayout, _ sketch: SketchModel, _ id: Int) throws -> EntityTable {
        let name = try #require(sketch.entity(id)?.name)
        let entity = try #require(layout.model.entitiesByName[name])
        return try #require(layout.table(of: entity))
    }

    // MARK: Filling

    func fill(_ random: inout Random, objects: ClosedRange<Int> = 0...12) throws {
        let connection = try Self.connect(url)
        defer { connection.close() }
        let layout = try Self.layout(model, connection)
        var keys: [Int: [Int64]] = [:]
        var next: [String: Int64] = [:]
        try connection.transaction {
            for entity in sketch.entities {
                let table = try Self.table(layout, sketch, entity.id)
                for _ in 0..<random.int(objects) {
                    let pk = next[table.table.name, default: 0] + 1
                    next[table.table.name] = pk
                    keys[entity.id, default: []].append(pk)
                    try insert(pk, entity.id, table, connection, &random)
                }
            }
            for entity in sketch.entities {
                for relationship in entity.relationships {
                    try connect(relationship, entity, keys, layout, connection, &random)
                }
            }
            for table in layout.tables {
                try connection.execute(
                    "UPDATE Z_PRIMARYKEY SET Z_MAX = \(next[table.name] ?? 0) WHERE Z_NAME = \(SQLQuotes.literal(table.root.name ?? ""))"
                )
            }
        }
    }

    private func insert(
        _ pk: Int64, _ id: Int, _ table: EntityTable, _ connection: SQLiteConnection, _ random: inout Random
    ) throws {
        var names = ["Z_PK", "Z_ENT", "Z_OPT"]
        var values: [SQLBinding] = [.int(pk), .int(Int64(table.number)), .int(1)]
        for attribute in sketch.attributes(of: id) {
            guard case .column(let column)? = table.storage(attribute.name) else { continue }
            names.append(column)
            values.append(
                attribute.isOptional && random.oneIn(4) ? .null : SketchValue.random(attribute.type, &random))
        }
        let places = names.map { _ in "?" }.joined(separator: ", ")
        try connection.run(
            "INSERT INTO \(table.table.sqlName) (\(names.joined(separator: ", "))) VALUES (\(places))", values
        )
    }

    private func connect(
        _ relationship: SketchModel.Relationship, _ owner: SketchModel.Entity, _ keys: [Int: [Int64]],
        _ layout: StoreLayout,
        _ connection: SQLiteConnection, _ random: inout Random
    ) throws {
        let owners = sketch.family(owner.id).flatMap { member in
            (keys[member.id] ?? []).map { (member.id, $0) }
        }
        let targets = sketch.family(relationship.destination).flatMap { member in
            (keys[member.id] ?? []).map { (member.id, $0) }
        }
        guard !owners.isEmpty, !targets.isEmpty else { return }
        let table = try Self.table(layout, sketch, owner.id)
        let target = try Self.table(layout, sketch, relationship.destination)
        let inverse = sketch.entities.flatMap(\.relationships).first { $0.id == relationship.inverse }
        switch table.storage(relationship.name) {
        case .toOne(let columns)?:
            // Of a pair of to-one relationships the first side decides.
            if let inverse, !inverse.isToMany, inverse.id < relationship.id { return }
            var free = targets.shuffled(using: &random)
            for (order, (_, pk)) in owners.enumerated() where !random.oneIn(4) {
                guard
                    let (kind, key) = inverse?.isToMany == false
                        ? free.popLast() : targets.randomElement(using: &random)
                else { break }
                let number = try Self.table(layout, sketch, kind).number
                try set(columns, table, pk, key, number, order, connection)
                if let inverse, !inverse.isToMany, case .toOne(let back)? = target.storage(inverse.name) {
                    let ownNumber = try connection.number(
                        "SELECT Z_ENT FROM \(table.table.sqlName) WHERE Z_PK = \(pk)")
                    try set(back, target, key, pk, Int(ownNumber), 0, connection)
                }
            }
        case .toManyKey(let key)? where !key.hasInverse:
            for (order, (_, pk)) in targets.enumerated() where !random.oneIn(4) {
                guard let (_, own) = owners.randomElement(using: &random) else { continue }
                let place = key.order.map { ", \($0) = \(2_048 + 1_024 * (targets.count - order))" } ?? ""
                try connection.execute(
                    "UPDATE \(key.table.sqlName) SET \(key.key) = \(own)\(place) WHERE Z_PK = \(pk)")
            }
        case .join(let side)? where side.own == SQLName.quoted(side.table.first):
            for (first, (_, own)) in owners.enumerated() {
                for (second, (_, other)) in targets.enumerated() where random.oneIn(3) {
                    var names = [side.own, side.other]
                    var values = [own, other]
                    if let order = side.order {
                        names.append(order)
                        values.append(Int64(2_048 + (targets.count - second) * 1_024))
                    }
                    if let order = side.otherOrder {
                        names.append(order)
                        values.append(Int64(2_048 + first * 1_024))
                    }
                    try connection.execute(
                        "INSERT OR IGNORE INTO \(side.table.sqlName) (\(names.joined(separator: ", "))) "
                            + "VALUES (\(values.map(String.init).joined(separator: ", ")))")
                }
            }
        default: break
        }
    }

    private func set(
        _ columns: ToOneColumns, _ table: EntityTable, _ pk: Int64, _ key: Int64, _ number: Int, _ order: Int,
        _ connection: SQLiteConnection
    ) throws {
        var sets = ["\(columns.key) = \(key)"]
        if let entity = columns.entity { sets.append("\(entity) = \(number)") }
        if let place = columns.order { sets.append("\(place) = \(2_048 + order * 1_024)") }
        try connection.execute(
            "UPDATE \(table.table.sqlName) SET \(sets.joined(separator: ", ")) WHERE Z_PK = \(pk)")
    }

    // MARK: Reading

    /// Everything in a store, by the tables of its roots.
    static func contents(
        _ url: URL, _ sketch: SketchModel, _ model: NSManagedObjectModel, isFresh: Bool = false
    ) throws -> [Key: Content] {
        let connection = try connect(url)
        defer { connection.close() }
        let layout = try layout(model, connection)
        var result: [Key: Content] = [:]
        for entity in sketch.entities {
            let table = try Self.table(layout, sketch, entity.id)
            let root = try #require(sketch.chain(entity.id).last?.id)
            for row in try connection.rows(
                "SELECT Z_PK FROM \(table.table.sqlName) WHERE Z_ENT = \(table.number)")
            {
                guard case .int(let pk) = row[0] else { continue }
                var content = Content(entity: entity.id)
                for attribute in sketch.attributes(of: entity.id) {
                    guard case .column(let column)? = table.storage(attribute.name) else {
                        Issue.record("no column for \(attribute.name)")
                        continue
                    }
                    let value = try connection.rows(
                        "SELECT \(column) FROM \(table.table.sqlName) WHERE Z_PK = \(pk)")[0][0]
                    content.attributes[attribute.id] = SketchValue.comparable(value)
                }
                for relationship in sketch.relationships(of: entity.id) {
                    content.relationships[relationship.id] = try targets(
                        relationship, pk, table, layout, sketch, connection)
                }
                result[Key(table: root, pk: pk)] = content
            }
        }
        return result
    }

    private static func targets(
        _ relationship: SketchModel.Relationship, _ pk: Int64, _ table: EntityTable, _ layout: StoreLayout,
        _ sketch: SketchModel, _ connection: SQLiteConnection
    ) throws -> [Int64] {
        let sql: String
        switch table.storage(relationship.name) {
        case .toOne(let columns)?:
            sql =
                "SELECT \(columns.key) FROM \(table.table.sqlName) WHERE Z_PK = \(pk) AND \(columns.key) NOT NULL"
            if let entity = columns.entity {
                let target = try Self.table(layout, sketch, relationship.destination).table.sqlName
                let wrong = try connection.number(
                    "SELECT count(*) FROM \(table.table.sqlName) AS o WHERE \(columns.key) NOT NULL AND \(entity) IS NOT "
                        + "(SELECT Z_ENT FROM \(target) AS x WHERE x.Z_PK = o.\(columns.key)) AND Z_PK = \(pk)"
                )
                #expect(wrong == 0, "entity column of \(relationship.name)")
            }
        case .toManyKey(let key)?:
            sql =
                "SELECT Z_PK FROM \(key.table.sqlName) WHERE \(key.key) = \(pk) ORDER BY \(key.order.map { "\($0), " } ?? "")Z_PK"
            if let order = key.order {
                let missing = try connection.number(
                    "SELECT count(*) FROM \(key.table.sqlName) WHERE \(key.key) = \(pk) AND \(order) IS NULL")
                #expect(missing == 0, "order of \(relationship.name)")
            }
        case .join(let side)?:
            sql =
                "SELECT \(side.other) FROM \(side.table.sqlName) WHERE \(side.own) = \(pk) ORDER BY "
                + "\(side.order.map { "\($0), " } ?? "")\(side.other)"
        default:
            Issue.record("no storage for \(relationship.name)")
            return []
        }
        return try connection.rows(sql).compactMap { row in
            if case .int(let value) = row[0] { value } else { nil }
        }
    }
}
