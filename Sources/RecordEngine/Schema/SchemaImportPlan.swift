public import RecordModel
public import RecordStorage
public import SchemaLanguage

/// What importing a schema's text into development would do.
public struct SchemaImportPlan: Sendable {
    /// One change, and what it costs.
    public struct Step: Hashable, Sendable {
        /// The change.
        public var change: SchemaDiff.Change
        /// Whether values go with it.
        public var isDestructive: Bool
        /// How many records of the type there are in development, where the change is destructive; in what an import
        /// answers, as counted just before it.
        public var records: Int
    }

    /// What would change, in the order in which it is done.
    public let steps: [Step]
    /// Why the text cannot be imported, one sentence each; empty where it can.
    public let refusals: [String]

    /// The steps that take values with them.
    public var losses: [Step] { steps.filter { $0.isDestructive && $0.records > 0 } }
    /// Whether nothing would change.
    public var isEmpty: Bool { steps.isEmpty }

    /// What was looked at, as a short text: another change, another refusal, or values that would go where there
    /// were none make another one. How many records lose values does not.
    public var digest: String {
        let lines = steps.map { ($0.isDestructive && $0.records > 0 ? "!" : "") + $0.change.description }
        return PreviewDigest.text(of: lines + refusals)
    }
}

extension SchemaText {
    /// Finds out what importing a text would do; nothing is changed.
    ///
    /// - Parameters:
    ///   - document: what the text says.
    ///   - container: the container that would take it.
    ///   - reader: sees the store as it is.
    ///   - known: how many records the types have, by name, where that was counted before; those of others are
    ///     counted, which looks at each of them.
    /// - Throws: `StorageError` where a schema cannot be read, or the records of a type not be counted.
    public static func importPlan(
        _ document: SchemaDocument, container: ContainerID, reader: any StoreReader,
        counted known: [String: Int]? = nil
    ) throws -> SchemaImportPlan {
        let development = try reader.schema(of: Tenant(container: container, environment: .development))
        let production = try reader.schema(of: Tenant(container: container, environment: .production))
        let current = self.document(of: development)
        var target = document
        // The type of users is always there: leaving it out does not take it away.
        if target[SchemaRecordType.users.name] == nil, let users = current[SchemaRecordType.users.name] {
            target.types.append(users)
        }
        let diff = SchemaDiff(from: current, to: target)
        var steps: [SchemaImportPlan.Step] = []
        for change in diff.changes {
            let isDestructive = change.isDestructive
            let type = change.recordType.flatMap { development.types[$0] }
            let records = try isDestructive ? type.map { try count($0, reader, known) } ?? 0 : 0
            steps.append(
                SchemaImportPlan.Step(change: change, isDestructive: isDestructive, records: records))
        }
        return SchemaImportPlan(
            steps: steps,
            refusals: diff.changes.compactMap { refusal(of: $0, production, ", which the text lacks.") }
                + steps.compactMap { sharesRefusal(of: $0.change, hasRecords: $0.records > 0) }
                + limits(target))
    }

    /// How many records a type has: exactly, or as far as a few steps tell where it was counted before.
    private static func count(
        _ type: RecordType, _ reader: any StoreReader, _ known: [String: Int]?
    ) throws -> Int {
        guard let known else { return try reader.recordCount(of: type) }
        return try reader.hasRecords(of: type) ? max(1, known[type.name] ?? 1) : 0
    }

    /// Why a change cannot be: production has what would go.
    static func refusal(
        of change: SchemaDiff.Change, _ production: Schema, _ ending: String
    ) -> String? {
        switch change {
        case .typeRemoved(let name):
            production.types[name].map { _ in "Production has the record type \(name)\(ending)" }
        case .fieldRemoved(let type, let field):
            production.types[type]?[field.name].map { _ in
                "Production has the field \(type).\(field.name)\(ending)"
            }
        case .fieldTypeChanged(let type, let old, let new) where change.isDestructive:
            production.types[type]?[new.name].map { _ in
                "Production has the field \(type).\(new.name) as \(old.type); it cannot become \(new.type)."
            }
        default: nil
        }
    }

    /// Why the type of shares cannot go: what is shared would stay open to others, and nobody could close it.
    static func sharesRefusal(of change: SchemaDiff.Change, hasRecords: Bool) -> String? {
        guard hasRecords, change == .typeRemoved(ShareRecordType.name) else { return nil }
        let declared = SchemaRecordType(name: ShareRecordType.name).line
        return
            "Development has shares. To keep the type, put \(declared) into the text; to remove it, stop sharing first."
    }

    private static func limits(_ document: SchemaDocument) -> [String] {
        var refusals: [String] = []
        if document.roles.count > Limits.rolesPerTenant {
            refusals.append(
                "The text has \(document.roles.count) roles; \(Limits.rolesPerTenant) are allowed.")
        }
        if document.types.count > Limits.typesPerTenant {
            refusals.append(
                "The text has \(document.types.count) record types; \(Limits.typesPerTenant) are allowed.")
        }
        for type in document.types {
            let count = type.fields.count { $0.systemName == nil }
            guard count > Limits.fieldsPerType else { continue }
            refusals.append(
                "The record type \(type.name) has \(count) fields; \(Limits.fieldsPerType) are allowed.")
        }
        return refusals
    }

    /// Makes a text the schema of development, as one write.
    ///
    /// - Parameters:
    ///   - document: the schema that development is to have.
    ///   - container: whose development it is.
    ///   - allowsLoss: whether values of types and fields that go may go with them.
    ///   - digest: the ``SchemaImportPlan/digest`` of what was looked at; nil takes what comes.
    ///   - store: where the schema is kept.
    ///   - keeping: for how long the values are kept that go; nil for not at all.
    /// - Returns: what was done.
    /// - Throws: ``SchemaPreviewOutdated`` when the schema changed since the look, so that something else would
    ///   happen; `CONFLICT` when production has what would go, or values would be lost without consent. Nothing
    ///   has changed then.
    public static func importSchema(
        _ document: SchemaDocument, container: ContainerID, allowsLoss: Bool, expecting digest: String? = nil,
        store: any RecordStore, keeping: RemovalKeeping? = nil
    ) async throws -> SchemaImportPlan {
        // Counting looks at every record, which nobody's write should wait for.
        let (counted, looked) = try await store.read(.long) { reader in
            let plan = try importPlan(document, container: container, reader: reader)
            let counts = plan.steps.compactMap { step in
                step.isDestructive ? step.change.recordType.map { ($0, step.records) } : nil
            }
            return (Dictionary(counts, uniquingKeysWith: { first, _ in first }), plan)
        }
        let work = keeping.map {
            RemovalWork(store, Tenant(container: container, environment: .development), $0)
        }
        var prepared: RemovalWork.Prepared = [:]
        if let work, allowsLoss, looked.refusals.isEmpty, digest == nil || digest == looked.digest {
            prepared = try await work.prepare(looked.steps.map(\.change))
        }
        return try await store.write { [prepared] store in
            let plan = try importPlan(document, container: container, reader: store, counted: counted)
            guard digest == nil || digest == plan.digest else { throw SchemaPreviewOutdated() }
            guard plan.refusals.isEmpty else {
                throw ServiceError(
                    .conflict, "The schema cannot be imported. \(plan.refusals.joined(separator: " "))",
                    remedy:
                        "Types and fields of production cannot be removed: put them into the text as they are."
                )
            }
            guard allowsLoss || plan.losses.isEmpty else {
                let lines = plan.losses.map { "\($0.change) (\($0.records) records)" }
                throw ServiceError(
                    .conflict,
                    "Importing the schema would lose values of development: \(lines.joined(separator: ", ")).",
                    remedy: "Allow their deletion, or put the types and fields into the text.")
            }
            let writing = SchemaWriting(
                store: store, tenant: Tenant(container: container, environment: .development))
            let changes = plan.steps.map(\.change)
            try work?.finish(changes, prepared, in: store)
            try writing.apply(changes)
            // A text that says what every container has makes the container all the same.
            if changes.isEmpty, try !store.tenants().contains(writing.tenant) {
                _ = try store.makeDatabase(DatabaseID(tenant: writing.tenant, owner: nil))
            }
            return plan
        }
    }
}

extension SchemaDiff.Change {
    /// Whether values go with the change.
    public var isDestructive: Bool {
        switch self {
        case .typeRemoved, .fieldRemoved: true
        case .fieldTypeChanged(_, let old, let new): !old.type.holdsValues(of: new.type)
        default: false
        }
    }
}

extension DeclaredType {
    /// Whether values of another declaration are values of this one as they are.
    func holdsValues(of other: DeclaredType) -> Bool {
        type == other.type && (declaration == .encrypted) == (other.declaration == .encrypted)
    }
}
