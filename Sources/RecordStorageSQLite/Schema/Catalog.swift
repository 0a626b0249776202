import RecordModel
import RecordStorage
import SQLiteStatements
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
        var fields: [Int64: [FieldSchema]] = [:]
        let fieldRows = try connection.statement(
            "SELECT type, number, name, scalar, list, indexes FROM field ORDER BY type, number")
        while try fieldRows.step() {
            guard let scalar = FieldType.Scalar(rawValue: fieldRows.text(3)) else { continue }
            fields[fieldRows.int(0), default: []].append(
                FieldSchema(
                    name: fieldRows.text(2), type: FieldType(scalar, isList: fieldRows.int(4) != 0),
                    indexes: FieldIndexes(rawValue: UInt8(truncatingIfNeeded: fieldRows.int(5))),
                    column: Int(fieldRows.int(1))))
        }
        let typeRows = try connection.statement("SELECT id, tenant, name FROM record_type")
        while try typeRows.step() {
            guard let tenant = tenants[typeRows.int(1)] else { continue }
            let id = typeRows.int(0)
            let type = RecordType(name: typeRows.text(2), id: id, fields: fields[id] ?? [])
            catalog.schemas[tenant, default: Schema()].types[type.name] = type
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
