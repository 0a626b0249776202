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
        var writer = ArchiveWriter(classes: classes)
        return writer.place(value, depth: 0).map(writer.archive.data(root:))
    }
}

/// Makes an archive of Foundation's values, in Swift's form or in that of its classes.
private struct ArchiveWriter {
    var archive = ValueArchive()
    /// The classes whose objects archive themselves.
    let classes: [AnyClass]
    /// The app's own objects, each of which is in the archive once.
    private var known: [ObjectIdentifier: ValueArchive.Place] = [:]
    /// The deepest nesting that is archived; more would be a circle.
    private static let depthLimit = 200

    init(classes: [AnyClass]) { self.classes = classes }

    /// Nil for what cannot be archived.
    mutating func place(_ value: Any, depth: Int) -> ValueArchive.Place? {
        guard depth < Self.depthLimit else { return nil }
        switch value {
        case let value as String: return archive.string(value)
        // Decimals are numbers too, and would lose digits as such. NaN cannot be archived, which is not worth a reason.
        case let value as Decimal: return try? archive.decimal(value)
        case let value as NSDecimalNumber: return try? archive.decimal(value.decimalValue)
        case let value as NSNumber: return number(value)
        case let value as Date: return archive.date(value)
        case let value as Data: return archive.data(value)
        case let value as UUID: return archive.uuid(value)
        case let value as URL: return archive.url(value.absoluteString)
        case let value as [Any]: return list(value, depth)
        case let value as NSArray: return list(value.map { $0 }, depth)
        case let value as NSOrderedSet: return list(value.array, depth)
        case let value as Set<AnyHashable>: return all(value.map(\.base), depth).map { archive.set($0) }
        case let value as NSSet: return all(value.allObjects, depth).map { archive.set($0) }
        case let value as [AnyHashable: Any]: return dictionary(value.map { ($0.key.base, $0.value) }, depth)
        case let value as NSDictionary: return dictionary(value.map { ($0.key, $0.value) }, depth)
        case is NSNull: return archive.null()
        case let value as NSObject: return object(value)
        default: return nil
        }
    }

    private mutating func number(_ value: NSNumber) -> ValueArchive.Place {
        switch String(cString: value.objCType) {
        // Foundation on Linux has this type for truth values alone; numbers of eight bits say that they are longer.
        case "c", "B": archive.bool(value.boolValue)
        case "f", "d": archive.real(value.doubleValue)
        case "Q": archive.integer(value.uint64Value)
        default: archive.integer(value.int64Value)
        }
    }

    private mutating func all(_ values: [Any], _ depth: Int) -> [ValueArchive.Place]? {
        var places: [ValueArchive.Place] = []
        places.reserveCapacity(values.count)
        for value in values {
            guard let place = place(value, depth: depth + 1) else { return nil }
            places.append(place)
        }
        return places
    }

    private mutating func list(_ values: [Any], _ depth: Int) -> ValueArchive.Place? {
        all(values, depth).map { archive.list($0) }
    }

    private mutating func dictionary(_ entries: [(Any, Any)], _ depth: Int) -> ValueArchive.Place? {
        guard let keys = all(entries.map(\.0), depth), let values = all(entries.map(\.1), depth) else {
            return nil
        }
        return archive.dictionary(zip(keys, values).map { ($0, $1) })
    }

    /// An object of the app's own, which archives itself as it likes.
    private mutating func object(_ value: NSObject) -> ValueArchive.Place? {
        if let place = known[ObjectIdentifier(value)] { return place }
        guard classes.contains(where: { value.isKind(of: $0) }), value is any NSCoding,
            // What cannot be archived fails the save, which names the attribute.
            let data = try? NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: false),
            let place = try? archive.root(of: data)
        else { return nil }
        known[ObjectIdentifier(value)] = place
        return place
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
