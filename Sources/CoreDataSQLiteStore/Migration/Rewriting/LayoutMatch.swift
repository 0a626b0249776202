internal import StratusCoreData

/// Where things were in the older store's tables, and where they are in the newer one's.
///
/// Every table of the newer layout gets its rows from one older table at most, since hierarchies are never merged;
/// so each row keeps its `Z_PK`.
struct LayoutMatch {
    let match: ModelCorrespondence
    let old: StoreLayout
    let new: StoreLayout

    /// An entity's numbers in both.
    struct Numbers: Hashable {
        var old: Int
        var new: Int
    }

    /// The entities whose objects go into a table, with the older table that they come from.
    func sources(of table: TableLayout) -> (table: TableLayout, numbers: [Numbers])? {
        var found: TableLayout?
        var numbers: [Numbers] = []
        for member in new.entities where member.table === table {
            guard let before = oldTable(of: member) else { continue }
            found = before.table
            numbers.append(Numbers(old: before.number, new: member.number))
        }
        return found.map { ($0, numbers) }
    }

    func oldTable(of member: EntityTable) -> EntityTable? {
        match.match(of: member.entity)?.source.flatMap(old.table(of:))
    }

    /// What an older entity became, in the newer store.
    func newTable(ofSource entity: NSEntityDescription) -> EntityTable? {
        match.destination(of: entity).flatMap(new.table(of:))
    }

    /// The older entities whose objects are in the store no more.
    var removed: [EntityTable] { old.entities.filter { newTable(ofSource: $0.entity) == nil } }

    /// What a stored property was, in each of the older entities, with the position of its values.
    func origins(
        _ property: NSPropertyDescription
    ) -> [(entity: EntityTable, property: NSPropertyDescription, storage: SlotStorage)] {
        match.origins(property).compactMap { origin in
            guard let source = origin.match.source, let entity = old.table(of: source),
                let storage = entity.storage(origin.property.name)
            else { return nil }
            if case .none = storage { return nil }
            return (entity, origin.property, storage)
        }
    }

    /// Whether the family of an older entity has other numbers now, or lacks members.
    func isRenumbered(_ entity: NSEntityDescription) -> Bool {
        entity.withDescendants.contains { member in
            guard let before = old.table(of: member), let after = newTable(ofSource: member) else {
                return true
            }
            return before.number != after.number
        }
    }

    /// Whether keys of an older relationship may lead to objects that the newer one cannot lead to: they are gone, or
    /// of another kind.
    func mayLose(_ old: NSRelationshipDescription, _ new: NSRelationshipDescription) -> Bool {
        guard let before = old.destinationEntity, let after = new.destinationEntity else { return true }
        return before.withDescendants.contains { member in
            guard let kept = match.destination(of: member) else { return true }
            return !kept.isKindOf(entity: after)
        }
    }

    /// Whether objects that had an older relationship may not have the newer one.
    func mayLoseOwners(_ old: NSRelationshipDescription, _ new: NSRelationshipDescription) -> Bool {
        old.entity.withDescendants.contains { member in
            match.match(ofSource: member)?.properties[new.name] !== old
        }
    }
}

/// The pairs of objects that an older relationship joins, as a sub-select of `own`, `target` and their orders.
struct PairSource {
    var sql: String
    /// Whether the order of the targets of an owner was kept.
    var hasOrder: Bool
    /// Whether the order of the owners of a target was kept.
    var hasOtherOrder: Bool

    /// - Parameter isReversed: whether the pairs are wanted from the other side.
    /// - Parameter table: the name that an older table now has.
    init?(
        _ storage: SlotStorage, owner: EntityTable, isReversed: Bool, table: (String) -> String
    ) {
        let from: String
        let (own, target): (String, String)
        var (order, otherOrder): (String?, String?)
        switch storage {
        case .toOne(let columns):
            (own, target, order, otherOrder) = ("Z_PK", columns.key, nil, columns.order)
            from = "\(table(owner.table.name)) WHERE \(columns.key) NOT NULL"
        case .toManyKey(let key):
            (own, target, order, otherOrder) = (key.key, "Z_PK", key.order, nil)
            from = "\(table(key.table.name)) WHERE \(key.key) NOT NULL"
        case .join(let side):
            (own, target, order, otherOrder) = (side.own, side.other, side.order, side.otherOrder)
            from = table(side.table.name)
        case .none, .column, .composite: return nil
        }
        if isReversed { swap(&order, &otherOrder) }
        let (first, second) = isReversed ? (target, own) : (own, target)
        hasOrder = order != nil
        hasOtherOrder = otherOrder != nil
        sql =
            "SELECT \(first) AS own, \(second) AS target, \(order ?? "NULL") AS place, "
            + "\(otherOrder ?? "NULL") AS other FROM \(from)"
    }
}
