import RecordModel
import RecordStorage
import RecordWire
import SchemaLanguage

/// Finds the columns that a query's words mean, and says clearly when there is none.
struct FieldResolver {
    let type: RecordType
    let tenant: Tenant
    var rules = IndexRules.open

    /// What a selector means for this type: a system field by any of its spellings, unless the type has a field of
    /// that name.
    func resolving(_ selector: FieldSelector) -> FieldSelector {
        guard case .field(let name) = selector, type[name] == nil, let system = SystemField(spelling: name)
        else { return selector }
        return .system(system)
    }

    /// A field of the type.
    ///
    /// - Throws: `BAD_REQUEST` naming the field, and the nearest one there is.
    func field(_ name: String) throws(ServiceError) -> FieldSchema {
        if let field = type[name] { return try ready(field) }
        let known = type.fields.map(\.name).sorted().prefix(20).joined(separator: ", ")
        var error = ServiceError(
            .badRequest, "Unknown field '\(name.prefix(64))' of record type '\(type.name)'.",
            remedy: known.isEmpty ? "The type has no fields yet." : "Its fields are \(known).")
        if tenant.environment == .production {
            error.gaps = [.field(name, nil, of: type.name)]
            error.remedy =
                "Deploy it, once development has it: stratus schema deploy --container \(tenant.container)"
            if !known.isEmpty { error.remedy? += " (production's fields are \(known))" }
        }
        throw error
    }

    /// A field, unless its index does not know all records yet.
    private func ready(_ field: FieldSchema) throws(ServiceError) -> FieldSchema {
        guard field.isBeingFilled else { return field }
        var error = ServiceError(
            .tryAgainLater, "The index of field '\(field.name)' is being made.",
            remedy: "Ask again in a few seconds; '/readyz' tells what is left to do.")
        error.retryAfterSeconds = 5
        throw error
    }

    /// A field that may be filtered by.
    func queryable(_ name: String) throws(ServiceError) -> FieldSchema {
        let field = try field(name)
        guard field.indexes.contains(.queryable), field.type.canBeQueried else {
            throw notIndexed(field, "queryable", .queryable)
        }
        return field
    }

    /// A field that may be asked for in a way.
    ///
    /// The schema language's reference keeps QUERYABLE for equality and SORTABLE for ranges ('Integrating a Text-Based
    /// Schema into Your Workflow'), while apps report "not marked queryable" for a range of a field without any index.
    /// So either index serves a range here, and the stricter rules want what the reference says.
    func queryable(_ name: String, for use: FieldUse) throws(ServiceError) -> FieldSchema {
        guard use == .range, let field = type[name], field.type.isOrdered else { return try queryable(name) }
        _ = try ready(field)
        let isQueryable = field.indexes.contains(.queryable)
        let isSortable = field.indexes.contains(.sortable)
        if isSortable || isQueryable && rules == .open { return field }
        throw notIndexed(field, isQueryable ? "sortable" : "queryable", isQueryable ? .sortable : .queryable)
    }

    /// A field that may be sorted by.
    func sortable(_ name: String) throws(ServiceError) -> FieldSchema {
        let field = try field(name)
        guard field.type.isOrdered else {
            // The sentence is that of Apple's service, which knows no sortable fields of these types.
            throw ServiceError(
                .badRequest, "Field '\(field.name)' is not marked sortable",
                remedy: "Values of type \(field.type.tag) have no order."
                    + (field.type == FieldType(.location)
                        ? " Sort by distance, with 'relativeLocation'." : ""))
        }
        guard field.indexes.contains(.sortable) else { throw notIndexed(field, "sortable", .sortable) }
        return field
    }

    /// A field whose words may be searched.
    func searchable(_ name: String) throws(ServiceError) -> FieldSchema {
        let field = try field(name)
        guard field.indexes.contains(.searchable) else { throw notIndexed(field, "searchable", .searchable) }
        return field
    }

    /// The columns of all text that may be searched.
    var searchableColumns: [Column] {
        type.fields.filter { $0.indexes.contains(.searchable) && !$0.isBeingFilled }.map { .field($0) }
    }

    private func notIndexed(_ field: FieldSchema, _ word: StaticString, _ index: FieldIndexes) -> ServiceError
    {
        let line = SchemaField(
            name: field.name, type: DeclaredType(field.type, field.declaration),
            indexes: field.indexes.union(index)
        ).line
        let place = "In the schema's text, in '\(type.name)', write: \(line)."
        let command = "stratus schema import --file schema.ckdb --container \(tenant.container)"
        let remedy =
            if !field.type.canBeQueried {
                "Fields of type \(field.type.tag) cannot be queried."
            } else if field.declaration == .encrypted {
                "Encrypted fields cannot be queried."
            } else if tenant.environment == .production {
                "\(place) Where development has it, bring it over: stratus schema deploy --container \(tenant.container). Else import it there first: \(command)"
            } else {
                "\(place) Import it: \(command)"
            }
        // The first sentence is Apple's (Documentation/Protocol.md, 'Indexes').
        var error = ServiceError(
            .badRequest, "Field '\(field.name)' is not marked \(word)", remedy: remedy)
        if tenant.environment == .production, field.type.canBeQueried, field.declaration != .encrypted {
            error.gaps = [.index(index, field, of: type.name)]
        }
        return error
    }

    /// Refuses what the schema has no index of a system field for, where the rules are CloudKit's.
    ///
    /// The text of a schema can index neither parent nor share: they can be filtered by and have no order.
    func check(_ field: SystemField, for use: FieldUse) throws(ServiceError) {
        guard rules == .apple else { return }
        let indexes = field.schemaName.map { type.systemIndexes[$0] ?? [] } ?? .queryable
        let isServed =
            switch use {
            case .filter: indexes.contains(.queryable)
            case .range, .sort: indexes.contains(.sortable)
            }
        guard !isServed else { return }
        let needsOrder = use == .sort || use == .range && indexes.contains(.queryable)
        let name = field.schemaName?.rawValue ?? "___\(field.rawValue)"
        throw ServiceError(
            .badRequest,
            "Field '\(field == .recordName ? field.rawValue : name)' is not marked \(needsOrder ? "sortable" : "queryable")",
            remedy:
                "Give \"\(name)\" the index \(needsOrder ? "SORTABLE" : "QUERYABLE") in the schema's text and deploy it, or serve with '--indexes open'."
        )
    }

    /// Refuses a query without any condition, which CloudKit answers by the index of record names.
    func checkWholeType() throws(ServiceError) {
        guard rules == .apple else { return }
        if type.fields.allSatisfy(\.indexes.isEmpty), type.systemIndexes.values.allSatisfy(\.isEmpty) {
            throw ServiceError(
                .badRequest, "Type is not marked indexable: \(type.name)",
                remedy:
                    "Give \"___recordID\" the index QUERYABLE in the schema's text and deploy it, or serve with '--indexes open'."
            )
        }
        try check(.recordName, for: .filter)
    }

    /// The column of a system field, and the type of its values; nil for the share: shares come later, and until
    /// then no record has one.
    func system(_ field: SystemField) -> (column: Column, type: FieldType)? {
        switch field {
        case .recordName: (.recordName, FieldType(.string))
        case .createdTimestamp: (.createdAt, FieldType(.timestamp))
        case .modifiedTimestamp: (.modifiedAt, FieldType(.timestamp))
        case .createdUserRecordName: (.createdBy, FieldType(.string))
        case .modifiedUserRecordName: (.modifiedBy, FieldType(.string))
        case .parent: (.parent, FieldType(.string))
        case .share: nil
        }
    }
}

extension SystemField {
    /// The name in the schema's text; nil for the fields that it does not have.
    fileprivate var schemaName: SystemFieldName? {
        switch self {
        case .recordName: .recordID
        case .createdTimestamp: .createTime
        case .modifiedTimestamp: .modTime
        case .createdUserRecordName: .createdBy
        case .modifiedUserRecordName: .modifiedBy
        case .share, .parent: nil
        }
    }
}

extension StorageValue {
    /// A single value in the form in which columns hold it; nil for values that no column holds.
    init?(_ value: FieldValue) {
        switch value {
        case .string(let text): self = .text(text)
        case .int64(let int), .timestamp(let int): self = .int(int)
        case .double(let double): self = .double(double)
        case .reference(let reference): self = .text(reference.recordName)
        case .bytes, .asset, .location, .list: return nil
        }
    }
}
