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
        switch section {
        case .databases, .zones, .records, .assets, .versions, .users, .tokens, .sessions, .links, .pushKeys,
            .subscriptions, .receivers, .webhooks, .watches, .changes, .outcomes:
            return try pagedRows(of: section, after: last, portion)
        case .accounts:
            var address = ""
            if case .account(let row, _)? = last { address = row.address }
            return try accounts(after: address, limit: portion.rows).map {
                .account($0, credentials: try credentials(of: $0.id))
            }
        case .policies:
            let tenants = try tenants()
            return try rest(
                try tenants.compactMap { try signInPolicy(of: $0).map { .policy($0) } }
                    + tenants.flatMap { try signInProviders(of: $0).map { .provider($0) } }
                    + erasures(limit: .max).map { .erasure($0) }, last, portion)
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
        case .operators:
            let sorted = try operators().sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            return try rest(sorted.map { .operator($0) }, last, portion)
        case .operatorTokens: return try rest(try allOperatorTokens(), last, portion)
        case .audit: return try audit(after: last, portion)
        case .counters: return last == nil ? [.counters(try counters())] : []
        }
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
