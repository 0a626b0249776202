import RecordModel
import RecordStorage
import SQLiteAccess
import Synchronization

/// An index that was made for the shape of a query.
struct AutomaticIndex: Hashable, Sendable {
    /// How far it has come.
    enum State: Int64, Sendable {
        /// It is to be made; SQLite does not know it yet.
        case ordered = 0
        /// New rows are entered, and the others little by little.
        case filling = 1
        /// It has all rows: only now queries use it.
        case ready = 2
        /// It is being emptied.
        case removing = 3
    }

    var name: String
    var type: Int64
    var shape: IndexShape
    /// The number of the column that marks its rows; nil for one that holds all rows, as version 0.1 made them.
    var slot: Int64?
    var state: State

    /// Whether new rows get its mark.
    var takesRows: Bool { slot != nil && (state == .filling || state == .ready) }
}

/// What every connection knows of the tables: schemas and indexes as of one moment.
struct Catalog: Sendable {
    var version: Int64 = 0
    var schemas: [Tenant: Schema] = [:]
    var indexes: [Int64: [AutomaticIndex]] = [:]
    /// The types that are gone and whose records are not yet.
    var removedTypes: Set<Int64> = []
    /// The fields that are gone and whose values are not yet, by type.
    var removedFields: [Int64: [RemovedField]] = [:]

    /// The index that walks the rows of a shape in their order, if there is one.
    func index(for shape: IndexShape, of type: Int64) -> AutomaticIndex? {
        indexes[type]?.first { $0.shape == shape && $0.state == .ready }
    }

    /// The index of a name, in whatever state.
    func index(named name: String, type: Int64) -> AutomaticIndex? {
        indexes[type]?.first { $0.name == name }
    }

    /// The type of a number.
    func recordType(_ id: Int64) -> RecordType? { schemas.recordType(id) }

    /// A field by its number.
    func field(_ number: Int64, ofType type: Int64) -> FieldSchema? {
        recordType(type)?.fields.first { Int64($0.column) == number }
    }

    /// Whether the table of a type has the columns of a shape.
    func hasColumns(of shape: IndexShape, type: Int64) -> Bool {
        guard let type = recordType(type) else { return false }
        let known = Set(
            IndexShape.systemColumns
                + type.fields.filter(ColumnValues.hasColumn).flatMap(ColumnValues.names(of:)))
        return shape.names.allSatisfy(known.contains)
    }

    /// Reads everything from the tables.
    static func load(_ connection: Connection) throws -> Catalog {
        var catalog = Catalog()
        catalog.version = try connection.meta(.schemaVersion)

        var tenants: [Int64: Tenant] = [:]
        let tenantRows = try connection.statement("SELECT id, container, environment FROM tenant")
        while try tenantRows.step() {
            guard let tenant = Tenant(tenantRows.text(1), tenantRows.text(2)) else { continue }
            tenants[tenantRows.int(0)] = tenant
            catalog.schemas[tenant] = Schema()
        }
        let fields = try fields(connection)
        let grants = try grants(connection)
        let systemIndexes = try systemIndexes(connection)
        // An inspection may see a file that no server of this version has opened.
        let keepings = try connection.texts("SELECT name FROM pragma_table_info('record_type')")
            .contains("keep_count")
        let typeRows = try connection.statement(
            "SELECT id, tenant, name, has_grants, \(keepings ? "keep_count, keep_days" : "0, 0") FROM record_type"
        )
        while try typeRows.step() {
            guard let tenant = tenants[typeRows.int(1)] else { continue }
            let id = typeRows.int(0)
            var type = RecordType(name: typeRows.text(2), id: id, fields: fields[id] ?? [])
            type.systemIndexes = systemIndexes[id] ?? [:]
            type.grants = typeRows.int(3) == 0 ? nil : grants[id] ?? []
            type.keeping = VersionKeeping(count: Int(typeRows.int(4)), days: Int(typeRows.int(5)))
            catalog.schemas[tenant, default: Schema()].set(type)
        }
        let roleRows = try connection.statement(
            "SELECT tenant, name FROM security_role ORDER BY tenant, position")
        while try roleRows.step() {
            guard let tenant = tenants[roleRows.int(0)] else { continue }
            catalog.schemas[tenant, default: Schema()].roles.append(roleRows.text(1))
        }
        // An inspection may see a file of version 0.1, which no server has opened since.
        let hasJobs = try connection.int("SELECT count(*) FROM sqlite_master WHERE name = 'job'") > 0
        let indexRows = try connection.statement(
            "SELECT name, type, shape, \(hasJobs ? "slot, state" : "NULL, 2") FROM automatic_index ORDER BY name"
        )
        while try indexRows.step() {
            let index = AutomaticIndex(
                name: indexRows.text(0), type: indexRows.int(1), shape: IndexShape(text: indexRows.text(2)),
                slot: indexRows.optionalInt(3),
                state: AutomaticIndex.State(rawValue: indexRows.int(4)) ?? .removing)
            catalog.indexes[index.type, default: []].append(index)
        }
        if hasJobs { try loadJobs(connection, into: &catalog) }
        return catalog
    }

    private static func loadJobs(_ connection: Connection, into catalog: inout Catalog) throws {
        let rows = try connection.statement(
            "SELECT id, kind, type, number, name, sequence FROM job WHERE kind <> 'zone' ORDER BY id")
        while try rows.step() {
            guard let kind = BackgroundJob.Kind(rawValue: rows.text(1)) else { continue }
            catalog.take(
                BackgroundJob(
                    id: rows.int(0), kind: kind, type: rows.int(2), number: rows.int(3), name: rows.text(4),
                    sequence: rows.int(5)))
        }
    }

    private static func fields(_ connection: Connection) throws -> [Int64: [FieldSchema]] {
        var fields: [Int64: [FieldSchema]] = [:]
        let rows = try connection.statement(
            "SELECT type, number, name, scalar, list, indexes, declaration FROM field ORDER BY type, number")
        while try rows.step() {
            guard let scalar = FieldType.Scalar(rawValue: rows.text(3)) else { continue }
            fields[rows.int(0), default: []].append(
                FieldSchema(
                    name: rows.text(2), type: FieldType(scalar, isList: rows.int(4) != 0),
                    indexes: FieldIndexes(rawValue: UInt8(truncatingIfNeeded: rows.int(5))),
                    column: Int(rows.int(1)),
                    declaration: FieldDeclaration(rawValue: rows.text(6)) ?? .plain))
        }
        return fields
    }

    private static func grants(_ connection: Connection) throws -> [Int64: [SecurityGrant]] {
        var grants: [Int64: [SecurityGrant]] = [:]
        let rows = try connection.statement(
            "SELECT type, role, permissions FROM type_grant ORDER BY type, position")
        while try rows.step() {
            let permissions = SecurityPermissions(rawValue: UInt8(truncatingIfNeeded: rows.int(2)))
            grants[rows.int(0), default: []].append(SecurityGrant(permissions, to: rows.text(1)))
        }
        return grants
    }

    private static func systemIndexes(
        _ connection: Connection
    ) throws -> [Int64: [SystemFieldName: FieldIndexes]] {
        var indexes: [Int64: [SystemFieldName: FieldIndexes]] = [:]
        let rows = try connection.statement("SELECT type, field, indexes FROM system_index")
        while try rows.step() {
            guard let field = SystemFieldName(rawValue: rows.text(1)) else { continue }
            indexes[rows.int(0), default: [:]][field] = FieldIndexes(
                rawValue: UInt8(truncatingIfNeeded: rows.int(2)))
        }
        return indexes
    }
}

/// The newest committed catalog, shared by all connections.
final class SharedCatalog: Sendable {
    private let catalog: Mutex<Catalog>

    init(_ catalog: Catalog) { self.catalog = Mutex(catalog) }

    var current: Catalog { catalog.withLock { $0 } }

    /// Takes a catalog, unless a newer one was taken meanwhile by another thread.
    func set(_ newer: Catalog) {
        catalog.withLock { catalog in
            if newer.version > catalog.version { catalog = newer }
        }
    }
}
