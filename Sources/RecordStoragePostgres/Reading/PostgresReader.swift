internal import PostgresAccess
internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Answers what can be asked of a snapshot, by one connection in a transaction.
class PostgresReader: StoreReader {
    let connection: PostgresConnection
    var catalog: PostgresCatalog
    /// What was fetched before it is asked for.
    var foreseen = Foreseen()
    /// Who is told of scans that missed an index.
    var wishes: IndexWishes?

    /// What begins the transaction, sent with the first question.
    private var beginning: [PostgresCommand] = []
    /// The schema changed since the catalogue was read: everything has to be asked again.
    private(set) var isOutdated = false

    /// What is thrown then.
    struct Outdated: Error {}

    /// A reader that begins its own transaction.
    ///
    /// - Parameter beginning: commands of which the last gives the version of the schema.
    convenience init(connection: PostgresConnection, catalog: PostgresCatalog, beginning: [PostgresCommand]) {
        self.init(connection: connection, catalog: catalog)
        self.beginning = beginning
    }

    init(connection: PostgresConnection, catalog: PostgresCatalog) {
        self.connection = connection
        self.catalog = catalog
    }

    /// Asks, after what waits to be written.
    func ask(_ statement: PostgresStatement, _ values: PostgresValue...) throws -> PostgresRows {
        try ask(PostgresCommand(statement, values: values))
    }

    func ask(_ command: PostgresCommand) throws -> PostgresRows { try ask([command])[0] }

    /// Asks several things in one trip.
    func ask(_ commands: [PostgresCommand]) throws -> [PostgresRows] {
        guard !beginning.isEmpty else { return try connection.run(commands) }
        let answers = try connection.run(beginning + commands)
        let version = answers[beginning.count - 1].int(0, 0)
        beginning = []
        isOutdated = version != catalog.version
        if isOutdated { throw Outdated() }
        return Array(answers.suffix(commands.count))
    }

    func foresee(_ foresight: Foresight) throws { try fetch(foresight) }

    func schema(of tenant: Tenant) throws -> Schema { catalog.schemas[tenant] ?? Schema() }

    private static let lastSequenceStatement = PostgresStatement(
        "SELECT value FROM meta WHERE key = 'sequence'")

    func lastSequence() throws -> Int64 { try ask(Self.lastSequenceStatement).int(0, 0) }

    // MARK: Databases and zones

    private static let tenantsStatement = PostgresStatement(
        "SELECT container, environment FROM tenant ORDER BY id")

    func tenants() throws -> [Tenant] {
        let rows = try ask(Self.tenantsStatement)
        return (0..<rows.count).compactMap { Tenant(rows.text($0, 0), rows.text($0, 1)) }
    }

    private static let databaseStatement = PostgresStatement(
        "SELECT id FROM database WHERE tenant = $1 AND owner = $2", .int8, .text)

    func database(_ id: DatabaseID) throws -> Int64? {
        if let known = foreseen.databases[id] { return known }
        guard let tenant = catalog.tenants[id.tenant] else { return nil }
        let rows = try ask(Self.databaseStatement, .int(tenant), .text(PostgresText.encoded(id.owner ?? "")))
        return rows.count > 0 ? rows.int(0, 0) : nil
    }

    private static let databasesStatement = PostgresStatement(
        "SELECT id FROM database WHERE tenant = $1 ORDER BY id", .int8)

    func databases(of tenant: Tenant) throws -> [Int64] {
        guard let tenant = catalog.tenants[tenant] else { return [] }
        let rows = try ask(Self.databasesStatement, .int(tenant))
        return (0..<rows.count).map { rows.int($0, 0) }
    }

    /// What a write has added to a database and not stored yet.
    func unstoredUsage(of database: Int64) -> StorageUsage { StorageUsage() }

    /// What a write has added to a tenant, by its number, and not stored yet.
    func unstoredUsage(ofTenant tenant: Int64) throws -> StorageUsage { StorageUsage() }

    static let zoneColumns = "id, database, name, sequence, deleted, horizon"
    private static let zoneStatement = PostgresStatement(
        "SELECT \(zoneColumns) FROM zone WHERE database = $1 AND name = $2 AND NOT deleted", .int8, .text)
    private static let zonesStatement = PostgresStatement(
        "SELECT \(zoneColumns) FROM zone WHERE database = $1 AND NOT deleted ORDER BY name", .int8)
    private static let changedZonesStatement = PostgresStatement(
        """
        SELECT \(zoneColumns) FROM zone
        WHERE database = $1 AND sequence > $2 AND name <> '\(ZoneID.defaultName)' AND ($2 > 0 OR NOT deleted)
        ORDER BY sequence LIMIT $3
        """, .int8, .int8, .int8)

    func zone(named name: String, in database: Int64) throws -> ZoneRow? {
        if let known = foreseen.zones[Foreseen.ZonePlace(database: database, name: name)] { return known }
        return try askedZone(named: name, in: database)
    }

    private func askedZone(named name: String, in database: Int64) throws -> ZoneRow? {
        Self.zones(try ask(Self.zoneStatement, .int(database), .text(PostgresText.encoded(name)))).first
    }

    func zones(in database: Int64) throws -> [ZoneRow] {
        Self.zones(try ask(Self.zonesStatement, .int(database)))
    }

    private static let forgottenZonesStatement = PostgresStatement(
        "SELECT horizon FROM database WHERE id = $1", .int8)

    func forgottenZones(in database: Int64) throws -> Int64 {
        let rows = try ask(Self.forgottenZonesStatement, .int(database))
        return rows.count > 0 ? rows.int(0, 0) : 0
    }

    func zones(in database: Int64, from name: String, limit: Int) throws -> [ZoneRow] {
        let later = try zones(in: database).drop { $0.name.utf8.lexicographicallyPrecedes(name.utf8) }
        return Array(later.prefix(limit))
    }

    func zones(in database: Int64, changedAfter sequence: Int64, limit: Int) throws -> [ZoneRow] {
        Self.zones(try ask(Self.changedZonesStatement, .int(database), .int(sequence), .int(Int64(limit))))
    }

    static func zones(_ rows: PostgresRows) -> [ZoneRow] {
        (0..<rows.count).map { row in
            ZoneRow(
                id: rows.int(row, 0), database: rows.int(row, 1),
                name: PostgresText.decoded(rows.text(row, 2)), sequence: rows.int(row, 3),
                isDeleted: rows.bool(row, 4), forgottenUntil: rows.int(row, 5))
        }
    }
}
