import Foundation
import SQLiteAccess
import TestSupport

@testable import CoreDataSQLiteStore
@testable import StratusCoreData

/// Random objects, in memory and in a SQLite database of the store's layout.
final class LawStore {
    let law: LawModel
    private(set) var objects: [LawObject] = []
    private let database: SQLiteConnection

    init(_ random: inout Random, size: Int) throws {
        law = try LawModel()
        database = try SQLiteConnection(path: ":memory:")
        try EvaluationFunctions.install(on: database)
        makeObjects(&random, size)
        for text in law.layout.createStatements { try run(SQLPiece(text)) }
        try insertAll()
    }

    func objects(of entity: NSEntityDescription) -> [LawObject] {
        objects.filter { $0.entity.isKindOf(entity: entity) }
    }

    // MARK: The database

    /// The rows of a statement.
    @discardableResult
    func run(_ text: SQLPiece) throws -> [[SQLiteValue]] {
        do { return try database.rows(text.sql, text.bindings) } catch {
            throw SQLFailure(message: "\(error)", sql: text.sql)
        }
    }

    // MARK: Rows

    private func insertAll() throws {
        for object in objects {
            guard let table = law.layout.table(of: object.entity) else { continue }
            var names = ["Z_PK", "Z_ENT", "Z_OPT"]
            var values: [SQLBinding] = [.int(object.key), .int(Int64(table.number)), .int(1)]
            for (slot, storage) in table.slots.enumerated() {
                let name = table.layout.properties[slot].name
                switch storage {
                case .column(let column):
                    names.append(column)
                    values.append(Self.stored(object.values[name]))
                case .composite(let columns):
                    let parts = object.values[name] as? [String: Any] ?? [:]
                    for column in columns {
                        names.append(column.column)
                        values.append(Self.stored(parts[column.path[0]]))
                    }
                case .toOne(let columns):
                    names.append(columns.key)
                    values.append(object.object(name).map { .int($0.key) } ?? .null)
                    guard let order = columns.order, let other = object.object(name),
                        let inverse = table.layout.relationshipDescriptions[slot]?.inverseRelationship?.name,
                        let place = other.objects(inverse).firstIndex(where: { $0 === object })
                    else { break }
                    names.append(order)
                    values.append(.int(Int64(2048 + place * 1024)))
                case .join(let side): try insertPairs(object, name, side)
                case .none, .toManyKey: break
                }
            }
            try run(
                "INSERT INTO \(table.table.sqlName) (\(names.joined(separator: ", "))) VALUES \(.places(values))"
            )
        }
        // Relationships without a way back have their key at the other side, which is there by now.
        for object in objects {
            guard let table = law.layout.table(of: object.entity) else { continue }
            for (slot, storage) in table.slots.enumerated() {
                guard case .toManyKey(let many) = storage, !many.hasInverse else { continue }
                for other in object.objects(table.layout.properties[slot].name) {
                    try run(
                        "UPDATE \(many.table.sqlName) SET \(many.key) = \(bind: .int(object.key)) WHERE Z_PK = \(bind: .int(other.key))"
                    )
                }
            }
        }
    }

    private func insertPairs(_ object: LawObject, _ name: String, _ side: JoinSide) throws {
        for (place, other) in object.objects(name).enumerated() {
            let keys = "\(side.own), \(side.other)"
            let own = SQLBinding.int(object.key)
            try run(
                "INSERT OR IGNORE INTO \(side.table.sqlName) (\(keys)) VALUES \(.places([own, .int(other.key)]))"
            )
            guard let order = side.order else { continue }
            try run(
                """
                UPDATE \(side.table.sqlName) SET \(order) = \(bind: .int(Int64(2048 + place * 1024)))
                WHERE \(side.own) = \(bind: own) AND \(side.other) = \(bind: .int(other.key))
                """)
        }
    }

    static func stored(_ any: Any?) -> SQLBinding {
        switch any {
        case nil: .null
        // A whole number is an integer by the column's affinity, without a way over floating point.
        case let number as Decimal:
            Int64("\(number)").map { .int($0) } ?? .double(number.nearestDouble)
        default: SQLBinding(PredicateValue(any)) ?? .blob(Data([1]))
        }
    }
}

struct SQLFailure: Error, CustomStringConvertible {
    let message: String
    let sql: String
    var description: String { "\(message): \(sql)" }
}

// MARK: Random objects

extension LawStore {
    private func makeObjects(_ random: inout Random, _ size: Int) {
        let kinds = ["Thing", "Thing", "Book", "Film", "Comic"]
        let things = (1...size).map {
            LawObject(law.entity(random.pick(kinds, else: "Thing")), Int64($0))
        }
        let persons = (1...max(2, size / 3)).map { LawObject(law.entity("Person"), Int64($0)) }
        let tags = (1...max(2, size / 4)).map { LawObject(law.entity("Tag"), Int64($0)) }
        let notes = (1...max(2, size / 3)).map { LawObject(law.entity("Note"), Int64($0)) }
        objects = things + persons + tags + notes
        for object in objects {
            for slot in object.entity.layout.attributes {
                guard let attribute = object.entity.layout.attributeDescriptions[slot] else { continue }
                if let value = LawValues.value(attribute, &random) { object.values[attribute.name] = value }
            }
        }
        func join(_ one: LawObject, _ name: String, _ other: LawObject, _ inverse: String?) {
            if one.objects(name).contains(where: { $0 === other }) { return }
            one.values[name] = one.objects(name) + [other]
            if let inverse { other.values[inverse] = other.objects(inverse) + [one] }
        }
        for thing in things {
            if !random.oneIn(4), let person = persons.randomElement(using: &random) {
                thing.values["owner"] = person
                person.values["things"] = person.objects("things") + [thing]
            }
            if !random.oneIn(3), let parent = things.randomElement(using: &random) {
                thing.values["parent"] = parent
                parent.values["children"] = parent.objects("children") + [thing]
            }
            if thing.entity.layout.slots["editor"] != nil, let person = persons.randomElement(using: &random)
            {
                thing.values["editor"] = person
                person.values["edited"] = person.objects("edited") + [thing]
            }
            for tag in tags where random.oneIn(3) { join(thing, "tags", tag, "things") }
            for tag in tags where random.oneIn(4) { join(thing, "parts", tag, "wholes") }
        }
        for person in persons {
            if !random.oneIn(3), let boss = persons.randomElement(using: &random) {
                person.values["boss"] = boss
                boss.values["staff"] = boss.objects("staff") + [person]
            }
            for friend in persons where friend !== person && random.oneIn(4) {
                join(person, "friends", friend, "friends")
            }
        }
        for note in notes {
            if !random.oneIn(3) { note.values["about"] = things.randomElement(using: &random) }
            if !random.oneIn(3), let person = persons.randomElement(using: &random) {
                person.values["notes"] = person.objects("notes") + [note]
            }
        }
    }
}
