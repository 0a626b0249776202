internal import StratusCoreData

/// Makes the layout of a new store from a model, or fits it to the tables that a file has.
struct LayoutBuilder {
    let model: NSManagedObjectModel
    /// The entities of the store, parents first, in the order of their numbers.
    private(set) var entities: [NSEntityDescription]
    /// The number of each entity in the store.
    private var numbers: [ObjectIdentifier: Int] = [:]
    /// What the file has; nil for a new store.
    let schema: StoredSchema?

    /// The column of each attribute and to-one relationship, not quoted.
    private(set) var columns: [ObjectIdentifier: String] = [:]
    private var entityColumns: [ObjectIdentifier: String] = [:]
    private var orderColumns: [ObjectIdentifier: String] = [:]
    private var composites: [ObjectIdentifier: [CompositeColumn]] = [:]
    private var tables: [ObjectIdentifier: TableLayout] = [:]
    private var joins: [JoinTable] = []
    private var joinSides: [ObjectIdentifier: (table: JoinTable, isOwner: Bool)] = [:]
    private var joinOrders: [ObjectIdentifier: String] = [:]

    /// - Throws: ``LayoutMismatch`` where the file lacks what the model needs.
    static func layout(
        _ model: NSManagedObjectModel, configuration: String?, schema: StoredSchema? = nil
    ) throws -> StoreLayout {
        model.freezeForUse()
        var builder = LayoutBuilder(model, configuration: configuration, schema: schema)
        try builder.assignNumbers()
        for root in builder.roots { try builder.makeTable(root) }
        try builder.makeJoins()
        return builder.finish()
    }

    private init(_ model: NSManagedObjectModel, configuration: String?, schema: StoredSchema?) {
        self.model = model
        self.schema = schema
        // An entity needs its whole family: they share the table.
        let members = model.entities(forConfigurationName: configuration) ?? []
        var wanted: Set<ObjectIdentifier> = []
        for member in members {
            for entity in member.root.withDescendants { wanted.insert(ObjectIdentifier(entity)) }
        }
        entities = model.entities.filter { wanted.contains(ObjectIdentifier($0)) }
            .sorted { $0.layout.number < $1.layout.number }
    }

    private var roots: [NSEntityDescription] { entities.filter { $0.superentity == nil } }

    private mutating func assignNumbers() throws {
        let known = Set(entities.compactMap(\.name))
        for (index, entity) in entities.enumerated() {
            let name = entity.name ?? ""
            guard let schema else {
                numbers[ObjectIdentifier(entity)] = index + 1
                continue
            }
            guard let number = schema.number(of: name, expected: index + 1, known: known) else {
                throw LayoutMismatch.entity(name)
            }
            numbers[ObjectIdentifier(entity)] = number
        }
    }

    func number(_ entity: NSEntityDescription) -> Int { numbers[ObjectIdentifier(entity)] ?? 0 }

    // MARK: Tables

    private mutating func makeTable(_ root: NSEntityDescription) throws {
        let name = SQLName.table(root)
        var names = ColumnNames(stored: schema?.columns(of: name), table: name)
        if schema != nil, schema?.columns(of: name) == nil {
            throw LayoutMismatch.table(name, entity: root.name ?? "")
        }
        let members = root.withDescendants.filter { numbers[ObjectIdentifier($0)] != nil }
            .sorted { number($0) < number($1) }
        var result: [TableColumn] = []
        for entity in members {
            for attribute in flattened(entity, .integers) {
                result.append(try add(attribute, "INTEGER", &names))
            }
            for relationship in storedToOnes(entity) {
                result += try addKey(relationship, SQLName.column(relationship.name), &names)
            }
            for relationship in incomingWithoutInverse(entity) {
                let column = "Z\(number(relationship.entity))\(relationship.name.uppercased())"
                result.append(
                    TableColumn(
                        name: try names.take(column, "INTEGER", relationship), type: "INTEGER", isKey: true))
                columns[ObjectIdentifier(relationship)] = result.last?.name
            }
        }
        result += try addOrders(members, &names)
        for group in [ColumnGroup.reals, .texts, .uuids, .transformables, .binaries] {
            for entity in members {
                for attribute in flattened(entity, group) {
                    result.append(try add(attribute, attribute.attribute.columnType, &names))
                }
            }
        }
        tables[ObjectIdentifier(root)] = TableLayout(name: name, root: root, columns: result)
    }

    private mutating func add(
        _ attribute: FlatAttribute, _ type: String, _ names: inout ColumnNames
    ) throws -> TableColumn {
        let name = try names.take(attribute.columnName, type, attribute.owner)
        let owner = ObjectIdentifier(attribute.owner)
        if attribute.path.isEmpty {
            columns[owner] = name
        } else {
            composites[owner, default: []].append(
                CompositeColumn(
                    path: attribute.path, column: SQLName.quoted(name), attribute: attribute.attribute))
        }
        return TableColumn(name: name, type: type)
    }

    private mutating func addKey(
        _ relationship: NSRelationshipDescription, _ column: String, _ names: inout ColumnNames
    ) throws -> [TableColumn] {
        let key = try names.take(column, "INTEGER", relationship)
        columns[ObjectIdentifier(relationship)] = key
        var result = [TableColumn(name: key, type: "INTEGER", isKey: true)]
        guard let destination = relationship.destinationEntity, !destination.subentities.isEmpty else {
            return result
        }
        let expected = "Z\(number(destination))_\(relationship.name.uppercased())"
        if let name = names.takeEntityColumn(expected, relationship.name) {
            entityColumns[ObjectIdentifier(relationship)] = name
            result.append(TableColumn(name: name, type: "INTEGER"))
        }
        return result
    }

    /// The order of several of these columns in Apple's stores is not known
    /// (Documentation/CoreDataStore.md, 'Tables and columns').
    private mutating func addOrders(
        _ members: [NSEntityDescription], _ names: inout ColumnNames
    ) throws -> [TableColumn] {
        var result: [TableColumn] = []
        for entity in members {
            for relationship in storedToOnes(entity)
            where relationship.inverseRelationship?.isOrderedToMany == true {
                let name = try names.take("Z_FOK_\(relationship.name.uppercased())", "INTEGER", relationship)
                orderColumns[ObjectIdentifier(relationship)] = name
                result.append(TableColumn(name: name, type: "INTEGER"))
            }
            for relationship in incomingWithoutInverse(entity) where relationship.isOrdered {
                let owner = number(relationship.entity)
                let name = try names.take(
                    "Z_FOK_\(owner)\(relationship.name.uppercased())", "INTEGER", relationship)
                orderColumns[ObjectIdentifier(relationship)] = name
                result.append(TableColumn(name: name, type: "INTEGER"))
            }
        }
        return result
    }

    private func flattened(_ entity: NSEntityDescription, _ group: ColumnGroup) -> [FlatAttribute] {
        entity.ownProperties.compactMap { $0 as? NSAttributeDescription }.filter { !$0.isTransient }
            .flatMap(FlatAttribute.all).filter { $0.attribute.columnGroup == group }
            .sorted { ($0.owner.name, $0.columnName) < ($1.owner.name, $1.columnName) }
    }

    private func storedToOnes(_ entity: NSEntityDescription) -> [NSRelationshipDescription] {
        entity.ownProperties.compactMap { $0 as? NSRelationshipDescription }
            .filter { !$0.isToMany && !$0.isTransient }.sorted { $0.name < $1.name }
    }

    /// The to-many relationships that have their key in an entity's table because there is no way back.
    private func incomingWithoutInverse(_ entity: NSEntityDescription) -> [NSRelationshipDescription] {
        entities.flatMap(\.ownProperties).compactMap { $0 as? NSRelationshipDescription }
            .filter {
                $0.isToMany && !$0.isTransient && $0.inverseRelationship == nil
                    && $0.destinationEntity === entity
            }
    }

    // MARK: Many-to-many

    private mutating func makeJoins() throws {
        var seconds: Set<String> = []
        for entity in entities {
            let relationships = entity.ownProperties.compactMap { $0 as? NSRelationshipDescription }
            for relationship in relationships.sorted(by: { $0.name < $1.name }) {
                guard relationship.isToMany, !relationship.isTransient,
                    let inverse = relationship.inverseRelationship, inverse.isToMany,
                    joinSides[ObjectIdentifier(relationship)] == nil, inverse.entity != nil,
                    numbers[ObjectIdentifier(inverse.entity)] != nil
                else { continue }
                if let schema {
                    try adoptJoin(relationship, inverse, schema)
                } else {
                    makeJoin(relationship, inverse, &seconds)
                }
            }
        }
    }

    private mutating func makeJoin(
        _ relationship: NSRelationshipDescription, _ inverse: NSRelationshipDescription,
        _ seconds: inout Set<String>
    ) {
        let owner = number(relationship.entity)
        let other = number(inverse.entity)
        let name = "Z_\(owner)\(relationship.name.uppercased())"
        let first = "Z_\(owner)\(inverse.name.uppercased())"
        let base = "Z_\(other)\(relationship.name.uppercased())"
        var second = base
        var suffix = 0
        // The names of second columns are unique in the whole store.
        while second == first || seconds.contains(second) {
            suffix += 1
            second = base + String(suffix)
        }
        seconds.insert(second)
        record(relationship, inverse, name: name, first: first, second: second, stored: nil)
    }

    /// Keeps what is known of a join table; `stored` are the columns that the file has.
    private mutating func record(
        _ relationship: NSRelationshipDescription, _ inverse: NSRelationshipDescription, name: String,
        first: String, second: String, stored: [String]?
    ) {
        var orders: [String] = []
        // The order of the objects at the other side is beside their keys.
        for (side, column) in [(inverse, first), (relationship, second)] where side.isOrdered {
            let order = "Z_FOK_" + column.dropFirst(2)
            guard stored?.contains(order) ?? true, !orders.contains(order) else { continue }
            orders.append(order)
            joinOrders[ObjectIdentifier(side)] = order
        }
        let table = JoinTable(name: name, first: first, second: second, orders: orders)
        joins.append(table)
        joinSides[ObjectIdentifier(inverse)] = (table, false)
        joinSides[ObjectIdentifier(relationship)] = (table, true)
    }

    private mutating func adoptJoin(
        _ relationship: NSRelationshipDescription, _ inverse: NSRelationshipDescription,
        _ schema: StoredSchema
    ) throws {
        for (side, back) in [(relationship, inverse), (inverse, relationship)] {
            let name = "Z_\(number(side.entity))\(side.name.uppercased())"
            guard let stored = schema.columns(of: name)?.map(\.name) else { continue }
            let keys = stored.filter { !$0.hasPrefix("Z_FOK_") }
            guard keys.count == 2 else { continue }
            // A column carries the number of the entity whose keys it holds and the name of the relationship
            // that leads to them.
            let first = "Z_\(number(side.entity))\(back.name.uppercased())"
            let second = "Z_\(number(back.entity))\(side.name.uppercased())"
            guard let found = Self.match(keys, first: first, second: second) else { continue }
            record(side, back, name: name, first: found.first, second: found.second, stored: stored)
            return
        }
        throw LayoutMismatch.join(relationship.name, entity: relationship.entity.name ?? "")
    }

    private static func match(
        _ keys: [String], first: String, second: String
    ) -> (first: String, second: String)? {
        for (one, two) in [(keys[0], keys[1]), (keys[1], keys[0])] where one == first {
            // The second's name may carry a number, or say that the relationship leads to itself.
            if two == second || two == "REFLEXIVE" || ColumnNames.isSuffixed(two, of: second) {
                return (one, two)
            }
        }
        for (one, two) in [(keys[0], keys[1]), (keys[1], keys[0])] where two == second {
            if ColumnNames.isSuffixed(one, of: first) { return (one, two) }
        }
        return nil
    }

    // MARK: Putting it together

    private func finish() -> StoreLayout {
        let members = entities.compactMap { entity -> EntityTable? in
            guard let table = tables[ObjectIdentifier(entity.root)] else { return nil }
            return EntityTable(
                entity: entity, number: number(entity),
                family: entity.withDescendants.map(number), table: table,
                slots: entity.layout.properties.map(storage))
        }
        let sorted = members.sorted { $0.number < $1.number }
        return StoreLayout(
            model: model, entities: sorted, tables: roots.compactMap { tables[ObjectIdentifier($0)] },
            joins: joins)
    }

    private func storage(_ property: NSPropertyDescription) -> SlotStorage {
        let key = ObjectIdentifier(property)
        guard !property.isTransient else { return .none }
        switch property {
        case let relationship as NSRelationshipDescription where relationship.isToMany:
            return toMany(relationship)
        case is NSRelationshipDescription:
            guard let column = columns[key] else { return .none }
            return .toOne(
                ToOneColumns(
                    key: SQLName.quoted(column), entity: entityColumns[key].map(SQLName.quoted),
                    order: orderColumns[key].map(SQLName.quoted)))
        case is NSAttributeDescription:
            if let parts = composites[key] { return .composite(parts) }
            return columns[key].map { .column(SQLName.quoted($0)) } ?? .none
        default: return .none
        }
    }

    private func toMany(_ relationship: NSRelationshipDescription) -> SlotStorage {
        guard let destination = relationship.destinationEntity,
            let table = tables[ObjectIdentifier(destination.root)]
        else { return .none }
        if let join = joinSides[ObjectIdentifier(relationship)] {
            let (own, other) =
                join.isOwner ? (join.table.first, join.table.second) : (join.table.second, join.table.first)
            let inverse = relationship.inverseRelationship
            return .join(
                JoinSide(
                    table: join.table, own: SQLName.quoted(own), other: SQLName.quoted(other),
                    order: joinOrders[ObjectIdentifier(relationship)].map(SQLName.quoted),
                    otherOrder: inverse.flatMap { joinOrders[ObjectIdentifier($0)] }.map(SQLName.quoted),
                    destination: table, isOwnInverse: inverse === relationship))
        }
        let holder: NSPropertyDescription = relationship.inverseRelationship ?? relationship
        guard let column = columns[ObjectIdentifier(holder)] else { return .none }
        return .toManyKey(
            ToManyKey(
                table: table, key: SQLName.quoted(column),
                entity: entityColumns[ObjectIdentifier(holder)].map(SQLName.quoted),
                order: orderColumns[ObjectIdentifier(holder)].map(SQLName.quoted),
                hasInverse: relationship.inverseRelationship != nil))
    }
}

extension NSRelationshipDescription {
    /// Whether the relationship leads to many objects in an order.
    var isOrderedToMany: Bool { isOrdered && isToMany }
}
