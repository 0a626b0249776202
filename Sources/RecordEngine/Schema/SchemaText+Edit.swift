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
    ///   - keeping: for how long the values are kept that go; nil for not at all.
    ///   - change: gives the type as it is to be, from how it is; nil stands for no such type.
    /// - Returns: what was done.
    /// - Throws: what `change` throws; `CONFLICT` when production has what would go; `QUOTA_EXCEEDED` when there
    ///   would be too much. Nothing has changed then.
    @discardableResult
    public static func edit(
        _ name: String, container: ContainerID, store: any RecordStore, keeping: RemovalKeeping? = nil,
        _ change: @escaping @Sendable (SchemaRecordType?) throws -> SchemaRecordType?
    ) async throws -> [SchemaDiff.Change] {
        let tenant = Tenant(container: container, environment: .development)
        let work = keeping.map { RemovalWork(store, tenant, $0) }
        var prepared: RemovalWork.Prepared = [:]
        if let work {
            let changes = try await store.read(.short) { reader in
                try self.change(name, of: try reader.schema(of: tenant), change).changes
            }
            prepared = try await work.prepare(changes)
        }
        return try await store.write { [prepared] store in
            let development = try store.schema(of: tenant)
            let production = try store.schema(
                of: Tenant(container: container, environment: .production))
            let (current, target, changes) = try self.change(name, of: development, change)
            let refusals = changes.compactMap { refusal(of: $0, production, ", so it stays.") }
            let hasShares =
                try changes.contains(.typeRemoved(name))
                && development.types[name].map { try store.hasRecords(of: $0) } ?? false
            if let reason = changes.lazy.compactMap({ sharesRefusal(of: $0, hasRecords: hasShares) }).first {
                throw ServiceError(.conflict, reason)
            }
            guard refusals.isEmpty else {
                throw ServiceError(
                    .conflict, refusals.joined(separator: " "),
                    remedy: "What production has is never removed; development must have it too.")
            }
            try checkRoom(for: target, current[name] == nil, in: development)
            try work?.finish(changes, prepared, in: store)
            try SchemaWriting(store: store, tenant: tenant).apply(changes)
            return changes
        }
    }

    /// What a change of one type comes to.
    private static func change(
        _ name: String, of development: Schema, _ change: (SchemaRecordType?) throws -> SchemaRecordType?
    ) throws -> (current: SchemaDocument, target: SchemaDocument, changes: [SchemaDiff.Change]) {
        let current = document(
            of: Schema(types: development.types.filter { $0.key == name }, roles: development.roles))
        var target = current
        target.types.removeAll { $0.name == name }
        if let type = try change(current[name]) { target.types.append(type) }
        return (current, target, SchemaDiff(from: current, to: target).changes)
    }

    private static func checkRoom(
        for target: SchemaDocument, _ isNew: Bool, in development: Schema
    ) throws(ServiceError) {
        if isNew, development.visibleTypes.count >= Limits.typesPerTenant {
            throw ServiceError(
                exceeding: "typesPerTenant",
                "The container has \(Limits.typesPerTenant) record types, the most allowed.")
        }
        for type in target.types
        where type.fields.count(where: { $0.systemName == nil }) > Limits.fieldsPerType {
            throw ServiceError(
                exceeding: "fieldsPerType", "A record type has \(Limits.fieldsPerType) fields at most.")
        }
    }
}
