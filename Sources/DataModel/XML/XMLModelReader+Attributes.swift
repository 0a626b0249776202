internal import Foundation

extension XMLModelReader {
    mutating func attribute(_ element: XMLElement) throws -> AttributeDocument {
        var attribute = AttributeDocument(name: try name(element), type: try type(element))
        attribute.isOptional = try flag("optional", element)
        attribute.isTransient = try flag("transient", element)
        attribute.isIndexed = try flag("indexed", element)
        attribute.isSpotlightIndexed = try flag("spotlightIndexingEnabled", element)
        attribute.allowsExternalStorage = try flag("allowsExternalBinaryDataStorage", element)
        attribute.allowsCloudEncryption = try flag("allowsCloudEncryption", element)
        attribute.preservesValueOnDeletion = try flag("preserveAfterDeletion", element)
        if text("usesScalarValueType", element) != nil {
            attribute.usesScalarType = try flag("usesScalarValueType", element)
        }
        attribute.regularExpression = text("regularExpressionString", element)
        attribute.valueTransformerName = element.attributes["valueTransformerName"]
        attribute.customClassName = text("customClassName", element)
        attribute.compositeName = text("composite", element)
        attribute.renamingIdentifier = renaming(element)
        attribute.versionHashModifier = text("versionHashModifier", element)
        attribute.userInfo = userInfo(element)
        if let expression = text("derivationExpression", element) {
            attribute.derivationExpression = expression
        } else if try flag("derived", element) {
            warn("the derived attribute has no derivationExpression and is read as a plain one", element)
        }
        if attribute.type == .undefined, !attribute.isTransient {
            warn(
                "the attribute has no attributeType, which only a transient attribute can do without", element
            )
        }
        attribute.defaultValue = try defaultValue(element, attribute.type)
        try readBounds(element, &attribute)
        return attribute
    }

    func type(_ element: XMLElement) throws -> AttributeType {
        guard let text = text("attributeType", element) else { return .undefined }
        guard let type = AttributeType(modelText: text) else {
            throw invalid(text, "a type such as String, Integer 64 or Date", element, "attributeType")
        }
        return type
    }

    private mutating func defaultValue(_ element: XMLElement, _ type: AttributeType) throws -> ModelValue? {
        if type == .date {
            if element.attributes["defaultDateTimeInterval"] == nil,
                text("defaultValueString", element) != nil
            {
                warn(
                    "a date has its default in defaultDateTimeInterval; defaultValueString is ignored",
                    element)
            }
            return try interval("defaultDateTimeInterval", element)
        }
        guard let text = element.attributes["defaultValueString"] else { return nil }
        switch type {
        case .string, .undefined: return .string(text)
        case _ where text.isEmpty: return nil
        case .uri: return .uri(text)
        case .uuid:
            guard let uuid = UUID(uuidString: text) else {
                // Xcode's editor keeps what was typed; a real model that builds there says "empy".
                warn("'\(text)' is not a UUID; the attribute has no default", element)
                return nil
            }
            return .uuid(uuid)
        case .boolean:
            guard let value = Self.truth(text) ?? ModelNumber.double(text).map({ $0 != 0 }) else {
                throw invalid(text, "YES or NO", element, "defaultValueString")
            }
            return .boolean(value)
        case .binaryData, .transformable, .composite, .objectID, .date:
            warn("a default written as text has no meaning for this type and is ignored", element)
            return nil
        case .integer16, .integer32, .integer64, .decimal, .double, .float:
            return try number(text, type, element, "defaultValueString")
        }
    }

    private mutating func number(
        _ text: String, _ type: AttributeType, _ element: XMLElement, _ attribute: String
    ) throws -> ModelValue {
        var written = text
        if ["yes", "no", "true", "false"].contains(text.lowercased()) {
            warn("'\(text)' is not a number; it is read as 1 or 0", element)
            written = Self.truth(text) == true ? "1" : "0"
        }
        guard let value = ModelValue(number: written, type: type) else {
            let expected = [.double, .float, .decimal].contains(type) ? "a number" : "a 64-bit integer"
            throw invalid(text, expected, element, attribute)
        }
        if !value.fits(type) { warn("'\(text)' does not fit the type of the attribute", element) }
        return value
    }

    private mutating func readBounds(_ element: XMLElement, _ attribute: inout AttributeDocument) throws {
        attribute.minimumValue = try bound("minDateTimeInterval", "minValueString", element, attribute.type)
        attribute.maximumValue = try bound("maxDateTimeInterval", "maxValueString", element, attribute.type)
        guard attribute.type == .string else { return }
        attribute.minimumLength = try count("minValueString", element)
        attribute.maximumLength = try count("maxValueString", element)
    }

    private mutating func bound(
        _ dateName: String, _ name: String, _ element: XMLElement, _ type: AttributeType
    ) throws -> ModelValue? {
        switch type {
        case .date: return try interval(dateName, element)
        case .integer16, .integer32, .integer64, .decimal, .double, .float:
            guard let text = text(name, element) else { return nil }
            return try number(text, type, element, name)
        case .string: return nil
        default:
            if text(name, element) != nil {
                warn("\(name) has no meaning for this type and is ignored", element)
            }
            return nil
        }
    }
}

extension AttributeType {
    /// The type of that name in the XML, written with or without blanks.
    init?(modelText: String) {
        let compact = modelText.lowercased().filter { $0 != " " }
        let alias = compact == "binarydata" ? "binary" : compact
        guard
            let type = Self.allCases.first(where: { $0.modelText.lowercased().filter { $0 != " " } == alias })
        else { return nil }
        self = type
    }

    /// The name in the XML.
    var modelText: String {
        switch self {
        case .undefined: "Undefined"
        case .integer16: "Integer 16"
        case .integer32: "Integer 32"
        case .integer64: "Integer 64"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Boolean"
        case .date: "Date"
        case .binaryData: "Binary"
        case .uuid: "UUID"
        case .uri: "URI"
        case .transformable: "Transformable"
        case .objectID: "Object ID"
        case .composite: "Composite"
        }
    }
}

extension ModelValue {
    /// A number as text, in the form that attributes of the type have.
    init?(number text: String, type: AttributeType) {
        switch type {
        case .integer16, .integer32, .integer64:
            guard let value = ModelNumber.integer(text) else { return nil }
            self = .integer(value)
        case .decimal:
            guard let value = ModelNumber.decimal(text) else { return nil }
            self = .decimal(value)
        case .double, .float:
            guard let value = ModelNumber.double(text) else { return nil }
            self = .double(value)
        default: return nil
        }
    }

    /// Whether an integer is within the range of an integer type; true for everything else.
    func fits(_ type: AttributeType) -> Bool {
        guard case .integer(let value) = self else { return true }
        return switch type {
        case .integer16: Int16(exactly: value) != nil
        case .integer32: Int32(exactly: value) != nil
        default: true
        }
    }
}
