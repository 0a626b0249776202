import RecordModel
public import SchemaLanguage

/// What CloudKit's production would refuse of queries that are answered here without `--indexes apple`.
public enum IndexRefusals {
    /// One sentence for each kind of query, none where the type's indexes serve all of them.
    public static func sentences(of type: SchemaRecordType) -> [String] {
        // Users are fetched by name, there as here.
        guard type.name != SchemaRecordType.users.name else { return [] }
        var sentences: [String] = []
        func lacking(_ index: FieldIndexes, _ names: [SystemFieldName]) -> [String] {
            names.map(\.rawValue).filter { type[$0]?.indexes.contains(index) != true }
        }
        if !lacking(.queryable, [.recordID]).isEmpty {
            sentences.append(
                "queries without a filter and filters by record name: ___recordID is not QUERYABLE")
        }
        let filters = lacking(.queryable, [.createTime, .modTime, .createdBy, .modifiedBy])
        if !filters.isEmpty {
            sentences.append("filters by \(list(filters)): not QUERYABLE")
        }
        let orders = lacking(.sortable, [.createTime, .modTime])
        if !orders.isEmpty {
            sentences.append("sorts and ranges by \(list(orders)): not SORTABLE")
        }
        let ranges = type.fields.filter {
            $0.systemName == nil && $0.type.type.isOrdered && $0.indexes.contains(.queryable)
                && !$0.indexes.contains(.sortable)
        }
        if !ranges.isEmpty {
            sentences.append("ranges of \(list(ranges.map(\.name))): QUERYABLE, but not SORTABLE")
        }
        return sentences
    }

    private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}
