internal import HashTreeCollections
internal import RecordModel
internal import RecordStorage
internal import RecordWire

extension MemoryWriter {
    func makeType(named name: String, tenant: Tenant) throws -> RecordType {
        if let type = state.schemas[tenant]?.types[name] { return type }
        makeTenant(tenant)
        state.lastType += 1
        let type = RecordType(name: name, id: state.lastType)
        take(type, tenant)
        return type
    }

    func addField(_ field: FieldSchema, to recordType: RecordType, tenant: Tenant) throws -> RecordType {
        var field = field
        field.column = state.lastColumns[recordType.id, default: 0] + 1
        state.lastColumns[recordType.id] = field.column
        var changed = recordType
        changed.set(field)
        take(changed, tenant)
        return changed
    }

    func setIndexes(
        _ indexes: FieldIndexes, ofField name: String, in recordType: RecordType, tenant: Tenant
    ) throws {
        guard var field = recordType[name], field.indexes != indexes else { return }
        let couldBeAsked = !field.indexes.isEmpty
        field.indexes = indexes
        if !couldBeAsked {
            try eachRecord(of: recordType) { record in
                record.values[field.column] =
                    try RecordBody.fields(of: record.body).last { $0.name == name }?.value
            }
        }
        var changed = recordType
        changed.set(field)
        take(changed, tenant)
    }

    func setDeclaration(
        _ declaration: FieldDeclaration, ofField name: String, in recordType: RecordType, tenant: Tenant
    ) throws {
        guard var field = recordType[name] else { return }
        field.declaration = declaration
        var changed = recordType
        changed.set(field)
        take(changed, tenant)
    }

    func removeField(named name: String, from recordType: RecordType, tenant: Tenant) throws -> RecordType {
        guard let field = recordType[name] else { return recordType }
        for (zone, contents) in state.contents {
            for (owner, entry) in contents.entries where entry.type == recordType.id {
                release(entry.record?.assets.filter { $0.field == name } ?? [], of: owner.text, in: zone)
            }
        }
        try eachRecord(of: recordType) { record in
            record.values[field.column] = nil
            record.body = try Self.body(record.body, withoutField: name)
            record.references.removeAll { $0.row.field == name }
            record.assets.removeAll { $0.field == name }
        }
        for zone in state.contents.keys {
            for target in (state.contents[zone]?.referrers ?? [:]).keys {
                let rows = state.contents[zone]?.referrers[target]?.filter { row in
                    row.field != name
                        || state.contents[zone]?.entries[ExactText(row.name)]?.type != recordType.id
                }
                state.contents[zone]?.referrers[target] = rows?.isEmpty == true ? nil : rows
            }
        }
        var changed = recordType
        changed.remove(fieldNamed: name)
        take(changed, tenant)
        return changed
    }

    func removeType(_ recordType: RecordType, tenant: Tenant) throws {
        try endWatches(ofType: recordType)
        isRemovingType = true
        defer { isRemovingType = false }
        for zone in state.contents.keys.sorted() {
            guard let row = state.zones[zone] else { continue }
            // In the order in which they were made.
            let entries = (state.contents[zone]?.entries ?? [:])
                .filter { $0.value.type == recordType.id && $0.value.record != nil }
                .sorted { $0.value.id < $1.value.id }
            for name in entries.map(\.key) {
                guard let record = try record(named: name.text, in: zone) else { continue }
                try delete(record, in: row, sequence: row.isTracked ? nextSequence() : state.sequence)
            }
        }
        state.schemas[tenant]?.remove(typeNamed: recordType.name)
        state.lastColumns[recordType.id] = nil
    }

    func setAnnotations(
        systemIndexes: [SystemFieldName: FieldIndexes], grants: [SecurityGrant]?, of recordType: RecordType,
        tenant: Tenant
    ) throws -> RecordType {
        var changed = recordType
        changed.systemIndexes = systemIndexes.filter { !$0.value.isEmpty }
        changed.grants = grants
        take(changed, tenant)
        return changed
    }

    func setRoles(_ roles: [String], tenant: Tenant) throws {
        guard state.schemas[tenant]?.roles ?? [] != roles else { return }
        makeTenant(tenant)
        state.schemas[tenant]?.roles = roles
    }

    private func take(_ type: RecordType, _ tenant: Tenant) {
        state.schemas[tenant, default: Schema()].set(type)
    }

    private func eachRecord(of type: RecordType, _ change: (inout StoredRecord) throws -> Void) throws {
        for (zone, contents) in state.contents {
            for (name, entry) in contents.entries where entry.type == type.id {
                guard var record = entry.record else { continue }
                try change(&record)
                state.contents[zone]?.entries[name]?.record = record
            }
        }
    }

    /// A body, which lacks its closing brace, without one of its fields.
    private static func body(_ body: [UInt8], withoutField name: String) throws -> [UInt8] {
        guard var object = try JSONReader.read(body + [UInt8(ascii: "}")]).object,
            var fields = object["fields"]?.object,
            let index = fields.members.firstIndex(where: { $0.key == name })
        else { return body }
        fields.members.remove(at: index)
        for position in object.members.indices where object.members[position].key == "fields" {
            object.members[position].value = .object(fields)
        }
        return JSONWriter.text { $0.value(.object(object)) }.dropLast()
    }
}
