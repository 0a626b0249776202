public import RecordModel
public import RecordStorage
import SchemaLanguage

/// Sets development back to production's schema; everything that is stored in development goes. Records are kept for a while,
/// as those of types that are deleted one by one (``RemovedParts``).
public enum SchemaReset {
    /// What a reset takes away.
    public struct Summary: Hashable, Sendable {
        /// The record types of development, before.
        public var types: Int
        /// The records of development, in all databases.
        public var records: Int
        /// The custom zones of development, in all databases.
        public var zones: Int
    }

    /// Counts what a reset would take away.
    ///
    /// - Throws: `StorageError` where the schema cannot be read, or the records and zones not be counted.
    public static func summary(container: ContainerID, reader: any StoreReader) throws -> Summary {
        let development = Tenant(container: container, environment: .development)
        let types = try reader.schema(of: development).types.values.filter { !$0.isHidden }
        var zones = 0
        for database in try reader.databases(of: development) {
            zones += try reader.customZoneCount(in: database)
        }
        return Summary(
            types: types.count, records: try types.reduce(0) { try $0 + reader.recordCount(of: $1) },
            zones: zones)
    }

    /// Resets development, as one write after others that keep what it takes away. Users and tokens stay; the room that
    /// records take is given back in the background.
    ///
    /// When it is interrupted before the last write, nothing is reset, and it is simply done again.
    /// - Parameters:
    ///   - container: whose development it is.
    ///   - store: where it is.
    ///   - keeping: for how long records are kept, with their zones' names; nil for not at all.
    /// - Returns: what there was to take away, as counted just before.
    /// - Throws: `QUOTA_EXCEEDED` where too much is kept already; `StorageError`; `CancellationError`. Nothing is reset then.
    public static func apply(
        container: ContainerID, store: any RecordStore, keeping: RemovalKeeping? = nil
    ) async throws -> Summary {
        let development = Tenant(container: container, environment: .development)
        // Counting looks at every record, which nobody's write should wait for.
        let summary = try await store.read(.long) { try Self.summary(container: container, reader: $0) }
        let work = keeping.map { RemovalWork(store, development, $0, isReset: true) }
        let prepared = try await work?.prepare(removals(from: store.schema(of: development))) ?? [:]
        return try await store.write { store in
            try work?.finish(removals(from: try store.schema(of: development)), prepared, in: store)
            try replace(container, in: store)
            return summary
        }
    }

    private static func removals(from schema: Schema) -> [SchemaDiff.Change] {
        schema.types.values.filter { !$0.isHidden }.map(\.name).sorted().map { .typeRemoved($0) }
    }

    private static func replace(_ container: ContainerID, in store: any StoreWriter) throws {
        let development = Tenant(container: container, environment: .development)
        try ShareKeeper.endAll(of: development, store)
        try store.deleteCustomZones(of: development)
        for type in try store.schema(of: development).types.values.sorted(by: { $0.id < $1.id })
        where !type.isHidden { try store.removeType(type, tenant: development) }
        let source = try store.schema(of: Tenant(container: container, environment: .production))
        try store.setRoles(source.roles, tenant: development)
        for type in source.types.values.sorted(by: { $0.id < $1.id }) where !type.isHidden {
            var copy = try store.makeType(named: type.name, tenant: development)
            for field in type.fields {
                copy = try store.addField(field, to: copy, tenant: development)
            }
            _ = try store.setAnnotations(
                systemIndexes: type.systemIndexes, grants: type.grants, of: copy, tenant: development)
        }
    }
}
