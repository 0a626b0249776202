internal import RecordModel

extension StoreRow {
    /// The row as bytes that are the same on every engine, for digests: each value after its length.
    public func encoded(into bytes: inout [UInt8]) {
        var encoder = RowEncoder(bytes: bytes)
        bytes = []
        encoder.append(self)
        bytes = encoder.bytes
    }
}

/// Writes rows as bytes; no two rows give the same.
private struct RowEncoder {
    var bytes: [UInt8]

    mutating func append(_ row: StoreRow) {
        switch row {
        case .tenant(let tenant, let roles):
            append(tenant)
            append(Int64(roles.count))
            for role in roles { append(role) }
        case .type(let row): append(row)
        case .database(let row):
            append(row.number)
            append(row.id.tenant)
            append(row.id.owner)
            append(row.forgottenUntil)
            append(row.key ?? [])
        case .zone(let zone):
            for number in [zone.id, zone.database, zone.sequence, zone.forgottenUntil] { append(number) }
            append(zone.name)
            append(zone.isDeleted ? 1 : 0)
        case .record(let row): append(row)
        case .asset(let content, let createdAt, let unusedSince):
            append(content.digest.bytes)
            append(content.size)
            append(createdAt)
            switch unusedSince {
            case nil: append("held")
            case .released?: append("released")
            case .time(let time)?: append(time)
            }
        case .version(let row): append(row)
        case .audit(let row):
            append(row.id)
            append(row.at)
            for text in [row.operatorName, row.action, row.subject, row.requestID] { append(text) }
            append(row.tenant.map { "\($0.container.rawValue) \($0.environment.rawValue)" })
        case .counters(let row):
            for number in [row.sequence, row.zone, row.type, row.audit, row.forgottenChanges] {
                append(number)
            }
        case .described(let row):
            append(row.section.rawValue)
            for value in row.values { append(value) }
        }
    }

    private mutating func append(_ row: CopiedType) {
        append(row.tenant)
        append(row.type.name)
        append(row.type.id)
        append(Int64(row.lastColumn))
        for field in row.type.fields.sorted(by: { $0.column < $1.column }) {
            append(Int64(field.column))
            append(field.name)
            append(field.type.scalar.rawValue)
            append(field.type.isList ? 1 : 0)
            append(Int64(field.indexes.rawValue))
            append(field.declaration.rawValue)
        }
        append(Int64(row.type.fields.count))
        for (name, indexes) in row.type.systemIndexes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            append(name.rawValue)
            append(Int64(indexes.rawValue))
        }
        append(Int64(row.type.grants?.count ?? -1))
        for grant in row.type.grants ?? [] {
            append(grant.role)
            append(Int64(grant.permissions.rawValue))
        }
        append(Int64(row.type.keeping?.count ?? 0))
        append(Int64(row.type.keeping?.days ?? 0))
    }

    private mutating func append(_ row: RecordVersion) {
        for number in [
            row.id, row.sequence, row.database, row.zone, row.type, row.record, row.end.rawValue, row.endedAt,
            row.createdAt, row.bytes,
        ] { append(number) }
        for text in [row.name, row.endedBy, row.createdBy] { append(text) }
        append(Int64(row.assets.count))
        for digest in row.assets { append(digest.bytes) }
        append(row.body)
    }

    private mutating func append(_ row: CopiedRecord) {
        for number in [row.zone, row.type, row.id, row.sequence] { append(number) }
        append(row.name)
        append(row.state == nil ? 0 : 1)
        guard let state = row.state else { return }
        append(state.createdBy)
        append(state.createdAt)
        append(state.modifiedBy)
        append(state.modifiedAt)
        append(state.parent)
        append(Int64(state.references.count))
        for reference in state.references {
            append(reference.field)
            append(reference.target)
            append(reference.action.rawValue)
        }
        append(Int64(state.assets.count))
        for use in state.assets {
            append(use.field)
            append(use.digest.bytes)
        }
        append(state.body)
    }

    private mutating func append(_ value: TableValue) {
        switch value {
        case .null: append(0)
        case .int(let number):
            append(1)
            append(number)
        case .text(let text):
            append(2)
            append(text)
        case .bytes(let bytes):
            append(3)
            append(bytes)
        }
    }

    private mutating func append(_ tenant: Tenant) {
        append(tenant.container.rawValue)
        append(tenant.environment.rawValue)
    }

    private mutating func append(_ number: Int64) {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }

    private mutating func append(_ number: Int64?) {
        append(number == nil ? 0 as Int64 : 1)
        if let number { append(number) }
    }

    private mutating func append(_ text: String?) {
        append(text == nil ? 0 as Int64 : 1)
        if let text { append(text) }
    }

    private mutating func append(_ text: String) {
        append(Int64(text.utf8.count))
        bytes += text.utf8
    }

    private mutating func append(_ blob: [UInt8]) {
        append(Int64(blob.count))
        bytes += blob
    }
}
