internal import StratusCoreData

/// Where properties are by the documented rules of the layout, made without the code that Core Data uses.
struct PlainLayout {
    private let store: PlainStore
    private var columns: [ObjectIdentifier: String] = [:]
    let numbers: [String: Int]

    init(_ store: PlainStore, _ model: NSManagedObjectModel) {
        self.store = store
        numbers = Dictionary(store.entities.map { ($0.name, $0.number) }) { first, _ in first }
        for entity in model.entities where entity.superentity == nil { nameColumns(of: entity) }
    }

    func number(_ entity: NSEntityDescription?) -> Int { entity?.name.flatMap { numbers[$0] } ?? 0 }

    func table(_ entity: NSEntityDescription) -> String {
        let known = store.entities.first { $0.name == entity.name }.flatMap { store.table(of: $0) }
        if let known { return known }
        var root = entity
        while let parent = root.superentity { root = parent }
        return "Z" + (root.name ?? "").uppercased()
    }

    /// The numbers of the entity and of all that inherit from it, as SQL lists them.
    func family(_ entity: NSEntityDescription) -> String {
        Self.family(entity).map { String(number($0)) }.joined(separator: ", ")
    }

    /// The column of an attribute or a to-one relationship, where the table has it.
    func column(_ property: NSPropertyDescription) -> String? { columns[ObjectIdentifier(property)] }

    /// `Z<number>_<REL>`, the entity number of a to-one relationship's destination.
    func entityColumn(_ relationship: NSRelationshipDescription, in table: String) -> String? {
        guard let destination = relationship.destinationEntity else { return nil }
        let name = "Z\(number(destination))_\(relationship.name.uppercased())"
        return store.hasColumn(name, in: table) ? name : nil
    }

    func orderColumn(_ relationship: NSRelationshipDescription, in table: String) -> String? {
        let name = "Z_FOK_\(relationship.name.uppercased())"
        return store.hasColumn(name, in: table) ? name : nil
    }

    /// Names are `Z` and the name in upper case; of equal ones in a table the second gets 1, the third 2.
    private mutating func nameColumns(of root: NSEntityDescription) {
        let table = self.table(root)
        let members = Self.family(root).sorted { number($0) < number($1) }
        var uses: [String: Int] = [:]
        for group in 0..<6 {
            for entity in members {
                for property in Self.own(entity, group: group) {
                    let name = "Z" + property.name.uppercased()
                    let count = uses[name] ?? 0
                    uses[name] = count + 1
                    let numbered = count == 0 ? name : "\(name)\(count)"
                    if store.hasColumn(numbered, in: table) { columns[ObjectIdentifier(property)] = numbered }
                }
            }
        }
    }

    static func family(_ entity: NSEntityDescription) -> [NSEntityDescription] {
        [entity] + entity.subentities.flatMap { family($0) }
    }

    /// The stored properties that an entity declares, of one group of columns, by name.
    private static func own(_ entity: NSEntityDescription, group: Int) -> [NSPropertyDescription] {
        let own = entity.properties.filter { $0.entity === entity && !$0.isTransient }
        let attributes = own.filter {
            ($0 as? NSAttributeDescription).map { Self.group(of: $0) == group } ?? false
        }
        .sorted { $0.name < $1.name }
        guard group == 0 else { return attributes }
        let toOnes = own.filter { ($0 as? NSRelationshipDescription).map { !$0.isToMany } ?? false }
        return attributes + toOnes.sorted { $0.name < $1.name }
    }

    private static func group(of attribute: NSAttributeDescription) -> Int {
        switch attribute.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType:
            0
        case .dateAttributeType, .doubleAttributeType, .floatAttributeType, .decimalAttributeType: 1
        case .stringAttributeType, .URIAttributeType: 2
        case .UUIDAttributeType: 3
        case .transformableAttributeType, .undefinedAttributeType, .objectIDAttributeType: 4
        case .binaryDataAttributeType: 5
        case .compositeAttributeType: -1
        }
    }
}

extension PlainLayout {
    /// Where a to-many relationship is; nil where no table fits.
    func relation(_ relationship: NSRelationshipDescription, _ store: PlainStore) -> PlainRelation? {
        guard let destination = relationship.destinationEntity else { return nil }
        let table = self.table(destination)
        guard let inverse = relationship.inverseRelationship else {
            let key = "Z\(number(relationship.entity))\(relationship.name.uppercased())"
            guard store.hasColumn(key, in: table) else { return nil }
            let order =
                relationship.isOrdered
                ? "Z_FOK_\(number(relationship.entity))\(relationship.name.uppercased())" : nil
            return PlainRelation(
                table: table, own: key, other: "Z_PK",
                order: order.flatMap { store.hasColumn($0, in: table) ? $0 : nil }, isJoin: false)
        }
        if !inverse.isToMany {
            guard let key = column(inverse) else { return nil }
            return PlainRelation(
                table: table, own: key, other: "Z_PK",
                order: relationship.isOrdered ? orderColumn(inverse, in: table) : nil, isJoin: false)
        }
        return join(relationship, inverse, store)
    }

    /// A join table has the number and name of either side; its columns may have a number after.
    private func join(
        _ relationship: NSRelationshipDescription, _ inverse: NSRelationshipDescription, _ store: PlainStore
    ) -> PlainRelation? {
        let here = number(relationship.entity)
        let there = number(inverse.entity)
        let name = relationship.name.uppercased()
        let inverseName = inverse.name.uppercased()
        for table in ["Z_\(here)\(name)", "Z_\(there)\(inverseName)"] {
            guard let columns = store.tables[table]?.map({ $0.name.uppercased() }) else { continue }
            let keys = columns.filter { !$0.hasPrefix("Z_FOK_") && $0 != "REFLEXIVE" }
            guard keys.count == 2 else { continue }
            if relationship === inverse {
                return PlainRelation(
                    table: table, own: keys[0], other: keys[1], order: nil, isJoin: true, isOwnInverse: true)
            }
            guard let other = Self.best("Z_\(there)\(name)", in: keys),
                let own = keys.first(where: { $0 != other })
            else { continue }
            let order = "Z_FOK_" + other.dropFirst(2)
            return PlainRelation(
                table: table, own: own, other: other,
                order: relationship.isOrdered && columns.contains(order) ? order : nil, isJoin: true)
        }
        return nil
    }

    /// The column of that name, or with a number after it.
    private static func best(_ name: String, in columns: [String]) -> String? {
        columns.first { $0 == name }
            ?? columns.first { $0.hasPrefix(name) && $0.dropFirst(name.count).allSatisfy(\.isNumber) }
    }
}
