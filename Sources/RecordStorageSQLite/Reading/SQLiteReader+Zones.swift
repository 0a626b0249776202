import RecordModel
import RecordStorage
import SQLiteAccess

extension SQLiteReader {
    func tenantNumber(_ tenant: Tenant) throws -> Int64? {
        let statement = try connection.statement(
            "SELECT id FROM tenant WHERE container = ? AND environment = ?")
        defer { statement.reset() }
        statement.bind(tenant.container.rawValue, at: 1)
        statement.bind(tenant.environment.rawValue, at: 2)
        return try statement.step() ? statement.int(0) : nil
    }

    func tenants() throws -> [Tenant] {
        let statement = try connection.statement("SELECT container, environment FROM tenant ORDER BY id")
        var tenants: [Tenant] = []
        while try statement.step() {
            if let tenant = Tenant(statement.text(0), statement.text(1)) { tenants.append(tenant) }
        }
        return tenants
    }

    func databases(of tenant: Tenant) throws -> [Int64] {
        guard let tenant = try tenantNumber(tenant) else { return [] }
        let statement = try connection.statement("SELECT id FROM database WHERE tenant = ? ORDER BY id")
        defer { statement.reset() }
        statement.bind(tenant, at: 1)
        var numbers: [Int64] = []
        while try statement.step() { numbers.append(statement.int(0)) }
        return numbers
    }

    func recordCount(of type: RecordType) throws -> Int {
        // Those of zones that are gone lie in the table until they are removed.
        let statement = try connection.statement(
            """
            SELECT (SELECT count(*) FROM r\(type.id)) - coalesce(
                sum((SELECT count(*) FROM r\(type.id) AS r WHERE r.id BETWEEN job.slot << \(RowID.slotShift)
                    AND (job.slot << \(RowID.slotShift)) | \(RowID.lastSequence) AND r.zone = job.zone)), 0)
            FROM (
                SELECT zone, CASE WHEN zone < \(RowID.firstShared) THEN zone
                    ELSE \(RowID.firstShared) | (zone & \(RowID.firstShared - 1)) END AS slot
                FROM job WHERE kind = 'zone') AS job
            """)
        defer { statement.reset() }
        return try statement.step() ? Int(statement.int(0)) : 0
    }

    func hasRecords(of type: RecordType) throws -> Bool {
        let next = try connection.statement(
            "SELECT id, zone FROM r\(type.id) WHERE id >= ? ORDER BY id LIMIT 1")
        let zone = try connection.statement("SELECT 1 FROM zone WHERE id = ? AND deleted = 0")
        var place = Int64.min
        while true {
            next.bind(place, at: 1)
            defer { next.reset() }
            guard try next.step() else { return false }
            let (row, found) = (next.int(0), next.int(1))
            zone.bind(found, at: 1)
            defer { zone.reset() }
            if try zone.step() { return true }
            // In a slot with other zones the next row may be one of theirs.
            let last = RowID.isShared(found) ? row : RowID.last(of: found)
            guard last < .max else { return false }
            place = last + 1
        }
    }

    func customZoneCount(in database: Int64) throws -> Int {
        let statement = try connection.statement("SELECT zones FROM database WHERE id = ?")
        defer { statement.reset() }
        statement.bind(database, at: 1)
        return try statement.step() ? Int(statement.int(0)) : 0
    }

    func forgottenZones(in database: Int64) throws -> Int64 {
        let statement = try connection.statement("SELECT horizon FROM database WHERE id = ?")
        defer { statement.reset() }
        statement.bind(database, at: 1)
        return try statement.step() ? statement.int(0) : 0
    }

    /// What is left to do in the background, by the table of it.
    func backgroundWork() throws -> BackgroundWork {
        let statement = try connection.statement("SELECT kind, count(*), sum(done) FROM job GROUP BY kind")
        defer { statement.reset() }
        var work = BackgroundWork()
        while try statement.step() {
            guard let kind = BackgroundJob.Kind(rawValue: statement.text(0)) else { continue }
            work.waiting[kind.work] = Int(statement.int(1))
            work.recordsDone += Int(statement.int(2))
        }
        return work
    }

    func database(_ id: DatabaseID) throws -> Int64? {
        if let number = zoneCache?.database(id) { return number }
        guard let number = try storedDatabase(id) else { return nil }
        if !isWriting { zoneCache?.remember(number, of: id) }
        return number
    }

    private func storedDatabase(_ id: DatabaseID) throws -> Int64? {
        let statement = try connection.statement(
            """
            SELECT database.id FROM database JOIN tenant ON tenant.id = database.tenant
            WHERE tenant.container = ? AND tenant.environment = ? AND database.owner = ?
            """)
        defer { statement.reset() }
        statement.bind(id.tenant.container.rawValue, at: 1)
        statement.bind(id.tenant.environment.rawValue, at: 2)
        statement.bind(id.owner ?? "", at: 3)
        return try statement.step() ? statement.int(0) : nil
    }

    func zone(named name: String, in database: Int64) throws -> ZoneRow? {
        if name == ZoneID.defaultName, let zone = zoneCache?.zone(of: database) { return zone }
        guard let zone = try storedZone(named: name, in: database) else { return nil }
        if !isWriting { zoneCache?.remember(zone) }
        return zone
    }

    func zone(numbered number: Int64) throws -> ZoneRow? {
        let statement = try connection.statement("SELECT \(Self.zoneColumns) FROM zone WHERE id = ?")
        defer { statement.reset() }
        statement.bind(number, at: 1)
        return try statement.step() ? Self.zone(statement) : nil
    }

    private func storedZone(named name: String, in database: Int64) throws -> ZoneRow? {
        let statement = try connection.statement(
            "SELECT \(Self.zoneColumns) FROM zone WHERE database = ? AND name = ? AND deleted = 0")
        defer { statement.reset() }
        statement.bind(database, at: 1)
        statement.bind(name, at: 2)
        return try statement.step() ? Self.zone(statement) : nil
    }

    func zones(in database: Int64) throws -> [ZoneRow] {
        let statement = try connection.statement(
            "SELECT \(Self.zoneColumns) FROM zone WHERE database = ? AND deleted = 0 ORDER BY name")
        statement.bind(database, at: 1)
        return try Self.zones(statement)
    }

    func zones(in database: Int64, from name: String, limit: Int) throws -> [ZoneRow] {
        let statement = try connection.statement(
            """
            SELECT \(Self.zoneColumns) FROM zone
            WHERE database = ? AND deleted = 0 AND name >= ? ORDER BY name LIMIT ?
            """)
        statement.bind(database, at: 1)
        statement.bind(name, at: 2)
        statement.bind(Int64(limit), at: 3)
        return try Self.zones(statement)
    }

    func zones(in database: Int64, changedAfter sequence: Int64, limit: Int) throws -> [ZoneRow] {
        // As with records, who starts from nothing needs no tombstones.
        let statement = try connection.statement(
            """
            SELECT \(Self.zoneColumns) FROM zone
            WHERE database = ?1 AND sequence > ?2 AND name <> '\(ZoneID.defaultName)' AND (?2 > 0 OR deleted = 0)
            ORDER BY sequence LIMIT ?3
            """)
        statement.bind(database, at: 1)
        statement.bind(sequence, at: 2)
        statement.bind(Int64(limit), at: 3)
        return try Self.zones(statement)
    }

    private static let zoneColumns = "id, database, name, sequence, deleted, horizon"

    private static func zone(_ statement: Statement) -> ZoneRow {
        ZoneRow(
            id: statement.int(0), database: statement.int(1), name: statement.text(2),
            sequence: statement.int(3),
            isDeleted: statement.int(4) != 0, forgottenUntil: statement.int(5))
    }

    private static func zones(_ statement: Statement) throws -> [ZoneRow] {
        defer { statement.reset() }
        var zones: [ZoneRow] = []
        while try statement.step() { zones.append(zone(statement)) }
        return zones
    }
}
