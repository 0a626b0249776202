internal import RecordModel

extension StoreReader {
    /// Some rows of a part of the store, in an order that is the same on every engine, after a given one.
    ///
    /// - Parameters:
    ///   - section: the part.
    ///   - last: the row to go on after; nil for the beginning.
    ///   - portion: how much is read at once.
    /// - Returns: an empty list where the part ends.
    /// - Throws: ``StorageError`` where they cannot be read, or where `last` no longer exists: somebody wrote meanwhile.
    public func rows(
        of section: StoreSection, after last: StoreRow?, _ portion: CopyPortion
    ) throws -> [StoreRow] {
        if let table = Catalogue.shape(of: section) {
            return try describedRows(of: table, section, after: last, portion)
        }
        switch section {
        case .databases, .zones, .records, .assets, .versions:
            return try pagedRows(of: section, after: last, portion)
        // The others are few, or their number has a limit.
        case .tenants:
            return try rest(
                try tenants().map { .tenant($0, roles: try schema(of: $0).roles) }, last, portion)
        case .types:
            let types = try tenants().flatMap { tenant in
                try schema(of: tenant).types.values.map { ($0, tenant) }
            }
            let sorted = types.sorted { $0.0.id < $1.0.id }
            let rows = try sorted.map { type, tenant in
                StoreRow.type(
                    CopiedType(tenant: tenant, type: type, lastColumn: try lastColumn(of: type)))
            }
            return try rest(rows, last, portion)
        case .audit: return try audit(after: last, portion)
        case .counters: return last == nil ? [.counters(try counters())] : []
        default:
            assertionFailure("The part '\(section)' has no rows.")
            return []
        }
    }

    private func describedRows(
        of table: TableShape, _ section: StoreSection, after last: StoreRow?, _ portion: CopyPortion
    ) throws -> [StoreRow] {
        var query = TableQuery(order: table.columns.prefix(table.keyCount).map(\.name), limit: portion.rows)
        query.bytes = portion.bytes
        if case .described(let row)? = last { query.start = Array(row.values.prefix(table.keyCount)) }
        return try rows(of: table, query).map { .described(TableRow(section: section, values: $0)) }
    }

    private func rest(
        _ rows: [StoreRow], _ last: StoreRow?, _ portion: CopyPortion
    ) throws -> [StoreRow] {
        guard let last else { return Array(rows.prefix(portion.rows)) }
        guard let position = rows.firstIndex(of: last) else {
            throw StorageError.engine("The store was changed while it was read.")
        }
        return Array(rows[(position + 1)...].prefix(portion.rows))
    }

    private func audit(after last: StoreRow?, _ portion: CopyPortion) throws -> [StoreRow] {
        var first: Int64 = 0
        if case .audit(let row)? = last { first = row.id }
        // The log is read from its end, and shortened to a limited length.
        let rows = try audit(before: nil, limit: Limits.auditEntries + 1_000).reversed()
        return rows.drop { $0.id <= first }.prefix(portion.rows).map { .audit($0) }
    }
}
