internal import Foundation

/// Reads paths through objects, collections and plain values, as key-value coding does.
enum KeyPathReader {
    /// The value at the end of a path.
    static func value(
        of object: Any?, at keys: ArraySlice<String>
    ) throws(PredicateEvaluationError) -> Any? {
        var object = object
        var keys = keys
        while let key = keys.popFirst() {
            if key.first == "@" {
                return try CollectionOperator.apply(key, to: object, at: keys)
            }
            if let elements = Elements.of(object) {
                return try values(of: elements, at: [key] + keys)
            }
            object = try value(of: object, forKey: key)
        }
        return object
    }

    /// The list of the elements' values; an element without a value gives null.
    ///
    /// An operator further along the path belongs to the element it is reached from, so
    /// `owners.pets.@count` is a list of counts, as in key-value coding.
    static func values(
        of elements: [Any?], at keys: ArraySlice<String>
    ) throws(PredicateEvaluationError) -> [Any] {
        var values: [Any] = []
        values.reserveCapacity(elements.count)
        for element in elements { values.append(try value(of: element, at: keys) ?? NSNull()) }
        return values
    }

    /// The value for one key of one object.
    static func value(of object: Any?, forKey key: String) throws(PredicateEvaluationError) -> Any? {
        if key != "self", let object, type(of: object) == [String: Any].self,
            let entries = object as? [String: Any]
        {
            return entries[key]
        }
        guard let object = open(object) else { return nil }
        if key == "self" { return object }
        if let readable = object as? any KeyValueReadable {
            guard readable.offersValue(forKey: key) else {
                throw PredicateEvaluationError(.unknownKey(key, type: "\(type(of: object))"))
            }
            return readable.value(forKey: key)
        }
        if type(of: object) is AnyObject.Type, let entries = object as? NSDictionary {
            return entries[key]
        }
        if let entries = object as? [String: Any] { return entries[key] }
        return try property(key, of: object)
    }

    /// What is inside an optional or a predicate's value; nil for null.
    private static func open(_ object: Any?) -> Any? {
        guard let object else { return nil }
        if PredicateValue.isPlain(object) { return object }
        if let value = object as? PredicateValue { return open(value.anyValue) }
        if let optional = object as? any OpenableOptional {
            return optional.content.flatMap { open($0) }
        }
        return object is NSNull ? nil : object
    }

    /// The properties that Foundation's own values offer by key.
    private static func property(_ key: String, of object: Any) throws(PredicateEvaluationError) -> Any? {
        let value = PredicateValue(object)
        if key == "description" { return "\(object)" }
        switch (value, key) {
        case (.string(let text), _):
            if let result = stringProperty(key, of: text) { return result }
        case (.date(let date), "timeIntervalSinceReferenceDate"): return date.timeIntervalSinceReferenceDate
        case (.date(let date), "timeIntervalSince1970"): return date.timeIntervalSince1970
        case (.url(let url), "absoluteString"): return url.absoluteString
        case (.url(let url), "path"): return url.path
        case (.url(let url), "host"): return url.host
        case (.url(let url), "scheme"): return url.scheme
        case (.url(let url), "lastPathComponent"): return url.lastPathComponent
        case (.url(let url), "pathExtension"): return url.pathExtension
        case (.uuid(let uuid), "uuidString"), (.uuid(let uuid), "UUIDString"): return uuid.uuidString
        case (.data(let data), "length"): return data.count
        case (_, "stringValue") where value.isNumber: return value.description
        case (_, "intValue"), (_, "integerValue"), (_, "longLongValue"):
            if let number = value.doubleValue { return Int64(exactly: number.rounded(.towardZero)) }
        case (_, "doubleValue"), (_, "floatValue"):
            if let number = value.doubleValue { return number }
        case (_, "boolValue"):
            if let number = value.doubleValue { return number != 0 }
        default: break
        }
        throw PredicateEvaluationError(.noKeys(key, type: "\(type(of: object))"))
    }

    private static func stringProperty(_ key: String, of text: String) -> Any? {
        switch key {
        case "length": text.utf16.count
        case "uppercaseString", "uppercased": text.uppercased()
        case "lowercaseString", "lowercased": text.lowercased()
        case "capitalizedString", "capitalized": text.capitalized
        case "intValue", "integerValue", "longLongValue": (text as NSString).longLongValue
        case "doubleValue", "floatValue": (text as NSString).doubleValue
        case "boolValue": (text as NSString).boolValue
        case "lastPathComponent": (text as NSString).lastPathComponent
        case "pathExtension": (text as NSString).pathExtension
        default: nil
        }
    }
}

/// The elements of whatever counts as a collection.
enum Elements {
    /// The elements of an array, a set or an ordered set; nil for a single value, a dictionary or nil.
    static func of(_ any: Any?) -> [Any?]? {
        guard let any, !PredicateValue.isPlain(any) else { return nil }
        if let value = any as? PredicateValue {
            switch value {
            case .list(let values): return values
            case .set(let values): return Array(values)
            case .object(let object): return of(object.base)
            default: return nil
            }
        }
        if type(of: any) is AnyObject.Type {
            switch any as AnyObject {
            case let values as NSArray: return values.map { $0 }
            case let values as NSOrderedSet: return values.map { $0 }
            case let values as NSSet: return values.map { $0 }
            default: return nil
            }
        }
        if let optional = any as? any OpenableOptional { return of(optional.content) }
        if let values = any as? [Any] { return values }
        if let values = any as? Set<AnyHashable> { return values.map(\.base) }
        return nil
    }

    /// The elements in all levels of nested collections, for ANY and ALL over several to-many steps.
    static func flattened(_ any: Any?) -> [Any?]? {
        guard let elements = of(any) else { return nil }
        return flatten(elements, depth: 0)
    }

    private static func flatten(_ elements: [Any?], depth: Int) -> [Any?] {
        elements.flatMap { element -> [Any?] in
            guard depth < PredicateValue.maximumCollectionDepth, let inner = of(element) else {
                return [element]
            }
            return flatten(inner, depth: depth + 1)
        }
    }
}
