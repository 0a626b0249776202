extension PropertyValue {
    /// The value as Key-Value Coding hands it out: numbers as `NSNumber`, decimals as `NSDecimalNumber`, the rest
    /// as Swift's values. `as? Int`, `as? String` and so on work on all of them.
    ///
    /// - Parameter attribute: the attribute, which distinguishes a Boolean from an integer.
    package func anyValue(of attribute: NSAttributeDescription?) -> Any? {
        switch self {
        case .null: nil
        case .int(let value): Self.number(value, attribute?.attributeType ?? .integer64AttributeType)
        case .double(let value):
            attribute?.attributeType == .floatAttributeType
                ? NSNumber(value: Float(value)) : NSNumber(value: value)
        case .decimal(let value): NSDecimalNumber(decimal: value)
        case .string(let value): value
        case .date(let value): value
        case .data(let value): value
        case .uuid(let value): value
        case .url(let value): value
        case .object(let box): box.base
        case .reference(let objectID): objectID
        }
    }

    private static func number(_ value: Int64, _ type: NSAttributeType) -> NSNumber {
        switch type {
        case .booleanAttributeType: NSNumber(value: value != 0)
        case .integer16AttributeType:
            Int16(exactly: value).map { NSNumber(value: $0) } ?? NSNumber(value: value)
        case .integer32AttributeType:
            Int32(exactly: value).map { NSNumber(value: $0) } ?? NSNumber(value: value)
        default: NSNumber(value: value)
        }
    }
}

extension PropertyValue {
    /// Takes a value that code sets, for an attribute of a type.
    ///
    /// Conversions that lose nothing are made: an `Int` for an `Int16` attribute, a whole `Double` for an integer.
    /// - Returns: nil where the value is of a type that the attribute cannot hold.
    package init?(_ any: Any?, for attribute: NSAttributeDescription) {
        guard let any = any.flatMap(Self.unwrapped), !(any is NSNull) else {
            self = .null
            return
        }
        switch attribute.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            guard let value = Self.integer(any), Self.range(of: attribute.attributeType).contains(value)
            else {
                return nil
            }
            self = .int(value)
        case .booleanAttributeType:
            guard let value = Self.boolean(any) else { return nil }
            self = .int(value ? 1 : 0)
        case .doubleAttributeType, .floatAttributeType:
            guard let value = Self.double(any) else { return nil }
            self = .double(attribute.attributeType == .floatAttributeType ? Double(Float(value)) : value)
        case .decimalAttributeType:
            guard let value = Self.decimal(any) else { return nil }
            self = .decimal(value)
        case .stringAttributeType:
            guard let value = any as? String else { return nil }
            self = .string(value)
        case .dateAttributeType:
            guard let value = any as? Date else { return nil }
            self = .date(value)
        case .binaryDataAttributeType:
            guard let value = any as? Data else { return nil }
            self = .data(value)
        case .UUIDAttributeType:
            guard let value = any as? UUID else { return nil }
            self = .uuid(value)
        case .URIAttributeType:
            guard let value = any as? URL else { return nil }
            self = .url(value)
        case .undefinedAttributeType, .transformableAttributeType, .objectIDAttributeType,
            .compositeAttributeType:
            self = .object(ObjectBox(any))
        }
    }

    /// Takes a number that an attribute of integers cannot hold, which its validation refuses; what no `Int64` holds becomes
    /// the nearest one, as with `NSNumber`.
    ///
    /// - Returns: nil for what is not a number, and for other attributes.
    init?(outOfRange any: Any?, for attribute: NSAttributeDescription) {
        guard
            [.integer16AttributeType, .integer32AttributeType, .integer64AttributeType].contains(
                attribute.attributeType), let any = any.flatMap(Self.unwrapped),
            let number = Self.double(any)
        else { return nil }
        self = .int(Self.integer(any) ?? (number.isNaN ? 0 : number < 0 ? .min : .max))
    }

    /// What is inside an `Any` that holds an optional, or nil.
    static func unwrapped(_ any: Any) -> Any? {
        guard let optional = any as? any OptionalValue else { return any }
        return optional.wrappedAny.flatMap(unwrapped)
    }

    /// The numbers that a type of attribute holds.
    static func range(of type: NSAttributeType) -> ClosedRange<Int64> {
        switch type {
        case .integer16AttributeType: Int64(Int16.min)...Int64(Int16.max)
        case .integer32AttributeType: Int64(Int32.min)...Int64(Int32.max)
        default: Int64.min...Int64.max
        }
    }

    private static func integer(_ any: Any) -> Int64? {
        switch any {
        case let value as Int: Int64(value)
        case let value as Int16: Int64(value)
        case let value as Int32: Int64(value)
        case let value as Int64: value
        case let value as Bool: value ? 1 : 0
        case let value as NSNumber: Int64(exactly: value) ?? wholePart(value.doubleValue)
        case let value as Double: wholePart(value)
        case let value as any BinaryInteger: Int64(exactly: value)
        case let value as Decimal:
            Int64(exactly: NSDecimalNumber(decimal: value))
                ?? wholePart(NSDecimalNumber(decimal: value).doubleValue)
        default: nil
        }
    }

    private static func wholePart(_ value: Double) -> Int64? {
        Int64(exactly: value.rounded(.towardZero))
    }

    private static func boolean(_ any: Any) -> Bool? {
        if let value = any as? Bool { return value }
        if let value = any as? NSNumber { return value.boolValue }
        return integer(any).map { $0 != 0 }
    }

    private static func double(_ any: Any) -> Double? {
        switch any {
        case let value as Double: value
        case let value as Float: Double(value)
        case let value as NSNumber: value.doubleValue
        case let value as Decimal: NSDecimalNumber(decimal: value).doubleValue
        case let value as any BinaryInteger: Double(value)
        case let value as any BinaryFloatingPoint: Double(value)
        default: nil
        }
    }

    private static func decimal(_ any: Any) -> Decimal? {
        switch any {
        case let value as Decimal: value
        case let value as NSDecimalNumber: value.decimalValue
        case let value as NSNumber: value.decimalValue
        case let value as Double: Decimal(value)
        case let value as any BinaryInteger: Int64(exactly: value).map { Decimal($0) }
        default: nil
        }
    }
}

/// An optional whose wrapped value can be asked for without knowing its type.
protocol OptionalValue {
    var wrappedAny: Any? { get }
}

extension Optional: OptionalValue {
    var wrappedAny: Any? { map { $0 } }
}
