internal import PostgresAccess
internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Answers what can be asked of a snapshot, by one connection.
///
/// The first question goes with one for the version of the schema and, where the request named a zone, for the zone. What a
/// node knew beforehand is compared with the answer; where it was something else, all is asked again (``Repetition``). A request that
/// says that it asks only once (`PrefetchHint.isWhole`) needs no transaction around its question, which is one by itself.
class PostgresReader: StoreReader {
    let connection: PostgresConnection
    var catalog: PostgresCatalog
    /// What was fetched before it is asked for.
    var foreseen = Foreseen()
    /// Who is told of scans that missed an index.
    var wishes: IndexWishes?
    /// The zones that the node knows; nil for a writer.
    var knownZones: KnownZones?
    /// Whether a question of a request that asks only once may go without a transaction.
    var maySpareTransaction = false

    private enum Phase {
        /// Nothing was asked; the zone was taken from what the node knew, and is to be confirmed.
        case unasked(claim: KnownZones.Claim?)
        /// A transaction is open.
        case inTransaction
        /// What was asked without a transaction is answered.
        case over
    }

    private var phase: Phase
    private var isWhole = false
    /// Why everything has to be asked again.
    private(set) var repetition: Repetition?

    /// Why a read has to be run again; it is thrown then.
    enum Repetition: Error {
        /// The schema changed since the catalogue was read.
        case schema
        /// A zone is another one than the node knew.
        case zone
        /// Who asks only once asked twice, and needs a transaction.
        case transaction
    }

    /// A reader that begins with its first question.
    convenience init(reading connection: PostgresConnection, catalog: PostgresCatalog) {
        self.init(connection: connection, catalog: catalog)
        phase = .unasked(claim: nil)
    }

    /// A reader in a transaction that is open.
    init(connection: PostgresConnection, catalog: PostgresCatalog) {
        self.connection = connection
        self.catalog = catalog
        phase = .inTransaction
    }

    /// Asks, after what waits to be written.
    func ask(_ statement: PostgresStatement, _ values: PostgresValue...) throws -> PostgresRows {
        try ask(PostgresCommand(statement, values: values))
    }

    func ask(_ command: PostgresCommand) throws -> PostgresRows { try ask([command])[0] }

    /// Asks several things in one trip.
    func ask(_ commands: [PostgresCommand]) throws -> [PostgresRows] {
        switch phase {
        case .inTransaction: return try connection.run(commands)
        case .over: throw needed(.transaction)
        case .unasked(let claim):
            let opening = claim.map { Self.zoneCommand($0.name) } ?? Self.versionCommand
            return Array(try begin(opening, commands, claim).dropFirst())
        }
    }

    /// Asks for a zone, and more in the same trip; the first answer is the zone's.
    func ask(_ zone: KnownZones.Name, _ commands: [PostgresCommand]) throws -> [PostgresRows] {
        guard case .unasked = phase else { return try ask([Self.zoneCommand(zone)] + commands) }
        return try begin(Self.zoneCommand(zone), commands, nil)
    }

    /// Whether nothing was asked yet.
    private var isUnasked: Bool { if case .unasked = phase { true } else { false } }

    private func begin(
        _ opening: PostgresCommand, _ commands: [PostgresCommand], _ claim: KnownZones.Claim?
    ) throws -> [PostgresRows] {
        let begin = isWhole ? [] : [Self.beginCommand]
        let answers = Array(try connection.run(begin + [opening] + commands).dropFirst(begin.count))
        phase = isWhole ? .over : .inTransaction
        guard answers[0].int(0, 0) == catalog.version else { throw needed(.schema) }
        if let claim, Self.zone(answers[0], named: claim.name)?.id != claim.zone.id {
            knownZones?.forget(claim.name)
            throw needed(.zone)
        }
        return answers
    }

    /// Confirms what the node knew where nothing was asked: another node may have made the tenant, the type or the zone that
    /// this one took for missing.
    func confirm() throws {
        if isUnasked { _ = try ask([]) }
    }

    private func needed(_ repetition: Repetition) -> Repetition {
        self.repetition = repetition
        return repetition
    }

    private static let beginCommand = PostgresCommand(sql: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    private static let versionCommand = PostgresCommand(
        sql: "SELECT value FROM meta WHERE key = 'schemaVersion'")

    func foresee(_ foresight: PrefetchHint) throws {
        if isUnasked {
            let isKnown = foresight.namesOnlyZone && takeKnownZone(of: foresight)
            // Where the zone has to be asked for first, the scan is a second question.
            isWhole = foresight.isWhole && maySpareTransaction && (isKnown || !foresight.namesOnlyZone)
            if isKnown { return }
        }
        try fetch(foresight)
    }

    /// Takes the zone from what the node knows, to be confirmed with the first question.
    private func takeKnownZone(of foresight: PrefetchHint) -> Bool {
        guard let name = zoneName(foresight), let zone = knownZones?[name] else { return false }
        foreseen = Foreseen()
        foreseen.fetched(zone.database, of: foresight.database)
        foreseen.fetched(zone: zone, named: zone.name, in: zone.database)
        phase = .unasked(claim: KnownZones.Claim(name: name, zone: zone))
        return true
    }

    /// The zone as statements name it; nil where the tenant has nothing.
    func zoneName(_ foresight: PrefetchHint) -> KnownZones.Name? {
        catalog.tenants[foresight.database.tenant].map {
            KnownZones.Name(tenant: $0, owner: foresight.database.owner ?? "", zone: foresight.zone)
        }
    }

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
