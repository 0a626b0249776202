public import RecordModel
public import RecordStorage

/// Sets development back to production's schema; everything that is stored in development goes.
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
    /// - Throws: `StorageError`.
    public static func summary(container: ContainerID, reader: any StoreReader) throws -> Summary {
        let development = Tenant(container: container, environment: .development)
        let types = try reader.schema(of: development).types.values
        var zones = 0
        for database in try reader.databases(of: development) {
            zones += try reader.customZoneCount(in: database)
        }
        return Summary(
            types: types.count, records: try types.reduce(0) { try $0 + reader.recordCount(of: $1) },
            zones: zones)
    }

    /// Resets development, as one write. Users and tokens stay; the room that records take is given back in the
    /// background.
    ///
    /// - Returns: what there was to take away, as counted just before.
    /// - Throws: `StorageError`; nothing has changed then.
    public static func apply(container: ContainerID, store: any RecordStore) async throws -> Summary {
        let development = Tenant(container: container, environment: .development)
        let production = Tenant(container: container, environment: .production)
        // Counting looks at every record, which nobody's write should wait for.
        let summary = try await store.read(.long) { try Self.summary(container: container, reader: $0) }
        return try await store.write { store in
            try store.deleteCustomZones(of: development)
            for type in try store.schema(of: development).types.values.sorted(by: { $0.id < $1.id }) {
                try store.removeType(type, tenant: development)
            }
            let source = try store.schema(of: production)
            try store.setRoles(source.roles, tenant: development)
            for type in source.types.values.sorted(by: { $0.id < $1.id }) {
                var copy = try store.makeType(named: type.name, tenant: development)
                for field in type.fields {
                    copy = try store.addField(field, to: copy, tenant: development)
                }
                _ = try store.setAnnotations(
                    systemIndexes: type.systemIndexes, grants: type.grants, of: copy, tenant: development)
            }
            return summary
        }
    }
}
