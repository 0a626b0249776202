package import Foundation

/// The object table of an `NSKeyedArchiver` archive.
package final class KeyedArchive: Sendable {
    let list: BinaryPlist
    /// The plist index of each archived object.
    private let table: [Int]
    /// The class name of each archived object that has one, by plist index.
    private let classNames: [Int: String]
    /// The named values of each archived object, by plist index.
    private let fields: [Int: [String: Int]]
    private let top: Int

    /// - Throws: ``ModelDocumentError`` where the data is no archive with a root.
    package init(_ data: Data) throws {
        let list = try BinaryPlist(data)
        self.list = list
        guard let root = list.entries(of: list.root), let objects = root["$objects"],
            case .array(let table) = list.objects[objects], let tops = root["$top"].flatMap(list.entries)
        else { throw ModelDocumentError(.archive("it is a property list, but no keyed archive")) }
        guard let top = tops["root"] ?? tops.sorted(by: { $0.key < $1.key }).first?.value else {
            throw ModelDocumentError(.archive("it has no root"))
        }
        self.table = table
        self.top = top
        var names: [Int: String] = [:]
        var fields: [Int: [String: Int]] = [:]
        for index in table {
            guard fields[index] == nil, let entries = list.entries(of: index) else { continue }
            fields[index] = entries
            if let reference = entries["$class"], case .uid(let uid) = list.objects[reference],
                uid < table.count, let known = list.entries(of: table[uid])?["$classname"]
            {
                names[index] = list.string(known)
            }
        }
        classNames = names
        self.fields = fields
    }

    /// The object the archive was made of; nil for nothing.
    package var root: ArchivedItem? { item(top) }

    /// The value at a plist index, UIDs followed; nil for nothing.
    func item(_ index: Int) -> ArchivedItem? {
        var index = index
        if case .uid(let uid) = list.objects[index] {
            // Object 0 is the word for nil.
            guard uid > 0, uid < table.count else { return nil }
            index = table[uid]
            if case .uid = list.objects[index] { return nil }
        }
        if case .null = list.objects[index] { return nil }
        return ArchivedItem(archive: self, index: index)
    }

    /// The classes that the archive names, whether or not an object of them is in it.
    package var allClassNames: Set<String> {
        Set(table.compactMap { list.entries(of: $0)?["$classname"].flatMap(list.string) })
    }

    func className(_ index: Int) -> String? { classNames[index] }

    /// The class and its parents, the class first.
    func classChain(_ index: Int) -> [String]? {
        guard let reference = fields[index]?["$class"], case .uid(let uid) = list.objects[reference],
            uid < table.count, let known = list.entries(of: table[uid])?["$classes"],
            case .array(let names) = list.objects[known]
        else { return nil }
        let chain = names.compactMap { list.string($0) }
        return chain.isEmpty ? nil : chain
    }

    func fields(_ index: Int) -> [String: Int]? { fields[index] }

    /// The named values of all objects that have a class; class descriptions have none.
    var objectFields: some Collection<[String: Int]> { classNames.keys.lazy.compactMap { self.fields[$0] } }
}

/// A value of an archive: an object with a class, or a plain value.
package struct ArchivedItem: Sendable {
    let archive: KeyedArchive
    /// The index in the property list, which identifies the object.
    package let index: Int

    private var value: BinaryPlist.Object { archive.list.objects[index] }

    /// The class; nil for plain values.
    package var className: String? { archive.className(index) }

    /// A named value of an object.
    package subscript(key: String) -> ArchivedItem? {
        archive.fields(index)?[key].flatMap { archive.item($0) }
    }

    /// The names of an object's values, sorted.
    var keys: [String] { (archive.fields(index) ?? [:]).keys.filter { !$0.hasPrefix("$") }.sorted() }

    /// The text; also that of a string object.
    package var string: String? {
        if case .string(let text) = value { return text }
        if case .string(let text)? = inner("NS.string") { return text }
        if case .data(let bytes)? = inner("NS.bytes") { return String(data: bytes, encoding: .utf8) }
        return nil
    }

    package var bool: Bool? {
        switch inner("NS.boolval") ?? value {
        case .bool(let value): value
        case .int(let value): value != 0
        default: nil
        }
    }

    package var int: Int64? {
        switch inner("NS.intval") ?? value {
        case .int(let value): value
        case .bool(let value): value ? 1 : 0
        case .real(let value): Int64(exactly: value)
        default: nil
        }
    }

    package var data: Data? {
        if case .data(let data) = inner("NS.data") ?? value { data } else { nil }
    }

    /// The plain value that an object wraps; one step only, as archives can go in circles.
    private func inner(_ key: String) -> BinaryPlist.Object? { self[key]?.value }

    /// The elements of an array or set.
    package var elements: [ArchivedItem]? {
        if case .array(let indexes) = value { return indexes.compactMap { archive.item($0) } }
        guard let index = archive.fields(index)?["NS.objects"],
            case .array(let objects) = archive.list.objects[index],
            archive.fields(self.index)?["NS.keys"] == nil
        else { return nil }
        return objects.compactMap { archive.item($0) }
    }

    /// The entries of a dictionary with strings for keys, in the order of the file.
    var entries: [(key: String, value: ArchivedItem)]? {
        if className?.hasPrefix("NSKnownKeysDictionary") == true {
            guard let keys = self["searchMapping"]?["keys"]?.items, let values = self["values"]?.items else {
                return nil
            }
            return Self.pairs(keys, values)
        }
        guard let keys = items("NS.keys"), let values = items("NS.objects") else { return nil }
        return Self.pairs(keys, values)
    }

    private static func pairs(
        _ keys: [ArchivedItem?], _ values: [ArchivedItem?]
    ) -> [(key: String, value: ArchivedItem)] {
        zip(keys, values).compactMap { key, value in
            guard let key = key?.string, let value else { return nil }
            return (key, value)
        }
    }

    /// The elements with the positions of those that are nothing, so that keys and values stay together.
    private var items: [ArchivedItem?]? {
        if case .array(let indexes) = value { return indexes.map { archive.item($0) } }
        return items("NS.objects")
    }

    private func items(_ key: String) -> [ArchivedItem?]? {
        guard let index = archive.fields(index)?[key], case .array(let objects) = archive.list.objects[index]
        else {
            return nil
        }
        return objects.map { archive.item($0) }
    }

    /// The number, truth values among them, where it is one.
    package var number: NSNumber? {
        switch inner("NS.boolval") ?? inner("NS.intval") ?? inner("NS.dblval") ?? value {
        case .bool(let value): NSNumber(value: value)
        case .int(let value): NSNumber(value: value)
        case .wide(let value): NSNumber(value: value)
        case .real(let value): NSNumber(value: value)
        default: nil
        }
    }

    /// The plain number or truth value, for the conversions of ``ModelValue``.
    var plain: BinaryPlist.Object { value }
}
