import RecordModel
import RecordStorage

/// Who may have an index made by asking for records: it costs room, and time of each later write.
///
/// Operators may. In development so may whoever may make or change records of the type: what they send makes the schema
/// there. For all others, and in production, an index is made of what the schema declares: the columns that a query holds to a value are QUERYABLE, or
/// SORTABLE, and those that it sorts by SORTABLE; of the system's fields all count that the server's rules let be asked
/// for without a declaration.
struct IndexPermission {
    private let caller: Caller
    private let environment: CloudEnvironment
    private let rules: IndexRules
    private let rights: AccessRights

    init(_ context: CallContext) {
        caller = context.caller
        environment = context.tenant.environment
        rules = context.indexes
        rights = context.rights
    }

    func mayMakeIndex(_ condition: Condition, _ sort: [SortKey], of type: RecordType) -> Bool {
        if case .administrator = caller { return true }
        if environment == .development,
            rights.reach(of: .create, in: type) != .none || rights.reach(of: .write, in: type) != .none
        {
            return true
        }
        let sorted = sort.compactMap { key -> Column? in
            if case .column(let column) = key.source { return column }
            return nil
        }
        return sorted.allSatisfy { isDeclared($0, .sortable, type) }
            && Self.heldColumns(condition).allSatisfy {
                isDeclared($0, .queryable, type) || isDeclared($0, .sortable, type)
            }
    }

    /// The columns that a condition holds to one value, which an index of its shape has.
    private static func heldColumns(_ condition: Condition) -> [Column] {
        switch condition {
        case .and(let parts): parts.flatMap(heldColumns)
        case .compare(let column, .equal, _): [column]
        default: []
        }
    }

    private func isDeclared(_ column: Column, _ index: FieldIndexes, _ type: RecordType) -> Bool {
        let system: SystemFieldName
        switch column {
        case .field(let field), .latitude(let field), .longitude(let field):
            return type[field.name]?.indexes.contains(index) == true
        case .recordName: system = .recordID
        case .createdAt: system = .createTime
        case .modifiedAt: system = .modTime
        case .createdBy: system = .createdBy
        case .modifiedBy: system = .modifiedBy
        // The schema's text has no word for it.
        case .parent: return true
        }
        // Development needs no declaration for the system's fields.
        return rules == .open || environment == .development
            || type.systemIndexes[system]?.contains(index) == true
    }
}
