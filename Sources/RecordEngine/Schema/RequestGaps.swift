import RecordModel
import RecordStorage
import RecordWire

/// What a request to change records needs and production's schema lacks, over all of its operations.
enum RequestGaps {
    /// The most that one error names; a request may hold more fields than anybody reads.
    static let mostNamed = 200

    /// Looks through all operations, those that are well among them.
    static func find(
        in operations: [RecordOperation], zone: ZoneRow, _ tenant: Tenant, _ store: any StoreReader
    ) throws -> [SchemaGap] {
        let schema = try store.schema(of: tenant)
        var gaps: [SchemaGap] = []
        var seen: Set<String> = []
        for operation in operations where !operation.type.isDelete {
            guard let name = try typeName(of: operation.record, zone, schema, store) else { continue }
            let type = schema.types[name]
            var found = type == nil ? [SchemaGap.type(name)] : []
            found += fields(operation.record.fields, of: name, type: type)
            for gap in found where seen.insert("\(name).\(gap.field ?? "")").inserted {
                gaps.append(gap)
                if gaps.count == mostNamed { return gaps }
            }
        }
        return gaps
    }

    private static func typeName(
        of record: RecordInput, _ zone: ZoneRow, _ schema: Schema, _ store: any StoreReader
    ) throws -> String? {
        if let name = record.recordType { return name }
        guard let name = record.recordName, let row = try store.record(named: name, in: zone.id) else {
            return nil
        }
        return schema.type(numbered: row.type)?.name
    }

    /// The fields with values that a type lacks; all of them where the type itself is missing.
    static func fields(
        _ fields: [(name: String, field: WireField)], of name: String, type: RecordType?
    ) -> [SchemaGap] {
        fields.compactMap { field in
            guard field.field.value != .null, type?[field.name] == nil else { return nil }
            // What cannot be read tells no type; its own error says so once the field is there.
            let value = try? FieldValue.decode(
                field.field, expected: nil, allowsEncrypted: true, numbersAsStrings: true)
            return .field(field.name, value?.type, of: name)
        }
    }

    /// The error that names gaps, and the command that fills them.
    static func error(
        _ gaps: [SchemaGap], tenant: Tenant, reader: any StoreReader
    ) throws -> ServiceError {
        let development = try reader.schema(
            of: Tenant(container: tenant.container, environment: .development))
        let deploy = "stratus schema deploy --container \(tenant.container)"
        let isThere = gaps.allSatisfy { development.fills($0) }
        // The sentence is that of Apple's service, which apps look for (Documentation/Protocol.md, 'The type of shares').
        let sharing =
            gaps.contains(.type(ShareRecordType.name))
            ? "Cannot create new type \(ShareRecordType.name) in production schema. " : ""
        var error = ServiceError(
            .badRequest, "\(sharing)Production lacks \(text(gaps)).",
            remedy: isThere
                ? "Deploy it: \(deploy)"
                : "Development lacks some of it too: save such a record there\(sharing.isEmpty ? "" : " or share one") first, or import a text with 'stratus schema import --file schema.ckdb --container \(tenant.container)'; then deploy it: \(deploy)"
        )
        error.gaps = gaps
        return error
    }

    /// The gaps as a part of a sentence, type by type.
    private static func text(_ gaps: [SchemaGap]) -> String {
        var order: [String] = []
        var missing: Set<String> = []
        var fields: [String: [String]] = [:]
        for gap in gaps {
            if !order.contains(gap.recordType) { order.append(gap.recordType) }
            if gap.kind == .type { missing.insert(gap.recordType) }
            guard let name = gap.field else { continue }
            let type = gap.fieldType.map { " (\($0.tag))" } ?? ""
            fields[gap.recordType, default: []].append("'\(name.prefix(64))'\(type)")
        }
        let parts = order.map { name in
            let list = (fields[name] ?? []).joined(separator: ", ")
            let shown = "'\(name.prefix(64))'"
            guard missing.contains(name) else { return "these fields of \(shown): \(list)" }
            return "the record type \(shown)" + (list.isEmpty ? "" : " with the fields \(list)")
        }
        let more = gaps.count >= mostNamed ? "; and more" : ""
        return parts.joined(separator: "; ") + more
    }
}

extension Schema {
    /// Whether the schema has what another one lacks.
    fileprivate func fills(_ gap: SchemaGap) -> Bool {
        guard let type = types[gap.recordType] else { return false }
        guard let field = gap.field else { return true }
        return type[field] != nil
    }
}
