internal import StratusCoreData

/// Makes the statements that turn a store of one layout into one of another.
struct RewriteBuilder {
    let layouts: LayoutMatch
    let schema: StoredSchema
    var tables: [ObjectIdentifier: TableRewrite] = [:]
    var joins: [JoinRewrite] = []
    /// What is computed from rows when all of them are in place.
    var fills: [String] = []
    /// What is removed because it leads nowhere.
    var cleanups: [String] = []
    /// Values in files that come back into their rows, since the attribute may not have files any more.
    var internalised: [(table: String, column: String, numbers: [Int])] = []
    /// The older tables from which others take keys.
    var read: Set<String> = []

    init(_ layouts: LayoutMatch, schema: StoredSchema) throws {
        self.layouts = layouts
        self.schema = schema
        for table in layouts.new.tables {
            let sources = layouts.sources(of: table)
            tables[ObjectIdentifier(table)] = TableRewrite(
                table: table, old: sources?.table, numbers: sources?.numbers ?? [])
        }
        for member in layouts.new.entities { try addValues(member) }
        for member in layouts.new.entities {
            for property in member.entity.ownProperties.sorted(by: { $0.name < $1.name }) {
                guard let relationship = property as? NSRelationshipDescription else { continue }
                addRelationship(relationship, member)
            }
        }
    }

    mutating func set(_ value: ColumnValue, _ column: String, _ table: TableLayout, _ number: Int) {
        guard value != .null else { return }
        tables[ObjectIdentifier(table)]?.values[column, default: [:]][number] = value
    }

    // MARK: Attributes

    private mutating func addValues(_ member: EntityTable) throws {
        guard let before = layouts.oldTable(of: member), let match = layouts.match.match(of: member.entity)
        else { return }
        for (property, storage) in zip(member.layout.properties, member.slots) {
            let origin = match.properties[property.name]
            let old = origin.flatMap { before.storage($0.name) } ?? .none
            switch storage {
            case .column(let column):
                guard let new = property as? NSAttributeDescription else { continue }
                try addAttribute(new, origin as? NSAttributeDescription, old, column, member, before)
            case .composite(let parts):
                guard case .composite(let olds) = old else { continue }
                for part in parts {
                    guard let known = olds.first(where: { $0.path == part.path }) else { continue }
                    let value = try carried(
                        part.attribute, known.attribute, known.column, part.column, member)
                    set(value, part.column, member.table, before.number)
                }
            case .toOne(let columns):
                addKey(property, columns, old, member, before)
            case .none, .toManyKey, .join: continue
            }
        }
    }

    private mutating func addAttribute(
        _ new: NSAttributeDescription, _ old: NSAttributeDescription?, _ storage: SlotStorage,
        _ column: String,
        _ member: EntityTable, _ before: EntityTable
    ) throws {
        guard let old, case .column(let source) = storage,
            !(new is NSDerivedAttributeDescription && !Self.isSame(new, old))
        else {
            guard !(new is NSDerivedAttributeDescription), !new.defaultPropertyValue.isNull else { return }
            return set(.literal(try SQLLiteral.of(new)), column, member.table, before.number)
        }
        set(try carried(new, old, source, column, member), column, member.table, before.number)
    }

    /// What an attribute gets of the one that it was: the same value, in the form of the newer column.
    private mutating func carried(
        _ new: NSAttributeDescription, _ old: NSAttributeDescription, _ source: String, _ column: String,
        _ member: EntityTable
    ) throws -> ColumnValue {
        let (isMarked, wasMarked) = (new.allowsExternalBinaryDataStorage, layouts.old.isMarked(old))
        if wasMarked, !isMarked { internalised.append((member.table.sqlName, column, [member.number])) }
        let fills = !new.isOptional && old.isOptional && !new.defaultPropertyValue.isNull
        // A default that is filled in loses its mark again with the others.
        let literal = fills ? try SQLLiteral.of(new, isMarked: wasMarked || isMarked) : nil
        if isMarked, !wasMarked { return .marked(source, filling: literal) }
        return literal.map { .filled(source, $0) } ?? .column(source)
    }

    /// Whether a derived attribute is computed as it was.
    static func isSame(_ new: NSAttributeDescription, _ old: NSAttributeDescription) -> Bool {
        guard let new = new as? NSDerivedAttributeDescription, let old = old as? NSDerivedAttributeDescription
        else {
            return false
        }
        return new.derivationExpression?.tree == old.derivationExpression?.tree
            && new.attributeType == old.attributeType
    }

    // MARK: To-one relationships

    private mutating func addKey(
        _ property: NSPropertyDescription, _ columns: ToOneColumns, _ old: SlotStorage, _ member: EntityTable,
        _ before: EntityTable
    ) {
        if case .toOne(let olds) = old {
            set(.column(olds.key), columns.key, member.table, before.number)
            if let new = columns.entity, let known = olds.entity {
                set(.column(known), new, member.table, before.number)
            }
            if let new = columns.order, let known = olds.order {
                set(.column(known), new, member.table, before.number)
            }
            return
        }
        // The property is new, but its inverse had its keys in this very table.
        guard let key = inverseKey(property, before) else { return }
        set(.column(key.key), columns.key, member.table, before.number)
        if let new = columns.entity, let known = key.entity {
            set(.column(known), new, member.table, before.number)
        }
        if let new = columns.order, let known = key.order {
            set(.column(known), new, member.table, before.number)
        }
    }

    private func inverseKey(_ property: NSPropertyDescription, _ before: EntityTable) -> ToManyKey? {
        guard let inverse = (property as? NSRelationshipDescription)?.inverseRelationship else { return nil }
        for origin in layouts.origins(inverse) {
            guard case .toManyKey(let key) = origin.storage, key.table === before.table,
                let destination = (origin.property as? NSRelationshipDescription)?.destinationEntity,
                before.entity.isKindOf(entity: destination)
            else { continue }
            return key
        }
        return nil
    }

    private mutating func addRelationship(_ new: NSRelationshipDescription, _ member: EntityTable) {
        switch member.storage(new.name) {
        case .toOne(let columns)?: finishKey(new, columns, member)
        case .toManyKey(let key)? where !key.hasInverse: addForeignKey(new, key, member)
        case .join(let side)?:
            guard !joins.contains(where: { $0.table === side.table }) else { return }
            // The table is named after the side whose keys are in its first column.
            let isOwner = side.own == SQLName.quoted(side.table.first)
            guard let owner = isOwner ? new : new.inverseRelationship else { return }
            let rewrite = JoinRewrite(side.table, owner: owner, layouts)
            joins.append(rewrite)
            if rewrite.renamed == nil {
                for origin in rewrite.origins { markRead(origin.storage, origin.entity) }
            }
            cleanups += rewrite.cleanup
        default: break
        }
    }

    private mutating func markRead(_ storage: SlotStorage, _ entity: EntityTable) {
        switch storage {
        case .toOne: read.insert(entity.table.name)
        case .toManyKey(let key): read.insert(key.table.name)
        case .join(let side): read.insert(side.table.name)
        case .none, .column, .composite: break
        }
    }

    /// What of a to-one relationship depends on rows of other tables.
    private mutating func finishKey(
        _ new: NSRelationshipDescription, _ columns: ToOneColumns, _ member: EntityTable
    ) {
        let own = JoinRewrite.distinct(new, layouts, isReversed: false)
        var others: [JoinRewrite.Origin] = []
        if own.isEmpty, let inverse = new.inverseRelationship {
            others = JoinRewrite.distinct(inverse, layouts, isReversed: true)
        }
        guard !own.isEmpty || !others.isEmpty,
            let target = new.destinationEntity.flatMap(layouts.new.table(of:))
        else { return }
        let table = member.table.sqlName
        if let pairs = others.first, case .toOne = pairs.storage {
            markRead(pairs.storage, pairs.entity)
            fills.append(pairFill(pairs, table, columns.key, order: nil, owner: target))
            releaseOthers(new, table, columns.key)
        }
        if let entity = columns.entity {
            let isKnown = own.allSatisfy { origin in
                guard case .toOne(let olds) = origin.storage, olds.entity != nil,
                    let destination = origin.property.destinationEntity
                else { return false }
                return !layouts.isRenumbered(destination)
            }
            if !isKnown || own.isEmpty {
                fills.append(
                    "UPDATE \(table) SET \(entity) = (SELECT x.Z_ENT FROM \(target.table.sqlName) AS x "
                        + "WHERE x.Z_PK = \(table).\(columns.key)) WHERE \(columns.key) NOT NULL")
            }
        }
        if let order = columns.order { addOrder(order, columns.key, table, own + others) }
        let mayLose =
            own.contains { layouts.mayLose($0.property, new) }
            || others.contains { layouts.mayLoseOwners($0.property, new.inverseRelationship ?? new) }
        guard mayLose else { return }
        let emptied = [columns.key, columns.entity, columns.order].compactMap { $0 }.map { "\($0) = NULL" }
        cleanups.append(
            "UPDATE \(table) SET \(emptied.joined(separator: ", ")) WHERE \(columns.key) NOT NULL AND NOT "
                + target.exists(key: "\(table).\(columns.key)"))
    }

    /// Of several objects that led to one, those that are not led back to let go of it.
    private mutating func releaseOthers(_ new: NSRelationshipDescription, _ table: String, _ key: String) {
        guard let inverse = new.inverseRelationship, !inverse.isToMany, let entity = inverse.entity,
            let other = layouts.new.table(of: entity), case .toOne(let back)? = other.storage(inverse.name)
        else { return }
        let name = other.table.sqlName
        let emptied = [back.key, back.entity, back.order].compactMap { $0 }.map { "\($0) = NULL" }
        cleanups.append(
            "UPDATE \(name) SET \(emptied.joined(separator: ", ")) WHERE \(back.key) NOT NULL AND NOT EXISTS "
                + "(SELECT 1 FROM \(table) AS x WHERE x.Z_PK = \(name).\(back.key) AND x.\(key) = \(name).Z_PK)"
        )
    }

    /// Gives objects a position in a relationship that is ordered now.
    private mutating func addOrder(
        _ order: String, _ key: String, _ table: String, _ origins: [JoinRewrite.Origin]
    ) {
        let isKnown = origins.allSatisfy { origin in
            switch origin.storage {
            case .toOne(let columns): columns.order != nil
            case .toManyKey(let key): key.order != nil
            case .join(let side): side.order != nil
            default: false
            }
        }
        guard !isKnown else { return }
        let place = JoinRewrite.order(order, within: key, by: "Z_PK", isKnown: false)
        fills.append(
            "UPDATE \(table) SET \(order) = x.place FROM (SELECT Z_PK AS pk, \(place) AS place FROM \(table) "
                + "WHERE \(key) NOT NULL) AS x WHERE x.pk = \(table).Z_PK")
    }

    /// The statement that takes a key from pairs; of several owners the first stays, with its order.
    private func pairFill(
        _ origin: JoinRewrite.Origin, _ table: String, _ key: String, order: String?, owner: EntityTable
    ) -> String {
        // The names of older tables are put in when it is known what they are called by then.
        let pairs = PairSource(origin.storage, owner: origin.entity, isReversed: false) { "{\($0)}" }
        let place = order.map { ", \($0) = x.place" } ?? ""
        return "UPDATE \(table) SET \(key) = x.own\(place) FROM (SELECT target, min(own) AS own, place "
            + "FROM (\(pairs?.sql ?? "")) AS p WHERE \(owner.exists(key: "p.own")) GROUP BY target) AS x "
            + "WHERE x.target = \(table).Z_PK"
    }

    // MARK: To-many relationships without an inverse

    private mutating func addForeignKey(
        _ new: NSRelationshipDescription, _ key: ToManyKey, _ member: EntityTable
    ) {
        let origins = JoinRewrite.distinct(new, layouts, isReversed: false)
        guard let destination = new.destinationEntity, let target = layouts.new.table(of: destination),
            !origins.isEmpty
        else { return }
        let table = key.table.sqlName
        if origins.count == 1, case .toManyKey(let old) = origins[0].storage,
            layouts.sources(of: key.table)?.table === old.table
        {
            for number in target.family {
                guard let holder = layouts.new.entity(number: number).flatMap(layouts.oldTable(of:)) else {
                    continue
                }
                set(.column(old.key), key.key, key.table, holder.number)
                if let new = key.order, let known = old.order {
                    set(.column(known), new, key.table, holder.number)
                }
            }
        } else {
            for origin in origins {
                markRead(origin.storage, origin.entity)
                fills.append(pairFill(origin, table, key.key, order: key.order, owner: member))
            }
        }
        if let order = key.order { addOrder(order, key.key, table, origins) }
        guard origins.contains(where: { layouts.mayLoseOwners($0.property, new) }) else { return }
        let emptied = [key.key, key.order].compactMap { $0 }.map { "\($0) = NULL" }.joined(separator: ", ")
        cleanups.append(
            "UPDATE \(table) SET \(emptied) WHERE \(key.key) NOT NULL AND NOT \(member.exists(key: "\(table).\(key.key)"))"
        )
    }
}
