internal import SQLiteAccess
internal import StratusCoreData

/// Checks whether a store is as the documented rules say, by plain SQL alone.
struct StoreConsistency {
    struct Finding {
        var kind: String
        var detail: String
    }

    private let store: PlainStore
    private let layout: PlainLayout
    private let model: NSManagedObjectModel

    init(_ store: PlainStore, _ layout: PlainLayout, _ model: NSManagedObjectModel) {
        self.store = store
        self.layout = layout
        self.model = model
    }

    func findings() throws -> [Finding] {
        try integrity() + numbers() + model.entities.flatMap(relationships)
    }

    private func integrity() throws -> [Finding] {
        var findings: [Finding] = []
        try store.each("PRAGMA integrity_check(5)") { row in
            let text = row.string(0)
            if text != "ok" { findings.append(Finding(kind: "the database is damaged", detail: text)) }
        }
        return findings
    }

    /// Entity numbers of rows, and the greatest keys.
    private func numbers() throws -> [Finding] {
        var result: [Finding] = []
        for root in store.entities where root.parent == 0 {
            guard let table = store.table(of: root) else {
                result.append(Finding(kind: "an entity has no table", detail: root.name))
                continue
            }
            let greatest = try store.number("SELECT max(Z_PK) FROM \(PlainStore.quoted(table))") ?? 0
            if greatest > root.greatestKey {
                result.append(
                    Finding(
                        kind: "Z_MAX is less than the greatest key",
                        detail: "\(root.name): \(root.greatestKey) < \(greatest)"))
            }
            let family = store.family(of: root).map(String.init).joined(separator: ", ")
            let strange = try store.count(table, "Z_ENT IS NULL OR Z_ENT NOT IN (\(family))")
            if strange > 0 {
                result.append(
                    Finding(kind: "rows have no entity of the table", detail: "\(strange) rows of \(table)"))
            }
        }
        return result
    }

    private func relationships(of entity: NSEntityDescription) throws -> [Finding] {
        let own = entity.properties.compactMap { $0 as? NSRelationshipDescription }
            .filter { $0.entity === entity && !$0.isTransient }.sorted { $0.name < $1.name }
        return try own.flatMap { relationship in
            relationship.isToMany ? try toMany(relationship) : try toOne(relationship)
        }
    }

    private func toOne(_ relationship: NSRelationshipDescription) throws -> [Finding] {
        let table = layout.table(relationship.entity)
        guard let column = layout.column(relationship), let destination = relationship.destinationEntity,
            store.tables[layout.table(destination)] != nil
        else { return [] }
        let place = "\(relationship.entity.name ?? "").\(relationship.name)"
        let (from, key) = (PlainStore.quoted(table), PlainStore.quoted(column))
        let other = PlainStore.quoted(layout.table(destination))
        var result: [Finding] = []
        func note(_ kind: String, _ sql: String) throws {
            let count = try store.number(sql) ?? 0
            if count > 0 { result.append(Finding(kind: kind, detail: "\(count) rows of \(place)")) }
        }
        try note(
            "keys lead to no row",
            "SELECT count(*) FROM \(from) WHERE \(key) IS NOT NULL AND \(key) NOT IN (SELECT Z_PK FROM \(other))"
        )
        if let number = layout.entityColumn(relationship, in: table) {
            try note(
                "the entity number beside a key is not that of the row",
                "SELECT count(*) FROM \(from) a JOIN \(other) b ON a.\(key) = b.Z_PK "
                    + "WHERE a.\(PlainStore.quoted(number)) IS NOT b.Z_ENT")
        }
        if let order = layout.orderColumn(relationship, in: table).map(PlainStore.quoted),
            relationship.inverseRelationship?.isOrdered == true
        {
            try note(
                "a key has no order value",
                "SELECT count(*) FROM \(from) WHERE \(key) IS NOT NULL AND \(order) IS NULL")
            try note(
                "an order value occurs twice",
                "SELECT count(*) FROM (SELECT 1 FROM \(from) WHERE \(key) IS NOT NULL AND \(order) IS NOT NULL "
                    + "GROUP BY \(key), \(order) HAVING count(*) > 1)")
        }
        return result
    }

    private func toMany(_ relationship: NSRelationshipDescription) throws -> [Finding] {
        guard let relation = layout.relation(relationship, store), relation.isJoin,
            let destination = relationship.destinationEntity
        else { return [] }
        let place = "\(relationship.entity.name ?? "").\(relationship.name)"
        var result: [Finding] = []
        let ends = [
            (relation.own, layout.table(relationship.entity)), (relation.other, layout.table(destination)),
        ]
        for (column, table) in ends where store.tables[table] != nil {
            let key = PlainStore.quoted(column)
            let count = try store.count(
                relation.table,
                "\(key) IS NULL OR \(key) NOT IN (SELECT Z_PK FROM \(PlainStore.quoted(table)))")
            if count > 0 {
                result.append(
                    Finding(
                        kind: "join rows lead to no row",
                        detail: "\(count) rows of \(relation.table) for \(place)"))
            }
        }
        return result
    }
}
