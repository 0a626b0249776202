internal import PostgresAccess
internal import RecordModel
internal import RecordStorage
internal import Synchronization

/// What every connection knows of the tables: schemas as of one moment.
struct PostgresCatalog: Sendable {
    var version: Int64 = 0
    var tenants: [Tenant: Int64] = [:]
    var schemas: [Tenant: Schema] = [:]
    /// The indexes that were made for queries, by type.
    private(set) var indexes: [Int64: [PostgresAutomaticIndex]] = [:]

    private static let queries =
        [
            "SELECT value FROM meta WHERE key = 'schemaVersion'",
            "SELECT id, container, environment FROM tenant ORDER BY id",
            "SELECT type, number, name, scalar, list, indexes, declaration FROM field ORDER BY type, number",
            "SELECT type, role, permissions FROM type_grant ORDER BY type, position",
            "SELECT type, field, indexes FROM system_index",
            "SELECT id, tenant, name, has_grants, keep_count, keep_days FROM record_type",
            "SELECT tenant, name FROM security_role ORDER BY tenant, position",
        ].map { PostgresCommand(sql: $0) } + [PostgresAutomaticIndex.list]

    /// Takes what the server says of the indexes.
    mutating func setIndexes(_ all: [PostgresAutomaticIndex]) {
        indexes = Dictionary(grouping: all, by: \.type)
    }

    /// Reads everything, in one trip.
    static func load(_ connection: PostgresConnection) throws -> PostgresCatalog {
        let answers = try connection.run(queries)
        var catalog = PostgresCatalog()
        catalog.version = answers[0].int(0, 0)
        var tenants: [Int64: Tenant] = [:]
        for row in 0..<answers[1].count {
            guard let tenant = Tenant(answers[1].text(row, 1), answers[1].text(row, 2)) else { continue }
            tenants[answers[1].int(row, 0)] = tenant
            catalog.tenants[tenant] = answers[1].int(row, 0)
            catalog.schemas[tenant] = Schema()
        }
        let fields = fields(answers[2])
        let grants = grants(answers[3])
        let systemIndexes = systemIndexes(answers[4])
        for row in 0..<answers[5].count {
            guard let tenant = tenants[answers[5].int(row, 1)] else { continue }
            let id = answers[5].int(row, 0)
            var type = RecordType(name: answers[5].text(row, 2), id: id, fields: fields[id] ?? [])
            type.systemIndexes = systemIndexes[id] ?? [:]
            type.grants = answers[5].bool(row, 3) ? grants[id] ?? [] : nil
            type.keeping = VersionKeeping(
                count: Int(answers[5].int(row, 4)), days: Int(answers[5].int(row, 5)))
            catalog.schemas[tenant, default: Schema()].set(type)
        }
        for row in 0..<answers[6].count {
            guard let tenant = tenants[answers[6].int(row, 0)] else { continue }
            catalog.schemas[tenant, default: Schema()].roles.append(answers[6].text(row, 1))
        }
        catalog.setIndexes(PostgresAutomaticIndex.all(answers[7]))
        return catalog
    }

    private static func fields(_ rows: PostgresRows) -> [Int64: [FieldSchema]] {
        var fields: [Int64: [FieldSchema]] = [:]
        for row in 0..<rows.count {
            guard let scalar = FieldType.Scalar(rawValue: rows.text(row, 3)) else { continue }
            fields[rows.int(row, 0), default: []].append(
                FieldSchema(
                    name: rows.text(row, 2), type: FieldType(scalar, isList: rows.bool(row, 4)),
                    indexes: FieldIndexes(rawValue: UInt8(truncatingIfNeeded: rows.int(row, 5))),
                    column: Int(rows.int(row, 1)),
                    declaration: FieldDeclaration(rawValue: rows.text(row, 6)) ?? .plain))
        }
        return fields
    }

    private static func grants(_ rows: PostgresRows) -> [Int64: [SecurityGrant]] {
        var grants: [Int64: [SecurityGrant]] = [:]
        for row in 0..<rows.count {
            let permissions = SecurityPermissions(rawValue: UInt8(truncatingIfNeeded: rows.int(row, 2)))
            grants[rows.int(row, 0), default: []].append(SecurityGrant(permissions, to: rows.text(row, 1)))
        }
        return grants
    }

    private static func systemIndexes(_ rows: PostgresRows) -> [Int64: [SystemFieldName: FieldIndexes]] {
        var indexes: [Int64: [SystemFieldName: FieldIndexes]] = [:]
        for row in 0..<rows.count {
            guard let field = SystemFieldName(rawValue: rows.text(row, 1)) else { continue }
            indexes[rows.int(row, 0), default: [:]][field] = FieldIndexes(
                rawValue: UInt8(truncatingIfNeeded: rows.int(row, 2)))
        }
        return indexes
    }
}

/// The newest catalog that was seen, shared by all connections of a node.
final class SharedPostgresCatalog: Sendable {
    private let catalog: Mutex<PostgresCatalog>

    init(_ catalog: PostgresCatalog) { self.catalog = Mutex(catalog) }

    var current: PostgresCatalog { catalog.withLock { $0 } }

    /// Takes what the server says of the indexes.
    func setIndexes(_ all: [PostgresAutomaticIndex]) { catalog.withLock { $0.setIndexes(all) } }

    /// Takes a catalog, unless a newer one was taken meanwhile by another thread.
    func set(_ newer: PostgresCatalog) {
        catalog.withLock { catalog in
            if newer.version > catalog.version { catalog = newer }
        }
    }
}
