import RecordModel
import RecordStorage
import SQLiteAccess
import Synchronization

/// An index that was made for the shape of a query.
struct AutomaticIndex: Hashable, Sendable {
    var name: String
    var type: Int64
    var shape: IndexShape
}

/// What every connection knows of the tables: schemas and indexes as of one moment.
struct Catalog: Sendable {
    var version: Int64 = 0
    var schemas: [Tenant: Schema] = [:]
    var indexes: [Int64: [AutomaticIndex]] = [:]

    /// The index that walks the rows of a shape in their order, if there is one.
    func index(for shape: IndexShape, of type: Int64) -> AutomaticIndex? {
        indexes[type]?.first { $0.shape == shape }
    }

    /// Reads everything from the tables.
    static func load(_ connection: Connection) throws -> Catalog {
        var catalog = Catalog()
        catalog.version = try connection.meta(.schemaVersion)

        var tenants: [Int64: Tenant] = [:]
        let tenantRows = try connection.statement("SELECT id, container, environment FROM tenant")
        while try tenantRows.step() {
            guard let container = try? ContainerID(tenantRows.text(1)),
                let environment = CloudEnvironment(rawValue: tenantRows.text(2))
            else { continue }
            let tenant = Tenant(container: container, environment: environment)
            tenants[tenantRows.int(0)] = tenant
            catalog.schemas[tenant] = Schema()
        }
        let fields = try fields(connection)
        let grants = try grants(connection)
        let systemIndexes = try systemIndexes(connection)
        let typeRows = try connection.statement("SELECT id, tenant, name, has_grants FROM record_type")
        while try typeRows.step() {
            guard let tenant = tenants[typeRows.int(1)] else { continue }
            let id = typeRows.int(0)
            var type = RecordType(name: typeRows.text(2), id: id, fields: fields[id] ?? [])
            type.systemIndexes = systemIndexes[id] ?? [:]
            type.grants = typeRows.int(3) == 0 ? nil : grants[id] ?? []
            catalog.schemas[tenant, default: Schema()].types[type.name] = type
        }
        let roleRows = try connection.statement(
            "SELECT tenant, name FROM security_role ORDER BY tenant, position")
        while try roleRows.step() {
            guard let tenant = tenants[roleRows.int(0)] else { continue }
            catalog.schemas[tenant, default: Schema()].roles.append(roleRows.text(1))
        }
        let indexRows = try connection.statement(
            "SELECT name, type, shape FROM automatic_index ORDER BY name")
        while try indexRows.step() {
            let index = AutomaticIndex(
                name: indexRows.text(0), type: indexRows.int(1), shape: IndexShape(text: indexRows.text(2)))
            catalog.indexes[index.type, default: []].append(index)
        }
        return catalog
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
