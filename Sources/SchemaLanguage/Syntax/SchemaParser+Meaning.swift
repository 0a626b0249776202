import RecordModel

extension SchemaParser {
    /// Notes what cannot be meant by a field.
    mutating func check(
        _ field: SchemaField, of type: String, at offset: Int, _ options: [(word: String, offset: Int)]
    ) {
        if type == ShareRecordType.name, let own = ShareRecordType.field(named: field.name) {
            checkType(of: field, is: own.type, at: offset)
        }
        if field.name.hasPrefix("___") {
            guard let system = field.systemName else {
                return note(.unknownSystemField(field.name), at: offset)
            }
            checkType(of: field, is: system.type, at: offset)
        }
        for (word, offset) in options {
            guard let why = Self.objection(to: word, field.type) else { continue }
            note(.indexNotAllowed(index: word, type: field.type.description, why: why), at: offset)
        }
    }

    /// Notes that a field has another type than the service's own field of its name.
    private mutating func checkType(of field: SchemaField, is type: FieldType, at offset: Int) {
        guard field.type != DeclaredType(type) else { return }
        note(
            .systemFieldType(
                name: field.name, found: field.type.description, expected: DeclaredType(type).description),
            at: offset)
    }

    /// Why a type cannot have an index.
    ///
    /// Exports of Apple's have QUERYABLE and SORTABLE on BYTES and LOCATION, so those are let pass.
    private static func objection(to option: String, _ declared: DeclaredType) -> String? {
        if declared.declaration == .encrypted { return "what only clients can read cannot be queried" }
        if declared.type.scalar == .asset { return "files cannot be queried" }
        if option == "SORTABLE", declared.type.isList { return "a list has no order" }
        if option == "SEARCHABLE", declared.type.scalar != .string { return "only text can be searched" }
        return nil
    }
}
