public import RecordModel
public import RecordStorage

/// What operators say about the versions of a type's records.
public enum VersionSettings {
    /// Has versions kept from the next change on, or no longer.
    ///
    /// The number counts from the next change of each record on. What is there and older than the setting allows goes
    /// within an hour; with nil, that is all of it.
    /// - Parameters:
    ///   - keeping: how many and for how long; nil for none.
    ///   - name: the record type, which has to be there.
    ///   - tenant: whose type it is; each environment has settings of its own.
    ///   - store: where it is kept.
    /// - Throws: `NOT_FOUND` for a type that is not there; `StorageError`.
    public static func set(
        _ keeping: VersionKeeping?, ofTypeNamed name: String, in tenant: Tenant, store: any RecordStore
    ) async throws {
        try await store.write { store in
            guard let type = try store.schema(of: tenant).types[name] else {
                throw ServiceError(
                    .notFound, "\(tenant) has no record type '\(name)'.",
                    remedy: "'stratus schema show' lists them; a type is there once its first record is.")
            }
            _ = try store.setKeeping(keeping, of: type, tenant: tenant)
        }
    }
}
