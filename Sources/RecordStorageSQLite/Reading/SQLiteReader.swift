import RecordModel
import RecordStorage
import SQLiteAccess

/// Answers what can be asked of a snapshot, by one connection.
class SQLiteReader: StoreReader {
    let connection: Connection
    var catalog: Catalog
    /// Called for scans that an index would have served.
    private let indexAdvisor: IndexAdvisor?
    /// What readers found, which is committed. A write only asks it: what is not committed yet must not be remembered.
    let zoneCache: DefaultZoneCache?

    init(
        connection: Connection, catalog: Catalog, indexAdvisor: IndexAdvisor?, zoneCache: DefaultZoneCache?
    ) {
        self.zoneCache = zoneCache
        self.connection = connection
        self.catalog = catalog
        self.indexAdvisor = indexAdvisor
    }

    /// Nothing is far away, so nothing is fetched; the writer looks at the size.
    func foresee(_ foresight: PrefetchHint) throws {}

    func schema(of tenant: Tenant) throws -> Schema { catalog.schemas[tenant] ?? Schema() }

    func lastSequence() throws -> Int64 { try connection.meta(.sequence) }

    /// Reads the catalog of the snapshot itself; false where it is the one that the reader has.
    func takeCatalogOfSnapshot() throws -> Bool {
        let current = try Catalog.load(connection)
        guard current.version != catalog.version else { return false }
        catalog = current
        return true
    }

    /// Takes the catalog of the snapshot where that is another one than the newest was when the read began: an index
    /// may have been emptied in between.
    private func matchSnapshot() throws {
        guard !isWriting, try connection.meta(.schemaVersion) != catalog.version else { return }
        _ = try takeCatalogOfSnapshot()
    }

    /// Whether this is the writer, whose catalog is its own.
    var isWriting: Bool { false }

    /// What a write has added to a database and not stored yet.
    func unstoredUsage(of database: Int64) -> StorageUsage { StorageUsage() }

    /// What a write has added to a tenant, by its number, and not stored yet.
    func unstoredUsage(ofTenant tenant: Int64) throws -> StorageUsage { StorageUsage() }

    // MARK: Scans

    func scan(_ scan: RecordScan, _ visit: (borrowing ScanRow) throws -> Bool) throws -> ScanOutcome {
        try matchSnapshot()
        let sql = try ScanSQL(scan, catalog: catalog)
        let removed = catalog.removedFields[scan.type.id] ?? []
        indexAdvisor?.scanned(scan, isServed: sql.hasIndex)
        var left = scan.limit
        var first: ScanPosition?
        var last: ScanPosition?
        func outcome(_ next: ScanPosition?) -> ScanOutcome {
            ScanOutcome(of: scan, from: sql.start, first: first, next: next, plan: sql.plan)
        }
        for text in sql.statements {
            let statement = try connection.statement(text.sql)
            defer { statement.reset() }
            statement.bind(text.values)
            // One more than is wanted shows whether there is more.
            statement.bind(Int64(left + 1), at: Int32(text.values.count + 1))
            while try statement.step() {
                guard left > 0 else {
                    count(statement, scan, sql)
                    return outcome(last)
                }
                let id = statement.int(1)
                guard try show(statement, id, scan, sql, removed, visit) else {
                    count(statement, scan, sql)
                    return outcome(position(of: statement, id, scan).including)
                }
                left -= 1
                if first == nil { first = position(of: statement, id, scan) }
                if left == 0 { last = position(of: statement, id, scan) }
            }
            count(statement, scan, sql)
        }
        return outcome(nil)
    }

    /// Shows a row to a visitor, without the values of fields that were removed.
    private func show(
        _ statement: Statement, _ id: Int64, _ scan: RecordScan, _ sql: ScanSQL, _ removed: [RemovedField],
        _ visit: (borrowing ScanRow) throws -> Bool
    ) throws -> Bool {
        let body = statement.bytes(0)
        let end = ScanSQL.firstKeyColumn + Int32(scan.sort.count)
        let nameColumn = sql.readsVersions ? end + 1 : end
        let name = scan.readsNames ? statement.text(nameColumn) : nil
        // Of one zone all rows are; of several, a row tells its own, by its number or in a column.
        let zone =
            sql.readsZones
            ? statement.int(scan.readsNames ? nameColumn + 1 : nameColumn)
            : scan.zones.count == 1 ? scan.zones[0] : RowID.zone(of: id) ?? 0
        guard sql.readsVersions else {
            return try visit(ScanRow(body: body, zone: zone, id: id, name: name))
        }
        guard let stripped = try removed.stripping(body, at: statement.int(end)) else {
            return try visit(ScanRow(body: body, zone: zone, id: id, name: name))
        }
        return try stripped.withUnsafeBytes { try visit(ScanRow(body: $0, zone: zone, id: id, name: name)) }
    }

    private func position(of statement: Statement, _ id: Int64, _ scan: RecordScan) -> ScanPosition {
        ScanPosition(
            keys: scan.sort.indices.map { statement.value(ScanSQL.firstKeyColumn + Int32($0)) }, id: id)
    }

    private func count(_ statement: Statement, _ scan: RecordScan, _ sql: ScanSQL) {
        let steps = statement.takeStepCount()
        if !sql.hasIndex { indexAdvisor?.worked(steps: steps, on: scan) }
    }

    func count(_ scan: RecordScan) throws -> Int {
        try matchSnapshot()
        let sql = try ScanSQL(scan, catalog: catalog)
        let text = sql.count
        let statement = try connection.statement(text.sql)
        defer { statement.reset() }
        statement.bind(text.values)
        let count = try statement.step() ? Int(statement.int(0)) : 0
        self.count(statement, scan, sql)
        return count
    }
}
