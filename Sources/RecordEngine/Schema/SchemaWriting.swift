import RecordModel
import RecordStorage
import SchemaLanguage

/// Carries changes out on a tenant's schema.
struct SchemaWriting {
    let store: any StoreWriter
    let tenant: Tenant

    func apply(_ changes: [SchemaDiff.Change]) throws {
        for change in changes { try apply(change) }
    }

    private func apply(_ change: SchemaDiff.Change) throws {
        switch change {
        case .roleAdded(let name): try setRoles { $0.append(name) }
        case .roleRemoved(let name): try setRoles { $0.removeAll { $0 == name } }
        case .typeAdded(let name):
            _ = try type(name)
        case .typeRemoved(let name):
            guard let type = try store.schema(of: tenant).types[name] else { return }
            try ShareKeeper.settleRemoval(of: type, in: tenant, store)
            try store.removeType(type, tenant: tenant)
        case .fieldAdded(let type, let field): try add(field, to: type)
        case .fieldRemoved(let name, let field):
            _ = try store.removeField(named: field.name, from: type(name), tenant: tenant)
        case .fieldTypeChanged(let name, let old, let new):
            if old.type.holdsValues(of: new.type) {
                try store.setDeclaration(
                    new.type.declaration, ofField: new.name, in: type(name), tenant: tenant)
                try store.setIndexes(new.indexes, ofField: new.name, in: type(name), tenant: tenant)
            } else {
                _ = try store.removeField(named: old.name, from: type(name), tenant: tenant)
                try add(new, to: name)
            }
        case .indexesChanged(let name, let field, _, let indexes):
            try setIndexes(indexes, ofField: field, in: name)
        case .grantsChanged(let name, _, let grants):
            let type = try type(name)
            _ = try store.setAnnotations(
                systemIndexes: type.systemIndexes, grants: grants, of: type, tenant: tenant)
        }
    }

    /// The type of a name as it is now, made where it is missing.
    func type(_ name: String) throws -> RecordType { try store.makeType(named: name, tenant: tenant) }

    private func add(_ field: SchemaField, to name: String) throws {
        _ = try store.addField(
            FieldSchema(
                name: field.name, type: field.type.type, indexes: field.indexes, column: 0,
                declaration: field.type.declaration),
            to: type(name), tenant: tenant)
    }

    /// Sets the indexes of a field, or of one of the system's.
    func setIndexes(_ indexes: FieldIndexes, ofField field: String, in name: String) throws {
        let type = try type(name)
        guard let system = SystemFieldName(rawValue: field) else {
            return try store.setIndexes(indexes, ofField: field, in: type, tenant: tenant)
        }
        var systemIndexes = type.systemIndexes
        systemIndexes[system] = indexes
        _ = try store.setAnnotations(
            systemIndexes: systemIndexes, grants: type.grants, of: type, tenant: tenant)
    }

    func setRoles(_ change: (inout [String]) -> Void) throws {
        var roles = try store.schema(of: tenant).roles
        change(&roles)
        try store.setRoles(roles, tenant: tenant)
    }
}
