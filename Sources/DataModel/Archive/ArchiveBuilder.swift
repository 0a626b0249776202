internal import Foundation

/// Builds the object table of a keyed archive.
struct ArchiveBuilder {
    /// What a named value of an object can be.
    indirect enum Value {
        case uid(Int)
        case bool(Bool)
        case int(Int64)
        case wide(UInt64)
        case real(Double)
        case string(String)
        case data(Data)
        case array([Value])
    }

    private enum Slot {
        case reserved
        case plain(BinaryPlist.Object)
        case object(classUID: Int, fields: [String: Value])
        case classInfo([String])
    }

    /// The word for nothing.
    static let null = Value.uid(0)

    private var slots: [Slot] = [.plain(.string("$null"))]
    private var plains: [BinaryPlist.Object: Int] = [:]
    private var classes: [[String]: Int] = [:]

    /// Takes a position in the table, so that objects can refer to each other before they are filled in.
    mutating func reserve() -> Int {
        slots.append(.reserved)
        return slots.count - 1
    }

    /// Fills a position; values that are nil are left out.
    mutating func fill(_ uid: Int, _ chain: [String], _ fields: [String: Value?]) {
        let classUID = classUID(chain)
        slots[uid] = .object(classUID: classUID, fields: fields.compactMapValues { $0 })
    }

    /// Adds one named value to an object.
    mutating func add(_ key: String, _ value: Value, to uid: Int) {
        guard case .object(let classUID, var fields) = slots[uid] else { return }
        fields[key] = value
        slots[uid] = .object(classUID: classUID, fields: fields)
    }

    mutating func object(_ chain: [String], _ fields: [String: Value?]) -> Value {
        let uid = reserve()
        fill(uid, chain, fields)
        return .uid(uid)
    }

    mutating func string(_ text: String?) -> Value {
        guard let text else { return Self.null }
        return plain(.string(text))
    }

    /// A text, number, date or bytes as an object of the table.
    mutating func plain(_ object: BinaryPlist.Object) -> Value {
        if let uid = plains[object] { return .uid(uid) }
        slots.append(.plain(object))
        plains[object] = slots.count - 1
        return .uid(slots.count - 1)
    }

    mutating func array(_ elements: [Value]) -> Value {
        object(["NSMutableArray", "NSArray", "NSObject"], ["NS.objects": .array(elements)])
    }

    mutating func strings(_ texts: [String]) -> Value {
        array(texts.map { string($0) })
    }

    mutating func set(_ elements: [Value]) -> Value {
        object(["NSSet", "NSObject"], ["NS.objects": .array(elements)])
    }

    mutating func dictionary(_ entries: [(String, Value)]) -> Value {
        let keys = entries.map { string($0.0) }
        return object(
            ["NSMutableDictionary", "NSDictionary", "NSObject"],
            ["NS.keys": .array(keys), "NS.objects": .array(entries.map(\.1))])
    }

    private mutating func classUID(_ chain: [String]) -> Int {
        if let uid = classes[chain] { return uid }
        slots.append(.classInfo(chain))
        classes[chain] = slots.count - 1
        return slots.count - 1
    }

    /// The bytes of the archive with that root.
    func encoded(root: Value) -> Data {
        var encoder = ArchiveEncoder()
        let objects = slots.map { slot in
            switch slot {
            case .reserved: encoder.add(BinaryPlist.Object.string("$null"))
            case .plain(let object): encoder.add(object)
            case .classInfo(let chain):
                encoder.dictionary([
                    ("$classes", encoder.strings(chain)),
                    ("$classname", encoder.string(chain.first ?? "NSObject")),
                ])
            case .object(let classUID, let fields):
                encoder.object(classUID, fields)
            }
        }
        return encoder.encoded(objects, root: root)
    }
}

/// Lays the object table out as a property list.
private struct ArchiveEncoder {
    private var objects: [BinaryPlist.Object] = []
    private var known: [BinaryPlist.Object: Int] = [:]

    mutating func add(_ object: BinaryPlist.Object) -> Int {
        if let index = known[object] { return index }
        objects.append(object)
        known[object] = objects.count - 1
        return objects.count - 1
    }

    mutating func string(_ text: String) -> Int { add(BinaryPlist.Object.string(text)) }

    mutating func strings(_ texts: [String]) -> Int {
        let elements = texts.map { string($0) }
        return add(.array(elements))
    }

    mutating func dictionary(_ entries: [(String, Int)]) -> Int {
        let all = entries.map { BinaryPlist.Entry(key: string($0.0), value: $0.1) }
        return add(.dictionary(all))
    }

    mutating func object(_ classUID: Int, _ fields: [String: ArchiveBuilder.Value]) -> Int {
        var entries = [("$class", add(BinaryPlist.Object.uid(classUID)))]
        for (key, value) in fields.sorted(by: { $0.key < $1.key }) { entries.append((key, add(value))) }
        return dictionary(entries)
    }

    private mutating func add(_ value: ArchiveBuilder.Value) -> Int {
        switch value {
        case .uid(let uid): return add(BinaryPlist.Object.uid(uid))
        case .bool(let value): return add(BinaryPlist.Object.bool(value))
        case .int(let value): return add(BinaryPlist.Object.int(value))
        case .wide(let value): return add(BinaryPlist.Object.wide(value))
        case .real(let value): return add(BinaryPlist.Object.real(value))
        case .string(let text): return string(text)
        case .data(let data): return add(BinaryPlist.Object.data(data))
        case .array(let values):
            let elements = values.map { add($0) }
            return add(BinaryPlist.Object.array(elements))
        }
    }

    mutating func encoded(_ table: [Int], root: ArchiveBuilder.Value) -> Data {
        let version = add(BinaryPlist.Object.int(100_000))
        let archiver = string("NSKeyedArchiver")
        let top = dictionary([("root", add(root))])
        // The table itself is never shared, even if an archived array looks the same.
        objects.append(.array(table))
        let tableIndex = objects.count - 1
        let whole = dictionary([
            ("$version", version), ("$archiver", archiver), ("$top", top), ("$objects", tableIndex),
        ])
        return BinaryPlist(objects: objects, root: whole).encoded()
    }
}
