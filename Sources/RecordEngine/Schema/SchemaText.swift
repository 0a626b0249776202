public import RecordModel
public import RecordStorage
public import SchemaLanguage

/// A tenant's schema as a text in the schema language.
public enum SchemaText {
    /// The schema of a tenant as it is exported: sorted, with the fields of the system in every type.
    ///
    /// - Throws: `StorageError` where the schema cannot be read.
    public static func export(_ tenant: Tenant, reader: any StoreReader) throws -> SchemaDocument {
        document(of: try reader.schema(of: tenant))
    }

    /// A schema as it is exported.
    ///
    /// A type that nobody wrote permissions for has `SecurityGrant/defaults`.
    public static func document(of schema: Schema) -> SchemaDocument {
        let types = schema.visibleTypes.values.map { type in
            let system = type.systemIndexes.map { name, indexes in
                SchemaField(name: name.rawValue, type: DeclaredType(name.type), indexes: indexes)
            }
            let own = type.fields.map { field in
                SchemaField(
                    name: field.name, type: DeclaredType(field.type, field.declaration),
                    indexes: field.indexes)
            }
            return SchemaRecordType(
                name: type.name, fields: own + system, grants: type.effectiveGrants)
        }
        return SchemaDocument(roles: schema.roles, types: types).exported()
    }
}

extension SchemaText {
    /// A schema as a short text: schemas that are exported alike have the same.
    public static func digest(of schema: Schema) -> String {
        PreviewDigest.text(of: [document(of: schema).description])
    }
}
