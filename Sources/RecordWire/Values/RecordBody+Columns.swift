public import RecordModel

extension RecordBody {
    /// The values of a body that can be asked for, as a store keeps them beside it.
    ///
    /// - Throws: ``JSONError`` where the body is damaged.
    public static func indexedFields(
        of body: [UInt8], type: RecordType
    ) throws(JSONError) -> [(field: FieldSchema, value: FieldValue)] {
        var fields: [(field: FieldSchema, value: FieldValue)] = []
        guard type.fields.contains(where: { !$0.indexes.isEmpty }) else { return fields }
        for (name, value) in try self.fields(of: body) {
            guard let field = type[name], !field.indexes.isEmpty else { continue }
            fields.append((field, value))
        }
        return fields
    }
}
