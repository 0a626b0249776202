import RecordModel
import RecordStorage
import RecordWire

/// How a schema takes in what it does not know yet: development makes it, production refuses it.
struct SchemaEvolution {
    let store: any StoreWriter
    let tenant: Tenant

    private var isOpen: Bool { tenant.environment == .development }

    /// The type of that name, or what is to become it where it is missing and may be made.
    ///
    /// Nothing is written: ``apply(_:to:)`` does, once the whole record is known to be good.
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
        return RecordType(name: name, id: Self.unmade)
    }

    /// The number of a type that is yet to be made.
    private static let unmade: Int64 = 0

    /// A field that a type lacks.
    typealias Missing = (name: String, type: FieldType)

    /// Checks that the type has all of the fields, with their types, and gives those that are to be added.
    ///
    /// - Throws: `BAD_REQUEST`: in production, one error for all of the missing fields.
    func missing(_ fields: [(name: String, value: FieldValue)], from type: RecordType) throws -> [Missing] {
        var missing: [Missing] = []
        for (name, value) in fields {
            // Some other characters are canonically equal to letters of ASCII, the sign of the kelvin for one.
            if let field = type[name], field.name.utf8.elementsEqual(name.utf8) {
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
        guard !missing.isEmpty else { return [] }
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
        return missing
    }

    /// Makes the type where it is yet to be made, and adds the fields that it lacks.
    func apply(_ missing: [Missing], to type: inout RecordType) throws {
        if type.id == Self.unmade { type = try store.makeType(named: type.name, tenant: tenant) }
        for (name, fieldType) in missing {
            type = try store.addField(
                named: name, type: fieldType, indexes: .all(for: fieldType), to: type, tenant: tenant)
        }
    }
}
