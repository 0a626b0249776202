import DataModel

/// The Swift types that Xcode writes for the properties of an entity.
enum AttributeSpelling {
    /// The type of an attribute. Only scalars are not optional, whatever the model says.
    static func type(of attribute: AttributeDocument) -> String {
        if attribute.usesScalarType == true, let scalar = scalar(attribute.type) { return scalar }
        switch attribute.type {
        case .integer16, .integer32, .integer64, .double, .float, .boolean: return "NSNumber?"
        case .decimal: return "NSDecimalNumber?"
        case .string: return "String?"
        case .date: return "Date?"
        case .binaryData: return "Data?"
        case .uuid: return "UUID?"
        case .uri: return "URL?"
        case .objectID: return "NSManagedObjectID?"
        case .composite: return "[String: Any]?"
        case .undefined, .transformable: return (customType(of: attribute) ?? "NSObject") + "?"
        }
    }

    private static func scalar(_ type: AttributeType) -> String? {
        switch type {
        case .integer16: "Int16"
        case .integer32: "Int32"
        case .integer64: "Int64"
        case .double: "Double"
        case .float: "Float"
        case .boolean: "Bool"
        case .date: "TimeInterval"
        default: nil
        }
    }

    /// The class that the model names; `.Foo` is one of this module, `.` names none.
    private static func customType(of attribute: AttributeDocument) -> String? {
        guard let name = attribute.customClassName?.trimmingBlanks else { return nil }
        let type = name.hasPrefix(".") ? String(name.dropFirst()) : name
        return type.isEmpty ? nil : type
    }

    /// Whether the text is a type that can be written into source as it is.
    static func isType(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        var reader = TokenReader(bytes: bytes, tokens: SourceLexer.tokens(of: bytes))
        if case .other = reader.consumeType() { return false }
        return reader.current == nil
    }
}
