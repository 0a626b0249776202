internal import SQLiteAccess
internal import StratusCoreData

/// Computes derived attributes when objects are saved (Documentation/CoreDataStore.md, 'Derived attributes').
///
/// Apple's stores keep aggregates with triggers; here they are computed again, in SQL, for the objects that a save
/// can have touched. With the triggers of an Apple store in place, both give the same result.
final class DerivedAttributes {
    /// One derived attribute.
    private struct Derived {
        var table: EntityTable
        var attribute: NSAttributeDescription
        var column: String
        var expression: ExpressionTree
        /// The relationships that the expression follows, each with the entity that declares it.
        var steps: [Step]
    }

    /// One relationship of a path.
    private struct Step {
        var owner: EntityTable
        var destination: EntityTable
        var relationship: NSRelationshipDescription
        var storage: SlotStorage
    }

    private let layout: StoreLayout
    private var all: [Derived] = []

    init(_ layout: StoreLayout) {
        self.layout = layout
        for table in layout.entities {
            for property in table.entity.ownProperties {
                guard let attribute = property as? NSDerivedAttributeDescription,
                    let expression = attribute.derivationExpression?.tree,
                    case .column(let column)? = table.storage(attribute.name)
                else { continue }
                all.append(
                    Derived(
                        table: table, attribute: attribute, column: column, expression: expression,
                        steps: steps(of: expression, from: table)))
            }
        }
    }

    var isEmpty: Bool { all.isEmpty }

    private func steps(of expression: ExpressionTree, from table: EntityTable) -> [Step] {
        let keys: [String]
        switch expression {
        case .keyPath(let path): keys = path
        case .function(_, let arguments): return arguments.first.map { steps(of: $0, from: table) } ?? []
        default: return []
        }
        var result: [Step] = []
        var current = table
        for key in keys {
            guard let slot = current.layout.slots[key],
                let relationship = current.layout.relationshipDescriptions[slot],
                let destination = relationship.destinationEntity.flatMap(layout.table(of:))
            else { break }
            result.append(
                Step(
                    owner: current, destination: destination, relationship: relationship,
                    storage: current.slots[slot]))
            current = destination
        }
        return result
    }

    // MARK: After a save

    /// Computes what the changes can have touched, within their transaction.
    ///
    /// - Returns: the objects whose values are others now.
    func update(_ changes: StoreChanges, _ connection: SQLiteConnection) throws -> Set<NSManagedObjectID> {
        guard !all.isEmpty else { return [] }
        var result: Set<NSManagedObjectID> = []
        for derived in all {
            var keys: Set<Int64> = []
            for change in changes.inserted + changes.updated where derived.table.holds(change) {
                if let key = change.objectID.rowKey { keys.insert(key) }
            }
            for (index, step) in derived.steps.enumerated() {
                var reached = try owners(of: changes, step, connection)
                for earlier in derived.steps[..<index].reversed() {
                    reached = try owners(of: reached, earlier, connection)
                }
                keys.formUnion(reached)
            }
            guard !keys.isEmpty else { continue }
            try fill(keys, connection)
            let store = store(changes)
            try compute(derived, connection, where: " WHERE d.Z_PK IN (SELECT pk FROM temp.stratus_keys)") {
                key, number in
                let entity = layout.entity(number: number)?.entity ?? derived.table.entity
                result.insert(NSManagedObjectID(reference: .row(key), entity: entity, store: store))
            }
        }
        return result
    }

    /// Computes the derived attributes of all objects, after a batch request.
    func updateAll(_ connection: SQLiteConnection) throws {
        for derived in all {
            let numbers = derived.table.family.map(String.init).joined(separator: ", ")
            try compute(derived, connection, where: " WHERE d.Z_ENT IN (\(numbers))")
        }
    }

    private func store(_ changes: StoreChanges) -> NSPersistentStore? {
        (changes.inserted.first ?? changes.updated.first ?? changes.deleted.first)?.objectID.persistentStore
    }

    /// - Parameter changed: hears the key and the entity of each row that has another value now.
    private func compute(
        _ derived: Derived, _ connection: SQLiteConnection, where condition: String,
        changed: (_ key: Int64, _ entity: Int) -> Void = { _, _ in }
    ) throws {
        let compiler = FetchCompiler(layout: layout)
        let value = try compiler.assignment(
            derived.expression, to: derived.attribute, of: derived.table.entity, alias: "d")
        let statement = try connection.statement(
            "UPDATE \(derived.table.table.sqlName) AS d SET \(derived.column) = \(value.sql)\(condition) "
                + "AND d.\(derived.column) IS NOT (\(value.sql)) RETURNING Z_PK, IFNULL(Z_ENT, 0)")
        // The value is in the text twice.
        statement.bind(value.bindings + value.bindings)
        defer { statement.reset() }
        while try statement.step() {
            changed(statement.int(0), Int(truncatingIfNeeded: statement.int(1)))
        }
    }

    // MARK: Who is touched

    /// The owners of a relationship whose destinations the changes changed.
    private func owners(of changes: StoreChanges, _ step: Step, _ connection: SQLiteConnection) throws -> Set<
        Int64
    > {
        var keys: Set<Int64> = []
        var result: Set<Int64> = []
        for change in changes.inserted + changes.updated + changes.deleted
        where step.destination.holds(change) {
            if let key = change.objectID.rowKey { keys.insert(key) }
            // Where it belonged before.
            guard let inverse = step.relationship.inverseRelationship, !inverse.isToMany,
                let slot = change.layout.slots[inverse.name],
                case .reference(let owner)? = change.base?.value(slot, change.layout), let key = owner.rowKey
            else { continue }
            result.insert(key)
        }
        return result.union(try owners(of: keys, step, connection))
    }

    /// The owners of a relationship that lead to objects.
    private func owners(of keys: Set<Int64>, _ step: Step, _ connection: SQLiteConnection) throws -> Set<
        Int64
    > {
        guard !keys.isEmpty else { return [] }
        try fill(keys, connection)
        let sql: String
        switch step.storage {
        case .toOne(let columns):
            sql =
                "SELECT Z_PK FROM \(step.owner.table.sqlName) WHERE \(columns.key) IN (SELECT pk FROM temp.stratus_keys)"
        case .toManyKey(let key):
            sql =
                "SELECT \(key.key) FROM \(key.table.sqlName) WHERE Z_PK IN (SELECT pk FROM temp.stratus_keys) "
                + "AND \(key.key) NOT NULL"
        case .join(let side):
            sql =
                "SELECT \(side.own) FROM \(side.table.sqlName) WHERE \(side.other) IN (SELECT pk FROM temp.stratus_keys)"
        case .none, .column, .composite: return []
        }
        var result: Set<Int64> = []
        let statement = try connection.statement(sql)
        while try statement.step() { result.insert(statement.int(0)) }
        return result
    }

    private func fill(_ keys: Set<Int64>, _ connection: SQLiteConnection) throws {
        try TemporaryKeys.fill(keys, connection)
    }
}

/// A table of keys that only the connection sees.
enum TemporaryKeys {
    static let name = "temp.stratus_keys"

    static func fill(_ keys: some Sequence<Int64>, _ connection: SQLiteConnection) throws {
        try clear(connection)
        let insert = try connection.statement("INSERT OR IGNORE INTO \(name) (pk) VALUES (?)")
        for key in keys {
            insert.bind(key, at: 1)
            try insert.run()
        }
    }

    static func clear(_ connection: SQLiteConnection) throws {
        try connection.statement("CREATE TABLE IF NOT EXISTS \(name) (pk INTEGER PRIMARY KEY, ent INTEGER)")
            .run()
        try connection.statement("DELETE FROM \(name)").run()
    }
}

extension EntityTable {
    /// Whether an object is one of this entity.
    fileprivate func holds(_ change: ObjectChange) -> Bool {
        change.layout === layout || change.layout.entity.isKindOf(entity: entity)
    }
}
