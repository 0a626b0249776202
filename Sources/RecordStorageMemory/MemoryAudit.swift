internal import RecordModel
internal import RecordStorage

extension MemoryReader {
    func audit(before id: Int64?, limit: Int) throws -> [AuditRow] {
        Array(state.audit.reversed().lazy.filter { $0.id < id ?? .max }.prefix(limit))
    }

    func audit(of tenant: Tenant, subjects: [String], prefix: String?) throws -> [AuditRow] {
        state.audit.reversed().filter { row in
            row.tenant == tenant
                && (subjects.contains(row.subject) || prefix.map { row.subject.hasPrefix($0) } == true)
        }
    }
}

extension MemoryWriter {
    func insert(_ row: AuditRow) throws {
        var row = row
        state.lastAudit += 1
        row.id = state.lastAudit
        state.audit.append(row)
        let extra = state.audit.count - Limits.auditEntries
        if extra > 0 { state.audit.removeFirst(extra) }
    }
}
