import RecordModel
import RecordStorage
import RecordWire

/// How a schema takes in what it does not know yet: development makes it, production refuses it.
struct SchemaEvolution {
    let store: any StoreWriter
    let tenant: Tenant

    private var isOpen: Bool { tenant.environment == .development }

    /// The type of that name, made where it is missing and may be.
    ///
    /// - Throws: in production, an error that names the type and all of the fields that are missing.
    func type(named name: String, newFields: [(name: String, field: WireField)]) throws -> RecordType {
        if let type = try store.schema(of: tenant).types[name] { return type }
        try Names.checkIdentifier(name, what: "record type")
        guard isOpen else {
            let fields = newFields.map { "'\($0.name)'" }.joined(separator: ", ")
            throw ServiceError(
                .badRequest,
                "Production lacks the record type '\(name)'"
                    + (fields.isEmpty ? "." : " with the fields \(fields)."),
                remedy: "Deploy it: stratus schema deploy --container \(tenant.container)")
        }
        guard try store.schema(of: tenant).types.count < Limits.typesPerTenant else {
            throw ServiceError(
                .quotaExceeded, "The container has \(Limits.typesPerTenant) record types, which is the most.")
        }
        return try store.makeType(named: name, tenant: tenant)
    }

    /// Checks that the type has all of the fields, with their types; adds those that are missing where it may.
    ///
    /// - Throws: `BAD_REQUEST`: in production, one error for all of the missing fields.
    func admit(_ fields: [(name: String, value: FieldValue)], to type: inout RecordType) throws {
        var missing: [(name: String, type: FieldType)] = []
        for (name, value) in fields {
            if let field = type[name] {
                guard let actual = value.type, actual != field.type else { continue }
                throw ServiceError(
                    .badRequest,
                    "Invalid value, expected type \(field.type.tag) but actual value of field '\(name)' was of type \(actual.tag)"
                )
            }
            try Names.checkIdentifier(name, what: "field name")
            guard let actual = value.type else {
                throw ServiceError(
                    .badRequest, "cannot use an empty list to initialize a new field '\(name)'")
            }
            missing.append((name, actual))
        }
        guard !missing.isEmpty else { return }
        guard isOpen else {
            let names = missing.map { "'\($0.name)' (\($0.type.tag))" }.joined(separator: ", ")
            throw ServiceError(
                .badRequest, "Production lacks these fields of '\(type.name)': \(names).",
                remedy: "Deploy them: stratus schema deploy --container \(tenant.container)")
        }
        guard type.fields.count + missing.count <= Limits.fieldsPerType else {
            throw ServiceError(
                .quotaExceeded, "A record type has \(Limits.fieldsPerType) fields at the most.")
        }
        for (name, fieldType) in missing {
            type = try store.addField(
                named: name, type: fieldType, indexes: .all(for: fieldType), to: type, tenant: tenant)
        }
    }
}
