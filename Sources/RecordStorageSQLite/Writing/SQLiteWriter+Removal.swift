import RecordModel
import RecordStorage
import SQLiteAccess

/// Taking types and fields away: what readers see changes with the write, what they took is given back in the background.
extension SQLiteWriter {
    func removeField(named name: String, from recordType: RecordType, tenant: Tenant) throws -> RecordType {
        guard let field = recordType[name] else { return recordType }
        let type = recordType.id
        try run("DELETE FROM field WHERE type = ? AND number = ?", .int(type), .int(Int64(field.column)))
        try run(
            "UPDATE record_type SET last_field = max(last_field, ?) WHERE id = ?",
            .int(Int64(field.column)), .int(type))
        try run(
            "DELETE FROM job WHERE kind = 'fill' AND type = ? AND number = ?", .int(type),
            .int(Int64(field.column)))
        var changed = recordType
        changed.remove(fieldNamed: name)
        take(changed, tenant: tenant)
        // Indexes go first, so that emptying the column need not move their entries.
        let columns = ["c\(field.column)", "c\(field.column)_lon"]
        for index in catalog.indexes[type] ?? [] where index.shape.holds(columns) { try removeIndex(index) }
        try begin(BackgroundJob(kind: .field, type: type, number: Int64(field.column), name: name))
        return changed
    }

    func removeType(_ recordType: RecordType, tenant: Tenant) throws {
        let id = recordType.id
        try endWatches(ofType: recordType)
        // The tables go with their indexes.
        for table in ["automatic_index", "field", "type_grant", "system_index"] {
            try run("DELETE FROM \(table) WHERE type = ?", .int(id))
        }
        try run("DELETE FROM record_type WHERE id = ?", .int(id))
        try forgetJobs(ofType: id)
        catalog.indexes[id] = nil
        catalog.schemas[tenant]?.remove(typeNamed: recordType.name)
        markCatalogChanged()
        try begin(BackgroundJob(kind: .type, type: id, name: recordType.name))
    }
}
