internal import SQLiteAccess
internal import StratusCoreData

/// Does a batch delete, in SQL alone.
///
/// Delete rules are followed: what cascades is deleted too and counts in the result, what is nullified loses its
/// key, and a rule that denies fails the request.
final class BatchDelete {
    private let request: NSBatchDeleteRequest
    private let support: BatchSupport
    /// What is deleted: keys by the number of the entity.
    private var doomed: [Int: Set<Int64>] = [:]
    private var order: [(key: Int64, table: EntityTable)] = []

    init(
        _ request: NSBatchDeleteRequest, _ store: SQLiteObjectStore, _ open: OpenStore,
        _ context: NSManagedObjectContext?
    ) {
        self.request = request
        support = BatchSupport(store: store, open: open, context: context)
    }

    func run() throws -> NSPersistentStoreResult {
        if let objectIDs = request.objectIDs {
            if objectIDs.isEmpty { return answer() }
            guard request.fetchRequest.entity != nil else {
                let names = Set(objectIDs.map(\.entityName)).sorted().joined(separator: ", ")
                throw CoreDataError(
                    134060, "A batch delete has IDs of several entities: \(names).",
                    remedy: "Make a request for each entity."
                ).cocoa
            }
        }
        let plan = try FetchPlan(request.fetchRequest, model: support.open.layout.model)
        let files = support.newFiles()
        try support.transaction(files) {
            try collect(try support.keys(plan.fetch))
            let number = try support.beginHistory()
            try release(number)
            try delete(files, number)
            if number != nil { try support.open.history?.finish() }
        }
        return answer()
    }

    private func answer() -> NSBatchDeleteResult {
        let result: Any =
            switch request.resultType {
            case .resultTypeStatusOnly: true
            case .resultTypeObjectIDs: order.map { support.objectID($0.key, $0.table) }
            case .resultTypeCount: order.count
            }
        return NSBatchDeleteResult(result: result, resultType: request.resultType)
    }

    // MARK: What goes

    private func collect(_ found: [(key: Int64, table: EntityTable)]) throws {
        var waiting = found
        while !waiting.isEmpty {
            var added: [Int: [Int64]] = [:]
            for row in waiting where doomed[row.table.number, default: []].insert(row.key).inserted {
                order.append(row)
                added[row.table.number, default: []].append(row.key)
            }
            waiting = []
            for (number, keys) in added {
                guard let table = support.open.layout.entity(number: number) else { continue }
                waiting += try cascaded(table, keys)
            }
        }
    }

    /// The destinations of cascading relationships.
    private func cascaded(_ table: EntityTable, _ keys: [Int64]) throws -> [(key: Int64, table: EntityTable)]
    {
        var result: [(key: Int64, table: EntityTable)] = []
        for (slot, relationship) in table.layout.relationshipDescriptions.enumerated() {
            guard let relationship,
                relationship.deleteRule == .cascadeDeleteRule || relationship.deleteRule == .denyDeleteRule,
                let sql = table.slots[slot].destinationsOfKeys(table)
            else { continue }
            try TemporaryKeys.fill(keys, support.connection)
            let statement = try support.connection.statement(sql)
            var found: [(key: Int64, table: EntityTable)] = []
            while try statement.step() {
                guard
                    let table = support.open.layout.entity(number: Int(truncatingIfNeeded: statement.int(1)))
                else { continue }
                found.append((statement.int(0), table))
            }
            if relationship.deleteRule == .cascadeDeleteRule {
                result += found
            } else if found.contains(where: { doomed[$0.table.number]?.contains($0.key) != true }) {
                throw CoreDataError(
                    1_600,
                    "'\(table.entity.name ?? "?").\(relationship.name)' denies the delete: there are objects at its other side.",
                    remedy: "Delete those first."
                ).cocoa
            }
        }
        return result
    }

    // MARK: What stays

    /// Empties the keys that lead to what goes, and removes its rows in join tables.
    private func release(_ number: Int64?) throws {
        for (entity, keys) in doomed {
            guard let table = support.open.layout.entity(number: entity) else { continue }
            try TemporaryKeys.fill(keys, support.connection)
            for (slot, relationship) in table.layout.relationshipDescriptions.enumerated() {
                guard let relationship else { continue }
                switch table.slots[slot] {
                case .join(let side):
                    try run(
                        "DELETE FROM \(side.table.sqlName) WHERE \(side.own) IN (SELECT pk FROM \(TemporaryKeys.name))"
                    )
                    if side.isOwnInverse {
                        try run(
                            "DELETE FROM \(side.table.sqlName) WHERE \(side.other) IN (SELECT pk FROM \(TemporaryKeys.name))"
                        )
                    }
                case .toManyKey(let key)
                where relationship.deleteRule != .noActionDeleteRule || !key.hasInverse:
                    let columns = [key.key] + [key.entity, key.order].compactMap { $0 }
                    try empty(key.table, key.key, columns, relationship.inverseRelationship, number)
                case .toOne where relationship.deleteRule != .noActionDeleteRule:
                    guard let inverse = relationship.inverseRelationship, !inverse.isToMany,
                        let destination = inverse.entity.flatMap(support.open.layout.table(of:)),
                        case .toOne(let columns)? = destination.storage(inverse.name)
                    else { continue }
                    let all = [columns.key] + [columns.entity, columns.order].compactMap { $0 }
                    try empty(destination.table, columns.key, all, inverse, number)
                case .none, .column, .composite, .toOne, .toManyKey: break
                }
            }
        }
    }

    private func empty(
        _ table: TableLayout, _ key: String, _ columns: [String], _ property: NSPropertyDescription?,
        _ number: Int64?
    ) throws {
        let condition = "\(key) IN (SELECT pk FROM \(TemporaryKeys.name))"
        if let number, let property {
            let statement = try support.connection.makeStatement(
                "SELECT Z_PK, Z_ENT FROM \(table.sqlName) WHERE \(condition)")
            while try statement.step() {
                guard
                    let owner = support.open.layout.entity(number: Int(truncatingIfNeeded: statement.int(1))),
                    doomed[owner.number]?.contains(statement.int(0)) != true
                else { continue }
                let slots = owner.layout.slots[property.name].map { [$0] } ?? []
                try support.add(.update, owner, statement.int(0), number, slots: slots)
            }
        }
        let sets = columns.map { "\($0) = NULL" }.joined(separator: ", ")
        try run("UPDATE \(table.sqlName) SET \(sets), Z_OPT = IFNULL(Z_OPT, 0) + 1 WHERE \(condition)")
    }

    private func run(_ sql: String) throws { try support.connection.statement(sql).run() }

    // MARK: Deleting

    private func delete(_ files: SaveFiles, _ number: Int64?) throws {
        if number != nil, let history = support.open.history {
            for row in order {
                let tombstone = try history.tombstone(row.key, row.table)
                try support.add(.delete, row.table, row.key, number, tombstone: tombstone)
            }
        }
        for (entity, keys) in doomed {
            guard let table = support.open.layout.entity(number: entity) else { continue }
            try TemporaryKeys.fill(keys, support.connection)
            try support.noteFiles(table.table, support.open.writer(table).externalColumns, files)
            try run("DELETE FROM \(table.table.sqlName) WHERE Z_PK IN (SELECT pk FROM \(TemporaryKeys.name))")
        }
    }
}

extension SlotStorage {
    /// Reads key and entity of the objects to which a relationship leads from the temporary keys.
    fileprivate func destinationsOfKeys(_ owner: EntityTable) -> String? {
        let keys = "(SELECT pk FROM \(TemporaryKeys.name))"
        switch self {
        case .toOne(let columns):
            guard
                let destination = owner.layout.relationshipDescriptions.indices.compactMap({
                    slot -> String? in
                    guard case .toOne(let other) = owner.slots[slot], other.key == columns.key else {
                        return nil
                    }
                    return owner.layout.relationshipDescriptions[slot]?.destinationEntity.map {
                        SQLName.quoted(SQLName.table($0.root))
                    }
                }).first
            else { return nil }
            return
                "SELECT d.Z_PK, d.Z_ENT FROM \(owner.table.sqlName) o JOIN \(destination) d ON d.Z_PK = o.\(columns.key) "
                + "WHERE o.Z_PK IN \(keys)"
        case .toManyKey(let key):
            return "SELECT Z_PK, Z_ENT FROM \(key.table.sqlName) WHERE \(key.key) IN \(keys)"
        case .join(let side):
            return "SELECT d.Z_PK, d.Z_ENT FROM \(side.table.sqlName) j JOIN \(side.destination.sqlName) d "
                + "ON d.Z_PK = j.\(side.other) WHERE j.\(side.own) IN \(keys)"
        case .none, .column, .composite: return nil
        }
    }
}
