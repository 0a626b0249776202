internal import Foundation

/// Lets an `Optional` inside an `Any` be seen and opened.
protocol OpenableOptional {
    var content: Any? { get }
}

extension Optional: OpenableOptional {
    var content: Any? { self }
}

extension PredicateValue {
    /// How deep collections may be nested before they are kept as an opaque object, because comparing
    /// and printing them recurses.
    static let maximumCollectionDepth = 64

    /// The value for anything that Swift or Foundation code passes: strings, numbers of every width,
    /// dates, data, UUIDs, URLs, collections, `NSNull`, nil (also inside nested optionals).
    ///
    /// Never fails: what the language does not know becomes ``object(_:)``. An `NSNumber` made from a
    /// `Bool` is distinguished from one made from an integer by its type code.
    public init(_ any: Any?) { self.init(any, depth: 0) }

    private init(_ any: Any?, depth: Int) {
        guard let any else {
            self = .null
            return
        }
        if let value = Self.frequent(any) {
            self = value
        } else if let optional = any as? any OpenableOptional {
            self.init(optional.content, depth: depth)
        } else if let convertible = any as? any PredicateValueConvertible {
            self = convertible.predicateValue
        } else if type(of: any) is AnyObject.Type {
            self = Self.instance(any as AnyObject, depth: depth) ?? .object(PredicateObject(any))
        } else {
            self =
                Self.scalar(any) ?? Self.collection(any, depth: depth) ?? .object(PredicateObject(any))
        }
    }

    /// The value when the type is exactly one of the most frequent ones. Looking up conformances takes most
    /// of the time of an evaluation, and these types need none.
    private static func frequent(_ any: Any) -> PredicateValue? {
        let type = type(of: any)
        if type == PredicateValue.self { return any as? PredicateValue }
        if type == String.self { return (any as? String).map { .string($0) } }
        if type == Int.self { return (any as? Int).map { .int(Int64($0)) } }
        if type == Bool.self { return (any as? Bool).map { .bool($0) } }
        if type == Double.self { return (any as? Double).map { .double($0) } }
        if type == Int64.self { return (any as? Int64).map { .int($0) } }
        if type == Date.self { return (any as? Date).map { .date($0) } }
        return nil
    }

    /// Whether the type is one that is neither optional nor a collection, without looking up conformances.
    static func isPlain(_ any: Any) -> Bool {
        let type = type(of: any)
        return type == [String: Any].self || type == String.self || type == Int.self
            || type == Double.self || type == Bool.self || type == Int64.self || type == Date.self
    }

    /// The value of a Swift struct that is one value. The exact type decides: a cast would bridge an
    /// integer to a Bool.
    private static func scalar(_ any: Any) -> PredicateValue? {
        switch any {
        case let value as String: .string(value)
        case let value as Int: .int(Int64(value))
        case let value as Bool: .bool(value)
        case let value as Double: .double(value)
        case let value as Date: .date(value)
        case let value as UUID: .uuid(value)
        case let value as URL: .url(value)
        case let value as Data: .data(value)
        case let value as Decimal: .decimal(value)
        case let value as any BinaryInteger: integer(value)
        case let value as Float: .double(Double(value))
        case let value as Substring: .string(String(value))
        case let value as Character: .string(String(value))
        default: nil
        }
    }

    private static func integer(_ value: any BinaryInteger) -> PredicateValue {
        if let exact = Int64(exactly: value) { return .int(exact) }
        if let exact = UInt64(exactly: value) { return .decimal(Decimal(exact)) }
        return .double(Double(value))
    }

    private static func collection(_ any: Any, depth: Int) -> PredicateValue? {
        guard depth < maximumCollectionDepth else { return nil }
        if let values = any as? [Any] {
            return .list(values.map { PredicateValue($0, depth: depth + 1) })
        }
        if let values = any as? Set<AnyHashable> {
            return .set(Set(values.map { PredicateValue($0.base, depth: depth + 1) }))
        }
        if let entries = any as? [String: Any] {
            return .dictionary(entries.mapValues { PredicateValue($0, depth: depth + 1) })
        }
        return nil
    }

    /// The value of an instance of one of Foundation's classes.
    private static func instance(_ object: AnyObject, depth: Int) -> PredicateValue? {
        switch object {
        case is NSNull: return .null
        case let value as NSString: return .string(value.description)
        case let value as NSDecimalNumber: return .decimal(value.decimalValue)
        case let value as NSNumber: return number(value)
        case let value as NSDate:
            return .date(Date(timeIntervalSinceReferenceDate: value.timeIntervalSinceReferenceDate))
        case let value as NSData: return .data(Data(referencing: value))
        case let value as NSUUID: return UUID(uuidString: value.uuidString).map { .uuid($0) }
        case let value as NSURL: return .url(value as URL)
        default: return instanceCollection(object, depth: depth)
        }
    }

    private static func instanceCollection(_ object: AnyObject, depth: Int) -> PredicateValue? {
        guard depth < maximumCollectionDepth else { return nil }
        switch object {
        case let values as NSArray:
            return .list(values.map { PredicateValue($0, depth: depth + 1) })
        case let values as NSOrderedSet:
            return .list(values.map { PredicateValue($0, depth: depth + 1) })
        case let values as NSSet:
            return .set(Set(values.map { PredicateValue($0, depth: depth + 1) }))
        case let entries as NSDictionary:
            var result: [String: PredicateValue] = [:]
            for (key, value) in entries { result["\(key)"] = PredicateValue(value, depth: depth + 1) }
            return .dictionary(result)
        default: return nil
        }
    }

    private static func number(_ number: NSNumber) -> PredicateValue {
        switch String(cString: number.objCType) {
        case "c" where number.intValue == 0 || number.intValue == 1: return .bool(number.boolValue)
        case "B": return .bool(number.boolValue)
        case "f", "d": return .double(number.doubleValue)
        case "Q" where number.uint64Value > UInt64(Int64.max):
            return .decimal(Decimal(number.uint64Value))
        default: return .int(number.int64Value)
        }
    }
}
