public import RecordModel
public import RecordStorage
public import SchemaLanguage

/// Brings what development has to production.
///
/// Only ever adds: roles, types, fields and indexes that production has and development lacks stay as they are. The
/// permissions of a type become development's.
public struct SchemaDeployment: Sendable {
    /// One thing that production lacks.
    public enum Change: Hashable, Sendable, CustomStringConvertible {
        /// A security role.
        case role(String)
        /// A record type.
        case type(String)
        /// A field of a type, with its indexes.
        case field(type: String, SchemaField)
        /// Another set of indexes for a field, or for one of the system's.
        case indexes(type: String, name: String, FieldIndexes)
        /// Another way of declaring a number.
        case declaration(type: String, name: String, FieldDeclaration)
        /// Other permissions for a type.
        case grants(type: String, [SecurityGrant])

        /// The change as a line for a person.
        public var description: String {
            switch self {
            case .role(let name): "add role \(name)"
            case .type(let name): "add record type \(name)"
            case .field(let type, let field):
                "add field \(type).\(([field.name, field.type.description] + field.indexes.words).joined(separator: " "))"
            case .indexes(let type, let name, let indexes):
                "set the indexes of \(type).\(name) to \(indexes.words.joined(separator: " "))"
            case .declaration(let type, let name, _): "set how \(type).\(name) is declared"
            case .grants(let type, _): "set the grants of \(type)"
            }
        }
    }

    /// Compares the two environments of a container.
    ///
    /// - Throws: `CONFLICT` naming every field that has different types on the two sides, which nothing can fix.
    public static func changes(from development: Schema, to production: Schema) throws(ServiceError)
        -> [Change]
    {
        var changes: [Change] = development.roles.filter { !production.roles.contains($0) }.map { .role($0) }
        var conflicts: [String] = []
        for type in development.types.values.sorted(by: { $0.name < $1.name }) {
            let target = production.types[type.name]
            if target == nil { changes.append(.type(type.name)) }
            for field in type.fields + ShareRecordType.missingFields(of: type) {
                guard let there = target?[field.name] else {
                    let declared = DeclaredType(field.type, field.declaration)
                    let added = SchemaField(name: field.name, type: declared, indexes: field.indexes)
                    changes.append(.field(type: type.name, added))
                    continue
                }
                let declared = DeclaredType(field.type, field.declaration)
                let existing = DeclaredType(there.type, there.declaration)
                guard existing.holdsValues(of: declared) else {
                    conflicts.append(
                        "\(type.name).\(field.name) is \(declared) in development and \(existing) in production."
                    )
                    continue
                }
                changes += differences(of: field, there, in: type.name)
            }
            changes += annotations(of: type, target)
        }
        guard conflicts.isEmpty else {
            throw ServiceError(
                .conflict, conflicts.joined(separator: " "),
                remedy: "Give the field another name; a type that holds data cannot change.")
        }
        return changes
    }

    private static func differences(
        of field: FieldSchema, _ there: FieldSchema, in type: String
    ) -> [Change] {
        var changes: [Change] = []
        if there.declaration != field.declaration {
            changes.append(.declaration(type: type, name: field.name, field.declaration))
        }
        let union = there.indexes.union(field.indexes)
        if union != there.indexes { changes.append(.indexes(type: type, name: field.name, union)) }
        return changes
    }

    private static func annotations(of type: RecordType, _ target: RecordType?) -> [Change] {
        var changes: [Change] = []
        for name in SystemFieldName.allCases {
            let there = target?.systemIndexes[name] ?? []
            let union = there.union(type.systemIndexes[name] ?? [])
            if union != there { changes.append(.indexes(type: type.name, name: name.rawValue, union)) }
        }
        let existing = target?.effectiveGrants ?? SecurityGrant.defaults(ofTypeNamed: type.name)
        if type.effectiveGrants != existing {
            changes.append(.grants(type: type.name, type.effectiveGrants))
        }
        return changes
    }

    /// What was looked at, as a short text: other changes, or the same ones with other details, make another one.
    public static func digest(of changes: [Change]) -> String {
        PreviewDigest.text(
            of: changes.map { change in
                switch change {
                case .declaration(_, _, let declaration): return "\(change) \(declaration.rawValue)"
                case .grants(_, let grants):
                    let words = grants.map { "\($0.role): \($0.permissions.words.joined(separator: " "))" }
                    return "\(change) \(words.joined(separator: ", "))"
                case .role, .type, .field, .indexes: return change.description
                }
            })
    }

    /// Applies the changes that ``changes(from:to:)`` finds, as one write.
    ///
    /// - Parameters:
    ///   - container: whose production gets what its development has.
    ///   - digest: the ``digest(of:)`` of what was looked at; nil takes what comes.
    ///   - store: where the schemas are kept.
    /// - Throws: ``SchemaPreviewOutdated`` when other changes are found than were looked at; what
    ///   ``changes(from:to:)`` throws. Nothing has changed then.
    public static func deploy(
        container: ContainerID, expecting digest: String? = nil, store: any RecordStore
    ) async throws -> [Change] {
        let development = Tenant(container: container, environment: .development)
        let production = Tenant(container: container, environment: .production)
        return try await store.write { store in
            let source = try store.schema(of: development)
            let changes = try changes(from: source, to: store.schema(of: production))
            guard digest == nil || digest == self.digest(of: changes) else {
                throw SchemaPreviewOutdated()
            }
            let writing = SchemaWriting(store: store, tenant: production)
            for change in changes { try apply(change, source, writing) }
            return changes
        }
    }

    private static func apply(_ change: Change, _ source: Schema, _ writing: SchemaWriting) throws {
        let store = writing.store
        switch change {
        case .role(let name): try writing.setRoles { $0.append(name) }
        case .type(let name): _ = try writing.type(name)
        case .field(let type, let added):
            let field =
                source.types[type]?[added.name]
                ?? FieldSchema(
                    name: added.name, type: added.type.type, indexes: added.indexes, column: 0,
                    declaration: added.type.declaration)
            _ = try store.addField(field, to: writing.type(type), tenant: writing.tenant)
        case .indexes(let type, let name, let indexes):
            try writing.setIndexes(indexes, ofField: name, in: type)
        case .declaration(let type, let name, let declaration):
            try store.setDeclaration(
                declaration, ofField: name, in: writing.type(type), tenant: writing.tenant)
        case .grants(let name, let grants):
            let type = try writing.type(name)
            _ = try store.setAnnotations(
                systemIndexes: type.systemIndexes, grants: grants, of: type, tenant: writing.tenant)
        }
    }
}
