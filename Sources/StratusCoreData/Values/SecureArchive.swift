internal import DataModel

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
    ///
    /// Foundation's values are read here. Only an archive with objects of the app's own classes is given to
    /// `NSKeyedUnarchiver`, which may stop the program where such an archive is damaged.
    static func value(_ data: Data, classes: [AnyClass]) -> Any? {
        guard let archive = try? KeyedArchive(data), let root = archive.root else { return nil }
        var reader = ArchiveReader()
        if let value = reader.value(root) { return value }
        let own = Set(classes.map { NSStringFromClass($0) }).subtracting(known)
        guard !own.isEmpty, !reader.unknownClasses.isEmpty, reader.unknownClasses.isSubset(of: own),
            archive.allClassNames.isSubset(of: known.union(own)),
            let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: data)
        else { return nil }
        unarchiver.requiresSecureCoding = false
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        defer { unarchiver.finishDecoding() }
        let value = unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
        return unarchiver.error == nil ? value : nil
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
        // Foundation on Linux calls itself without end where it archives an NSDecimalNumber.
        case is Decimal, is NSDecimalNumber: return nil
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

/// Makes Foundation's values of the objects of an archive.
private struct ArchiveReader {
    /// Objects that several others hold are read once.
    private var known: [Int: Any] = [:]
    private var open: Set<Int> = []
    /// The classes that are not Foundation's values.
    private(set) var unknownClasses: Set<String> = []
    /// The deepest nesting that is read.
    private static let depthLimit = 200

    /// Nil for an object that is not a value, or that holds itself.
    mutating func value(_ item: ArchivedItem) -> Any? {
        if let value = known[item.index] { return value }
        guard open.count < Self.depthLimit, open.insert(item.index).inserted else { return nil }
        defer { open.remove(item.index) }
        let value = read(item)
        known[item.index] = value
        return value
    }

    private mutating func read(_ item: ArchivedItem) -> Any? {
        switch item.className {
        case nil: item.number ?? item.string ?? item.data ?? item.seconds.map(date)
        case "NSString", "NSMutableString": item.string
        case "NSNumber": item.number
        case "NSDate": item["NS.time"]?.seconds.map(date)
        case "NSData", "NSMutableData": item.data
        case "NSNull": NSNull()
        case "NSDecimalNumber": item.decimal.map { NSDecimalNumber(decimal: $0) }
        case "NSURL": url(item)
        case "NSUUID":
            item["NS.uuidbytes"]?.data.flatMap { bytes in
                bytes.count == 16
                    ? bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) } : nil
            }
        case "NSArray", "NSMutableArray": list(item).map { NSArray(array: $0) }
        case "NSSet", "NSMutableSet": list(item).map { NSSet(array: $0) }
        case "NSDictionary", "NSMutableDictionary": dictionary(item)
        case let name?: unknown(name)
        }
    }

    private mutating func unknown(_ name: String) -> Any? {
        unknownClasses.insert(name)
        return nil
    }

    private func date(_ seconds: Double) -> Any { Date(timeIntervalSinceReferenceDate: seconds) }

    private func url(_ item: ArchivedItem) -> Any? {
        guard let relative = item["NS.relative"]?.string else { return nil }
        let base = item["NS.base"]?["NS.relative"]?.string.flatMap { URL(string: $0) }
        return URL(string: relative, relativeTo: base)
    }

    private mutating func list(_ item: ArchivedItem) -> [Any]? {
        guard let elements = item["NS.objects"]?.elements ?? item.elements else { return nil }
        var result: [Any] = []
        for element in elements {
            guard let value = value(element) else { return nil }
            result.append(value)
        }
        return result
    }

    private mutating func dictionary(_ item: ArchivedItem) -> NSDictionary? {
        guard let keys = item["NS.keys"]?.elements, let values = item["NS.objects"]?.elements,
            keys.count == values.count
        else { return nil }
        let result = NSMutableDictionary()
        for (key, element) in zip(keys, values) {
            guard let key = value(key) as? AnyHashable, let value = value(element) else { return nil }
            result[key] = value
        }
        return result
    }
}
