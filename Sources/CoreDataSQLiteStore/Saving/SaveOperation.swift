internal import CStratusSQLite
internal import SQLiteAccess
internal import StratusCoreData

/// One save to one file: everything in one transaction, or nothing.
final class SaveOperation: OpenSave {
    var store: NSPersistentStore { sqliteStore }
    private let sqliteStore: SQLiteObjectStore
    private let open: OpenStore
    private let changes: StoreChanges
    private let files: SaveFiles
    private var stale: [NSManagedObjectID] = []
    private var duplicates: [FoundDuplicate] = []
    private var result = StoreSaveResult()
    /// Updates whose values another row of this save may still have.
    private var waiting: [(change: ObjectChange, version: Int64)] = []
    private var gaps = OrderGaps()
    /// New versions, where an update had no base.
    private var versions: [NSManagedObjectID: Int64] = [:]

    private var connection: SQLiteConnection { open.connection }

    /// Ends the transaction because of conflicts.
    private struct Refused: Error {}

    init(_ changes: StoreChanges, _ store: SQLiteObjectStore, _ open: OpenStore) {
        self.changes = changes
        sqliteStore = store
        self.open = open
        files = SaveFiles(open.layout, open.connection, storeIdentifier: store.identifier)
    }

    /// Writes everything in a transaction, which then waits for ``commit()`` or ``rollBack()``.
    ///
    /// - Throws: ``StoreConflicts``, or what SQLite refuses; the transaction has ended then.
    func write() throws {
        try connection.begin()
        do {
            try writeChanges()
        } catch {
            rollBack()
            guard error is Refused else { throw error }
            throw try conflicts()
        }
    }

    func flush() throws { try connection.flush() }

    func commit() throws -> StoreSaveResult {
        do {
            try connection.commit()
        } catch {
            rollBack()
            throw error
        }
        sqliteStore.metadataIsDirty = false
        open.files?.remove(files.obsolete)
        return result
    }

    func rollBack() {
        connection.rollBack()
        // Files whose rows were not committed.
        open.files?.remove(files.written)
    }

    private func writeChanges() throws {
        for change in changes.deleted { try delete(change) }
        for change in changes.updated { try update(change) }
        try writeWaiting()
        for change in changes.inserted { try insert(change) }
        guard stale.isEmpty, duplicates.isEmpty else { throw Refused() }
        for change in changes.inserted where !change.toManys.isEmpty { try writeRelationships(change) }
        for change in changes.updated where !change.toManys.isEmpty { try writeRelationships(change) }
        try gaps.fill(connection)
        let touched = try open.derived.update(changes, connection)
        try collect(touched)
        if let history = open.history, !changes.isEmpty {
            let number = try history.write(changes, derived: touched)
            result.historyToken = NSPersistentHistoryToken(transactions: [store.identifier: number])
        }
        try sqliteStore.writeMetadataIfDirty(open)
    }

    // MARK: Rows

    private func delete(_ change: ObjectChange) throws {
        let table = try open.table(of: change.layout.entity)
        let writer = open.writer(table)
        try noteFiles(change.objectID, writer, writer.externalColumns)
        if let history = open.history { try history.keepTombstone(change, table) }
        switch try writer.delete(change.objectID, from: change.base?.version) {
        case .missing where change.base != nil: stale.append(change.objectID)
        case .missing, .done, .duplicate: break
        }
        try RelationshipWriter(connection: connection, owner: try writer.key(change.objectID)).forget(table)
    }

    private func insert(_ change: ObjectChange) throws {
        let writer = try open.writer(of: change.layout)
        if !writer.orderedToOnes.isEmpty { noteOrders(change, writer) }
        if case .duplicate = try writer.insert(change, files) { try found(change, writer.table) }
    }

    private func noteOrders(_ change: ObjectChange, _ writer: RowWriter) {
        for (slot, columns) in writer.orderedToOnes where change.changedSlots.contains(slot) {
            guard let order = columns.order, case .reference(let owner) = change.values[slot],
                let key = owner.rowKey
            else { continue }
            gaps.add(writer.table.table, key: columns.key, order: order, owner: key)
        }
    }

    private func update(_ change: ObjectChange) throws {
        let writer = try open.writer(of: change.layout)
        let table = writer.table
        guard !change.changedSlots.isEmpty else { return }
        let version: Int64
        if let base = change.base {
            version = base.version
        } else if let current = try currentVersion(change.objectID, table) {
            version = current
        } else {
            // The object is to win, and its row is gone: it comes back.
            versions[change.objectID] = 1
            return try insert(change)
        }
        // A file of others may hold the largest number; what counts is that the version is another one.
        versions[change.objectID] = version &+ 1
        try noteFiles(change.objectID, writer, changedExternals(change, table))
        if !writer.orderedToOnes.isEmpty { noteOrders(change, writer) }
        switch try writer.update(change, from: version, files) {
        case .done: break
        case .missing: stale.append(change.objectID)
        case .duplicate: waiting.append((change, version))
        }
    }

    /// Values that move from row to row are not unique for a moment: the rows that wait give theirs up first.
    private func writeWaiting() throws {
        for (change, _) in waiting {
            let table = try open.table(of: change.layout.entity)
            let columns = open.layout.uniqueColumns(of: table).flatMap { $0 }
            guard !columns.isEmpty else { continue }
            let sets = Set(columns).sorted().map { "\($0) = NULL" }.joined(separator: ", ")
            let statement = try connection.statement(
                "UPDATE \(table.table.sqlName) SET \(sets) WHERE Z_PK = ?")
            statement.bind(try open.writer(table).key(change.objectID), at: 1)
            try statement.run()
        }
        for (change, version) in waiting {
            let table = try open.table(of: change.layout.entity)
            var whole = change
            // Unique values that did not change were given up as well.
            whole.changedSlots = Set(change.changedSlots + open.layout.uniqueSlots(of: table)).sorted()
            if case .duplicate = try open.writer(table).update(whole, from: version, files) {
                try found(change, table)
            }
        }
    }

    private func currentVersion(_ objectID: NSManagedObjectID, _ table: EntityTable) throws -> Int64? {
        let statement = try connection.statement(
            "SELECT IFNULL(Z_OPT, 0) FROM \(table.table.sqlName) WHERE Z_PK = ?")
        statement.bind(objectID.rowKey ?? -1, at: 1)
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        return statement.int(0)
    }

    private func writeRelationships(_ change: ObjectChange) throws {
        let table = try open.table(of: change.layout.entity)
        let writer = RelationshipWriter(
            connection: connection, owner: try open.writer(table).key(change.objectID))
        for toMany in change.toManys {
            let storage = table.slots[toMany.slot]
            try writer.write(toMany, storage)
            if case .join(let side) = storage { gaps.add(side, added: toMany.added.compactMap(\.rowKey)) }
        }
    }

    // MARK: Files of large values

    private func changedExternals(_ change: ObjectChange, _ table: EntityTable) -> [String] {
        change.changedSlots.filter {
            change.layout.attributeDescriptions[$0].map { open.layout.hasMarks($0) } ?? false
        }
        .flatMap { table.slots[$0].rowColumns }
    }

    /// Notes the files that a row names, since it is about to name others, or to go.
    private func noteFiles(_ objectID: NSManagedObjectID, _ writer: RowWriter, _ columns: [String]) throws {
        guard !columns.isEmpty else { return }
        let statement = try connection.statement(
            "SELECT \(columns.joined(separator: ", ")) FROM \(writer.table.table.sqlName) WHERE Z_PK = ?")
        statement.bind(try writer.key(objectID), at: 1)
        guard try statement.step() else { return }
        defer { statement.reset() }
        for column in columns.indices {
            if let name = ExternalFiles.fileName(statement.bytes(Int32(column))) {
                files.obsolete.append(name)
            }
        }
    }

    // MARK: What was written

    private func collect(_ touched: Set<NSManagedObjectID>) throws {
        result.insertedRows.reserveCapacity(changes.inserted.count)
        for change in changes.inserted {
            let isTouched = !touched.isEmpty && touched.contains(change.objectID)
            result.insertedRows.append(try row(of: change, version: 1, isTouched: isTouched))
        }
        for change in changes.updated {
            let version = versions[change.objectID] ?? change.base?.version ?? 1
            result.snapshots[change.objectID] = try row(
                of: change, version: version, isTouched: touched.contains(change.objectID))
        }
        let inserted = touched.isEmpty ? [] : Set(changes.inserted.map(\.objectID))
        for objectID in touched where result.snapshots[objectID] == nil && !inserted.contains(objectID) {
            result.snapshots[objectID] = try sqliteStore.row(of: objectID, open)?.snapshot
            result.derived.append(objectID)
        }
    }

    private func row(of change: ObjectChange, version: Int64, isTouched: Bool) throws -> Snapshot? {
        let writer = try open.writer(of: change.layout)
        if isTouched || writer.hasDerived { return try sqliteStore.row(of: change.objectID, open)?.snapshot }
        return Snapshot(version: version, values: writer.stored(change.values))
    }

    // MARK: Conflicts

    private func found(_ change: ObjectChange, _ table: EntityTable) throws {
        let all = try DuplicateSearch(open, table, files).others(change)
        guard !all.isEmpty else {
            throw CoreDataError(
                134180,
                "A unique index of the table \(table.table.name) refuses a row of '\(table.entity.name ?? "?")', and no constraint of the model explains it.",
                remedy: "Check the indexes of the store's file."
            ).cocoa
        }
        duplicates += all
    }

    /// The conflicts with the rows as they are, now that the save was taken back.
    private func conflicts() throws -> StoreConflicts {
        var conflicts = StoreConflicts()
        let isOfOthers = try open.dataVersion() != open.versionAtOpening
        conflicts.stale = try stale.map { objectID in
            StoreConflicts.Stale(
                objectID: objectID, stored: try sqliteStore.row(of: objectID, open)?.snapshot,
                isOfOthers: isOfOthers)
        }
        let inserted = Set(changes.inserted.map(\.objectID))
        conflicts.duplicates = try duplicates.map { duplicate in
            let isNew = inserted.contains(duplicate.other)
            return StoreConflicts.Duplicate(
                constraint: duplicate.constraint, objectID: duplicate.objectID, other: duplicate.other,
                stored: isNew ? nil : try sqliteStore.row(of: duplicate.other, open)?.snapshot)
        }
        return conflicts
    }
}
