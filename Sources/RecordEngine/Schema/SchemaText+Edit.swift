public import RecordModel
public import RecordStorage
public import SchemaLanguage

extension SchemaText {
    /// Changes one record type of development, as one write.
    ///
    /// The change is made to the type as the write finds it, and only that type is touched: what apps and other
    /// operators make at the same time stays. Values go with the fields that the change takes away.
    /// - Parameters:
    ///   - name: the record type.
    ///   - container: whose development it is in.
    ///   - store: where the schema is kept.
    ///   - change: gives the type as it is to be, from how it is; nil stands for no such type.
    /// - Returns: what was done.
    /// - Throws: what `change` throws; `CONFLICT` when production has what would go; `QUOTA_EXCEEDED` when there
    ///   would be too much. Nothing has changed then.
    @discardableResult
    public static func edit(
        _ name: String, container: ContainerID, store: any RecordStore,
        _ change: @escaping @Sendable (SchemaRecordType?) throws -> SchemaRecordType?
    ) async throws -> [SchemaDiff.Change] {
        let tenant = Tenant(container: container, environment: .development)
        return try await store.write { store in
            let development = try store.schema(of: tenant)
            let production = try store.schema(
                of: Tenant(container: container, environment: .production))
            let current = document(
                of: Schema(types: development.types.filter { $0.key == name }, roles: development.roles))
            var target = current
            target.types.removeAll { $0.name == name }
            if let type = try change(current[name]) { target.types.append(type) }
            let changes = SchemaDiff(from: current, to: target).changes
            let refusals = changes.compactMap { refusal(of: $0, production, ", so it stays.") }
            guard refusals.isEmpty else {
                throw ServiceError(
                    .conflict, refusals.joined(separator: " "),
                    remedy: "What production has is never removed; development must have it too.")
            }
            try checkRoom(for: target, current[name] == nil, in: development)
            try SchemaWriting(store: store, tenant: tenant).apply(changes)
            return changes
        }
    }

    private static func checkRoom(
        for target: SchemaDocument, _ isNew: Bool, in development: Schema
    ) throws(ServiceError) {
        if isNew, development.types.count >= Limits.typesPerTenant {
            throw ServiceError(
                .quotaExceeded, "The container has \(Limits.typesPerTenant) record types, the most allowed.")
        }
        for type in target.types
        where type.fields.count(where: { $0.systemName == nil }) > Limits.fieldsPerType {
            throw ServiceError(
                .quotaExceeded, "A record type has \(Limits.fieldsPerType) fields at most.")
        }
    }
}
