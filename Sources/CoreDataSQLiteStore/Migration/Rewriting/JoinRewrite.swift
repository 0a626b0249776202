internal import StratusCoreData

/// How one table of a many-to-many relationship gets its rows.
struct JoinRewrite {
    let table: JoinTable
    /// The relationship that the table is named after.
    let owner: NSRelationshipDescription
    private let layouts: LayoutMatch
    /// The older relationships that the pairs come from, each seen from the owner's side.
    let origins: [Origin]

    struct Origin {
        var entity: EntityTable
        var property: NSRelationshipDescription
        var storage: SlotStorage
        /// Whether it was the inverse of what the owner's relationship is.
        var isReversed: Bool
    }

    init(_ table: JoinTable, owner: NSRelationshipDescription, _ layouts: LayoutMatch) {
        self.table = table
        self.owner = owner
        self.layouts = layouts
        var origins = Self.distinct(owner, layouts, isReversed: false)
        if let inverse = owner.inverseRelationship, inverse !== owner {
            // What the owner's side knows, its inverse knew too.
            let known = Set(origins.compactMap(\.property.inverseRelationship).map(ObjectIdentifier.init))
            origins += Self.distinct(inverse, layouts, isReversed: true)
                .filter { !known.contains(ObjectIdentifier($0.property)) }
        }
        self.origins = origins
    }

    static func distinct(
        _ relationship: NSRelationshipDescription, _ layouts: LayoutMatch, isReversed: Bool
    ) -> [Origin] {
        var seen: Set<ObjectIdentifier> = []
        return layouts.origins(relationship).compactMap { origin in
            guard let property = origin.property as? NSRelationshipDescription,
                seen.insert(ObjectIdentifier(property)).inserted
            else { return nil }
            return Origin(
                entity: origin.entity, property: property, storage: origin.storage, isReversed: isReversed)
        }
    }

    /// The older join table that becomes this one by other names alone, with its columns in the order of this one's.
    var renamed: (table: JoinTable, columns: [(old: String, new: String)])? {
        guard origins.count == 1, case .join(let side) = origins[0].storage else { return nil }
        let old = side.table
        let (first, second) = origins[0].isReversed ? (side.other, side.own) : (side.own, side.other)
        guard SQLName.quoted(old.first) == first, SQLName.quoted(old.second) == second else { return nil }
        let orders = origins[0].isReversed ? [side.order, side.otherOrder] : [side.otherOrder, side.order]
        let wanted = self.orders
        guard orders.map({ $0 != nil }) == wanted.map({ $0 != nil }) else { return nil }
        var columns = [(first, SQLName.quoted(table.first)), (second, SQLName.quoted(table.second))]
        for (old, new) in zip(orders, wanted) { if let old, let new { columns.append((old, new)) } }
        let (olds, news) = (columns.map(\.0), columns.map(\.1))
        // A name that another column still has would need one in between.
        guard zip(olds, news).allSatisfy({ old, new in old == new || !olds.contains(new) }),
            Set(news).count == news.count
        else { return nil }
        return (old, columns.map { (old: $0.0, new: $0.1) })
    }

    /// The order columns: that of the inverse, that of the owner's relationship.
    private var orders: [String?] {
        guard let entity = layouts.new.table(of: owner.entity),
            case .join(let side)? = entity.storage(owner.name)
        else { return [nil, nil] }
        return owner.inverseRelationship === owner ? [nil, side.order] : [side.otherOrder, side.order]
    }

    /// Copies the pairs to the new table.
    func copyStatement(renamed: (String) -> String) -> String? {
        let pairs = origins.compactMap {
            PairSource($0.storage, owner: $0.entity, isReversed: $0.isReversed, table: renamed)
        }
        guard !pairs.isEmpty else { return nil }
        let orders = orders
        var names = [SQLName.quoted(table.first), SQLName.quoted(table.second)]
        var values = ["own", "target"]
        if let other = orders[0] {
            names.append(other)
            values.append(
                Self.order("other", within: "target", by: "own", isKnown: pairs.allSatisfy(\.hasOtherOrder)))
        }
        if let own = orders[1] {
            names.append(own)
            values.append(
                Self.order("place", within: "own", by: "target", isKnown: pairs.allSatisfy(\.hasOrder)))
        }
        let source = pairs.map(\.sql).joined(separator: " UNION ALL ")
        return "INSERT OR IGNORE INTO \(table.sqlName) (\(names.joined(separator: ", "))) "
            + "SELECT \(values.joined(separator: ", ")) FROM (\(source))"
    }

    /// Where there was no order, that of the keys.
    static func order(_ column: String, within group: String, by key: String, isKnown: Bool) -> String {
        guard !isKnown else { return column }
        let base = OrderValues.first - OrderValues.step
        return "\(base) + \(OrderValues.step) * row_number() OVER (PARTITION BY \(group) ORDER BY \(key))"
    }

    /// Removes pairs of which one side is not in the relationship any more.
    var cleanup: [String] {
        guard let inverse = owner.inverseRelationship else { return [] }
        let mayLose = origins.contains { origin in
            let (own, other) = origin.isReversed ? (inverse, owner) : (owner, inverse)
            return layouts.mayLose(origin.property, own) || layouts.mayLoseOwners(origin.property, own)
                || origin.property.inverseRelationship.map { layouts.mayLose($0, other) } ?? true
        }
        guard mayLose else { return [] }
        let ends = [(table.first, owner.entity), (table.second, inverse.entity)]
        return ends.compactMap { column, entity in
            guard let entity, let member = layouts.new.table(of: entity) else { return nil }
            return "DELETE FROM \(table.sqlName) WHERE NOT "
                + member.exists(key: "\(table.sqlName).\(SQLName.quoted(column))")
        }
    }
}

extension EntityTable {
    /// Whether there is an object of the entity with a key.
    func exists(key: String) -> String {
        let numbers = family.map(String.init).joined(separator: ", ")
        return
            "EXISTS (SELECT 1 FROM \(table.sqlName) AS x WHERE x.Z_PK = \(key) AND x.Z_ENT IN (\(numbers)))"
    }
}
