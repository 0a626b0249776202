/// Values of dictionaries that were computed in memory, as a SQLite store gives them.
enum DictionaryValue {
    /// An attribute of the widest integers.
    private static var integer: NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.attributeType = .integer64AttributeType
        return attribute
    }

    /// What goes into the dictionary: the ID for an object, numbers of the type that the column asks for.
    ///
    /// - Parameters:
    ///   - value: the value of an attribute, an object, or what an expression computed.
    ///   - type: the type to convert a computed value to; undefined leaves it.
    static func any(_ value: Any?, as type: NSAttributeType) -> Any? {
        guard let value else { return nil }
        if let object = value as? any KeyValueReadable & PredicateValueConvertible {
            return object.predicateValue.anyValue
        }
        // The number of a collection's elements is Swift's own, those of attributes are Foundation's.
        let number = Swift.type(of: value) == Int.self ? PredicateValue(value) : nil
        guard let computed = value as? PredicateValue ?? number else { return value }
        let attribute = NSAttributeDescription()
        switch (computed, type) {
        case (.null, _): return nil
        case (.bool, .undefinedAttributeType): attribute.attributeType = .booleanAttributeType
        case (.int, .undefinedAttributeType): attribute.attributeType = .integer64AttributeType
        case (.double, .undefinedAttributeType): attribute.attributeType = .doubleAttributeType
        case (.decimal, .undefinedAttributeType): attribute.attributeType = .decimalAttributeType
        case (_, .undefinedAttributeType): return computed.anyValue
        case (.int(let number), .stringAttributeType): return String(number)
        case (.double(let number), .stringAttributeType): return String(number)
        case (.int(let number), .dateAttributeType):
            return Date(timeIntervalSinceReferenceDate: Double(number))
        case (.double(let number), .dateAttributeType): return Date(timeIntervalSinceReferenceDate: number)
        case (.double(let number), .decimalAttributeType):
            return Decimal(string: "\(number)", locale: Locale(identifier: "en_US_POSIX"))
                .map { NSDecimalNumber(decimal: $0) }
        default: attribute.attributeType = type
        }
        // A sum may be larger than the type of integer that was asked for.
        let isInteger = [.integer16AttributeType, .integer32AttributeType].contains(type)
        let converted = PropertyValue(computed.anyValue, for: isInteger ? Self.integer : attribute)
        return converted?.anyValue(of: attribute)
    }
}

extension PredicateValue {
    /// The value in the form in which SQLite compares it for groups and distinct rows: texts by their bytes, numbers by
    /// value.
    var forGroups: PredicateValue {
        switch self {
        case .string(let text): .data(Data(text.utf8))
        case .url(let url): .data(Data(url.absoluteString.utf8))
        case .bool(let flag): .int(flag ? 1 : 0)
        case .double(let number): Int64(exactly: number).map { .int($0) } ?? self
        case .decimal(let number):
            Int64(exactly: NSDecimalNumber(decimal: number)).map { .int($0) } ?? self
        default: self
        }
    }
}
