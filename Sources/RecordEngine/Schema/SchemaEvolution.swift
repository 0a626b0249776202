import RecordModel
import RecordStorage
import RecordWire

/// How a schema takes in what it does not know yet: development makes it, production refuses it.
struct SchemaEvolution {
    let store: any StoreWriter
    let tenant: Tenant
    /// Whether what is missing is made.
    private let isOpen: Bool

    /// - Parameter isOpen: whether what is missing is made; by default, in development only.
    init(store: any StoreWriter, tenant: Tenant, isOpen: Bool? = nil) {
        self.store = store
        self.tenant = tenant
        self.isOpen = isOpen ?? (tenant.environment == .development)
    }

    /// The type of that name, or what is to become it where it is missing and may be made.
    ///
    /// Nothing is written: ``apply(_:to:)`` does, once the whole record is known to be good. The type of shares comes with
    /// its three fields.
    /// - Throws: in production, an error that names the type and all of the fields that are missing.
    func type(named name: String, newFields: [(name: String, field: WireField)]) throws -> RecordType {
        if let type = try store.schema(of: tenant).types[name] { return type }
        do {
            try Names.checkRecordType(name)
        } catch {
            // No environment can have such a type, so it is missing rather than malformed.
            throw ServiceError(
                .notFound, "did not find required record type",
                remedy: [error.reason, error.remedy].compactMap { $0 }.joined(separator: " "))
        }
        guard isOpen else {
            let gaps = [SchemaGap.type(name)] + RequestGaps.fields(newFields, of: name, type: nil)
            throw try RequestGaps.error(gaps, tenant: tenant, reader: store)
        }
        guard try store.schema(of: tenant).visibleTypes.count < Limits.typesPerTenant else {
            throw ServiceError(
                exceeding: "typesPerTenant",
                "The container has \(Limits.typesPerTenant) record types, the most allowed.")
        }
        return RecordType(
            name: name, id: Self.unmade, fields: name == ShareRecordType.name ? ShareRecordType.fields : [])
    }

    /// The number of a type that is yet to be made.
    private static let unmade: Int64 = 0

    /// A field that a type lacks.
    typealias Missing = (name: String, type: FieldType, declaration: FieldDeclaration)

    /// Checks that the type has all of the fields, with their types, and gives those that are to be added.
    ///
    /// - Parameter encrypted: the fields that the client marks as encrypted.
    /// - Throws: `BAD_REQUEST`: in production, one error for all of the missing fields.
    func missing(
        _ fields: [(name: String, value: FieldValue)], encrypted: Set<String>, from type: RecordType
    ) throws -> [Missing] {
        var missing: [Missing] = []
        for (name, value) in fields {
            // Some other characters are canonically equal to letters of ASCII, the sign of the kelvin for one.
            if let field = type[name], field.name.utf8.elementsEqual(name.utf8) {
                guard let actual = value.type, actual != field.type else { continue }
                throw ServiceError(
                    .badRequest, "Invalid value, expected type \(field.type.tag)",
                    remedy: "The value of field '\(name)' was of type \(actual.tag).")
            }
            try Names.checkField(name, ofType: type.name)
            guard let actual = value.type else {
                throw ServiceError(
                    .badRequest, "cannot use an empty list to initialize a new field '\(name)'")
            }
            let isEncrypted = encrypted.contains(name)
            guard !isEncrypted || actual.scalar != .asset && actual.scalar != .reference else {
                throw ServiceError(
                    .badRequest, "The field '\(name)' of type \(actual.tag) cannot be encrypted.",
                    remedy: "Send the value without the mark.")
            }
            if type.name == ShareRecordType.name, let own = ShareRecordType.field(named: name),
                own.type != actual || isEncrypted
            {
                throw ServiceError(
                    .badRequest, "Invalid value, expected type \(own.type.tag)",
                    remedy: "The field '\(name)' of a share is not encrypted.")
            }
            missing.append((name, actual, isEncrypted ? .encrypted : .plain))
        }
        guard !missing.isEmpty else { return [] }
        guard isOpen else {
            let gaps = missing.map { SchemaGap.field($0.name, $0.type, of: type.name) }
            throw try RequestGaps.error(gaps, tenant: tenant, reader: store)
        }
        guard type.fields.count + missing.count <= Limits.fieldsPerType else {
            throw ServiceError(
                exceeding: "fieldsPerType", "A record type has \(Limits.fieldsPerType) fields at most.")
        }
        return missing
    }

    /// Makes the type where it is yet to be made, and adds the fields that it lacks.
    func apply(_ missing: [Missing], to type: inout RecordType) throws {
        if type.id == Self.unmade { type = try store.makeType(named: type.name, tenant: tenant) }
        if isOpen {
            for field in ShareRecordType.missingFields(of: type) {
                type = try store.addField(field, to: type, tenant: tenant)
            }
        }
        for (name, fieldType, declaration) in missing where type[name] == nil {
            // Of what only clients can read nothing can be asked.
            let indexes = declaration == .encrypted ? [] : FieldIndexes.all(for: fieldType)
            type = try store.addField(
                FieldSchema(
                    name: name, type: fieldType, indexes: indexes, column: 0, declaration: declaration),
                to: type, tenant: tenant)
        }
    }
}
