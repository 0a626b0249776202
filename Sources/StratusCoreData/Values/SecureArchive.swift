/// Keyed archives whose classes are looked at before anything is decoded.
///
/// Foundation's unarchiver on Linux stops the program for some archives that it cannot read, and a store may
/// hold any bytes; so an archive with a class that is not known to work is not given to it.
enum SecureArchive {
    /// Foundation's classes that can be archived and read on Linux.
    private static let known: Set<String> = [
        "NSArray", "NSMutableArray", "NSDictionary", "NSMutableDictionary", "NSSet", "NSMutableSet",
        "NSString",
        "NSMutableString", "NSNumber", "NSDate", "NSData", "NSMutableData", "NSURL", "NSUUID", "NSNull",
        "NSDecimalNumber",
    ]

    /// The value of an archive; nil where it cannot be read.
    static func value(_ data: Data, classes: [AnyClass]) -> Any? {
        guard data.starts(with: Data("bplist00".utf8)) || data.starts(with: Data("<?xml".utf8)),
            let names = classNames(data)
        else { return nil }
        let allowed = known.union(classes.map { NSStringFromClass($0) })
        guard names.isSubset(of: allowed) else { return nil }
        guard let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: data) else { return nil }
        unarchiver.requiresSecureCoding = false
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        defer { unarchiver.finishDecoding() }
        let value = unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
        return unarchiver.error == nil ? value : nil
    }

    /// The names of the classes in an archive; nil where the bytes are none.
    private static func classNames(_ data: Data) -> Set<String>? {
        guard
            let list = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any],
            list["$archiver"] as? String == "NSKeyedArchiver", let objects = list["$objects"] as? [Any]
        else { return nil }
        return Set(objects.compactMap { ($0 as? [String: Any])?["$classname"] as? String })
    }

    /// The archive of a value; nil where it holds something that cannot be archived.
    static func data(_ value: Any, classes: [AnyClass]) -> Data? {
        guard let object = object(value, classes: classes, depth: 0) else { return nil }
        return try? NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false)
    }

    /// The deepest nesting that is archived; more would be a circle.
    private static let depthLimit = 200

    /// The value with Foundation's classes instead of Swift's, all the way down.
    private static func object(_ value: Any, classes: [AnyClass], depth: Int) -> NSObject? {
        guard depth < depthLimit else { return nil }
        let nested = { (element: Any) in object(element, classes: classes, depth: depth + 1) }
        switch value {
        case let value as String: return NSString(string: value)
        case let value as Decimal: return NSDecimalNumber(decimal: value)
        case let value as NSNumber: return value
        case let value as Bool: return NSNumber(value: value)
        case let value as any BinaryInteger: return Int64(exactly: value).map { NSNumber(value: $0) }
        case let value as Double: return NSNumber(value: value)
        case let value as Float: return NSNumber(value: value)
        case let value as Date:
            return NSDate(timeIntervalSinceReferenceDate: value.timeIntervalSinceReferenceDate)
        case let value as Data: return NSData(data: value)
        case let value as UUID: return NSUUID(uuidString: value.uuidString)
        case let value as URL: return NSURL(string: value.absoluteString)
        case let value as [Any]: return all(value, nested).map { NSArray(array: $0) }
        case let value as NSArray: return all(value.map { $0 }, nested).map { NSArray(array: $0) }
        case let value as NSOrderedSet: return all(value.array, nested).map { NSArray(array: $0) }
        case let value as Set<AnyHashable>: return all(value.map(\.base), nested).map { NSSet(array: $0) }
        case let value as NSSet: return all(value.allObjects, nested).map { NSSet(array: $0) }
        case let value as [AnyHashable: Any]: return dictionary(value.map { ($0.key.base, $0.value) }, nested)
        case let value as NSDictionary: return dictionary(value.map { ($0.key, $0.value) }, nested)
        case is NSNull: return NSNull()
        case let value as NSObject:
            return classes.contains { value.isKind(of: $0) } && value is any NSCoding ? value : nil
        default: return nil
        }
    }

    private static func all(_ values: [Any], _ nested: (Any) -> NSObject?) -> [NSObject]? {
        let objects = values.compactMap(nested)
        return objects.count == values.count ? objects : nil
    }

    private static func dictionary(_ entries: [(Any, Any)], _ nested: (Any) -> NSObject?) -> NSDictionary? {
        let result = NSMutableDictionary()
        for (key, value) in entries {
            guard let key = nested(key), let value = nested(value) else { return nil }
            result.setObject(value, forKey: key)
        }
        return result
    }
}
