public import RecordModel

/// A record as it is stored and sent: its JSON without the closing brace, so that an answer can add to it.
///
/// The members are in a fixed order, so that wanted fields are copied out without reading the others.
public enum RecordBody {
    /// What a body is made of.
    public struct Parts {
        /// The record's name.
        public var recordName: String
        /// Its type.
        public var recordType: String
        /// Its version.
        public var changeTag: String
        /// Its fields in their order.
        public var fields: [(name: String, value: FieldValue)]
        /// Who made it, and when.
        public var created: RecordStamp
        /// Who changed it last, and when.
        public var modified: RecordStamp
        /// The record above in a share's hierarchy.
        public var parent: String?
        /// The share whose root the record is, and the zone in which both are, as answers name it.
        public var share: (name: String, zone: [UInt8])?
        /// The short identifier of the link that leads to the record.
        public var shortGUID: String?
        /// The fields that are marked as encrypted.
        public var encrypted: Set<String>

        /// Collects the parts.
        public init(
            recordName: String, recordType: String, changeTag: String,
            fields: [(name: String, value: FieldValue)],
            created: RecordStamp, modified: RecordStamp, parent: String?,
            share: (name: String, zone: [UInt8])? = nil, shortGUID: String? = nil,
            encrypted: Set<String> = []
        ) {
            self.share = share
            self.shortGUID = shortGUID
            self.recordName = recordName
            self.recordType = recordType
            self.changeTag = changeTag
            self.fields = fields
            self.created = created
            self.modified = modified
            self.parent = parent
            self.encrypted = encrypted
        }
    }

    /// Which part of a body an answer carries, and how.
    public struct Selection: Sendable {
        /// The fields wanted; nil for all.
        public let desiredKeys: Set<String>?
        /// The same as they stand in a body.
        let quotedKeys: QuotedKeys?
        /// Whether numbers are wanted quoted.
        public var numbersAsStrings: Bool
        /// JSON to put after the record's own members, `,"zoneID":{…}` for example.
        public var suffix: [UInt8]
        /// Gives the address of a file by its checksum; nil where records hold no files.
        public var assetURL: (@Sendable (_ checksum: String) -> String?)?

        /// Creates a selection.
        public init(
            desiredKeys: [String]? = nil, numbersAsStrings: Bool = false, suffix: [UInt8] = [],
            assetURL: (@Sendable (_ checksum: String) -> String?)? = nil
        ) {
            self.assetURL = assetURL
            self.desiredKeys = desiredKeys.map(Set.init)
            quotedKeys = self.desiredKeys.map { QuotedKeys($0) }
            self.numbersAsStrings = numbersAsStrings
            self.suffix = suffix
        }

        var isPlain: Bool { desiredKeys == nil && !numbersAsStrings }
    }

    /// Makes a body.
    public static func make(_ parts: Parts) -> [UInt8] {
        var writer = JSONWriter(reserving: 512 + parts.fields.count * 64)
        writer.beginObject()
        writer.member("recordName", parts.recordName)
        writer.member("recordType", parts.recordType)
        writer.key("fields")
        writer.beginObject()
        for (name, value) in parts.fields {
            writer.key(text: name)
            value.writeField(to: &writer, isEncrypted: parts.encrypted.contains(name))
        }
        writer.endObject()
        writer.key("pluginFields")
        writer.beginObject()
        writer.endObject()
        writer.member("recordChangeTag", parts.changeTag)
        writer.key("created")
        parts.created.write(to: &writer)
        writer.key("modified")
        parts.modified.write(to: &writer)
        writer.member("deleted", false)
        writeRelations(
            Relations(parent: parts.parent, share: parts.share?.name, shortGUID: parts.shortGUID),
            zone: parts.share?.zone ?? [], to: &writer)
        return writer.bytes
    }

    /// Writes a body as an element of an answer.
    ///
    /// - Throws: ``JSONError`` where the body is damaged.
    public static func write(
        _ body: UnsafeRawBufferPointer, _ selection: Selection, to writer: inout JSONWriter
    ) throws(JSONError) {
        let hasFiles = selection.assetURL != nil && assetTag.isFound(in: body)
        if selection.isPlain, !hasFiles {
            writer.raw(body)
            writer.continueRaw(selection.suffix)
            writer.closeRaw()
            return
        }
        let mark = writer.mark
        if try !copy(body, selection, to: &writer) {
            writer.rewind(to: mark)
            var object = try parse(body)
            for index in object.members.indices where object.members[index].key == "fields" {
                object.members[index].value = .object(select(object.members[index].value.object, selection))
            }
            writer.value(.object(object), leavingOpen: true)
        }
        writer.continueRaw(selection.suffix)
        writer.closeRaw()
    }

    /// Copies what is wanted of a body; only values that change are read.
    ///
    /// - Returns: false where the body is of another form than ``make(_:)`` writes; then what was written is no use.
    private static func copy(
        _ body: UnsafeRawBufferPointer, _ selection: Selection, to writer: inout JSONWriter
    ) throws(JSONError) -> Bool {
        guard var scan = FieldScan(body) else { return false }
        writer.raw(UnsafeRawBufferPointer(rebasing: body[..<scan.start]))
        var count = 0
        let most = selection.quotedKeys?.count ?? .max
        while count < most, let field = scan.next() {
            let name = UnsafeRawBufferPointer(rebasing: body[field.name])
            guard selection.quotedKeys?.contains(name) ?? true else { continue }
            if count > 0 { writer.append(UInt8(ascii: ",")) }
            count += 1
            let value = UnsafeRawBufferPointer(rebasing: body[field.value])
            // What says the type stands last.
            let tail = UnsafeRawBufferPointer(rebasing: value.suffix(64))
            let isFile = selection.assetURL != nil && assetTag.isFound(in: tail)
            guard isFile || selection.numbersAsStrings else {
                writer.continueRaw(UnsafeRawBufferPointer(rebasing: body[field.all]))
                continue
            }
            writer.continueRaw(UnsafeRawBufferPointer(rebasing: body[field.name]))
            writer.append(UInt8(ascii: ":"))
            let changed = change(try JSONReader.read(Array(value)), selection)
            writer.continueRaw(JSONWriter.text { $0.value(changed) })
        }
        if count == most { scan.skipRest() }
        guard let end = scan.end else { return false }
        writer.continueRaw(UnsafeRawBufferPointer(rebasing: body[end...]))
        return true
    }

    /// The fields of a body with their types.
    ///
    /// - Throws: ``JSONError`` where the body is damaged.
    public static func fields(of body: [UInt8]) throws(JSONError) -> [(name: String, value: FieldValue)] {
        let object = try JSONReader.read(body + [UInt8(ascii: "}")]).object ?? JSONObject()
        var fields: [(name: String, value: FieldValue)] = []
        for (name, value) in try object.object("fields")?.members ?? [] {
            guard let field = value.object else { continue }
            if let value = try FieldValue.decode(
                WireField(json: field), expected: nil, allowsEncrypted: true)
            {
                fields.append((name, value))
            }
        }
        return fields
    }

    /// The names of the fields of a body that are marked as encrypted.
    ///
    /// - Throws: ``JSONError`` where the body is damaged.
    public static func encryptedFields(of body: [UInt8]) throws(JSONError) -> Set<String> {
        let object = try JSONReader.read(body + [UInt8(ascii: "}")]).object ?? JSONObject()
        var names: Set<String> = []
        for (name, value) in try object.object("fields")?.members ?? [] {
            if let field = value.object, try WireField(json: field).isMarkedEncrypted { names.insert(name) }
        }
        return names
    }

    /// A body with another change tag.
    ///
    /// - Throws: ``JSONError`` where the body is damaged.
    public static func retagged(_ body: [UInt8], _ tag: String) throws(JSONError) -> [UInt8] {
        // Parsed rather than searched: members of fields may have any name.
        var object = try JSONReader.read(body + [UInt8(ascii: "}")]).object ?? JSONObject()
        for index in object.members.indices where object.members[index].key == "recordChangeTag" {
            object.members[index].value = .string(tag)
        }
        var writer = JSONWriter(reserving: body.count + 8)
        writer.value(.object(object), leavingOpen: true)
        return writer.bytes
    }

    /// A body without some of its fields; nil where it has none of them.
    ///
    /// - Throws: ``JSONError`` where the body is damaged.
    public static func removing(_ names: Set<String>, from body: [UInt8]) throws(JSONError) -> [UInt8]? {
        var object = try JSONReader.read(body + [UInt8(ascii: "}")]).object ?? JSONObject()
        var isChanged = false
        for index in object.members.indices where object.members[index].key == "fields" {
            guard var fields = object.members[index].value.object else { continue }
            let count = fields.members.count
            fields.members.removeAll { names.contains($0.key) }
            guard fields.members.count < count else { continue }
            object.members[index].value = .object(fields)
            isChanged = true
        }
        guard isChanged else { return nil }
        var writer = JSONWriter(reserving: body.count)
        writer.value(.object(object), leavingOpen: true)
        return writer.bytes
    }

    /// The name of the record's type; empty where the body lacks it.
    ///
    /// - Throws: ``JSONError`` where the body is damaged.
    public static func recordType(of body: [UInt8]) throws(JSONError) -> String {
        try JSONReader.read(body + [UInt8(ascii: "}")]).object?.string("recordType") ?? ""
    }

    /// The name of the record.
    ///
    /// - Throws: ``JSONError`` where the body is damaged.
    public static func name(of body: UnsafeRawBufferPointer) throws(JSONError) -> String {
        try parse(body).requiredString("recordName")
    }

    /// The name of the record above, if the body has one.
    ///
    /// - Throws: ``JSONError`` where the body is damaged.
    public static func parent(of body: [UInt8]) throws(JSONError) -> String? {
        try relations(of: body).parent
    }

    /// What a body says of the records and links that are about its record.
    ///
    /// - Throws: ``JSONError`` where the body is damaged.
    public static func relations(of body: [UInt8]) throws(JSONError) -> Relations {
        // Closures over bytes throw anything.
        let result = body.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try self.relations(of: bytes) }
        }
        return try result.get()
    }

    /// The name of the record, read from the body's beginning alone where it is of the form that ``make(_:)`` writes.
    ///
    /// - Throws: ``JSONError`` where the body is damaged.
    public static func quickName(of body: UnsafeRawBufferPointer) throws(JSONError) -> String {
        let prefix = "{\"recordName\":\"".utf8
        if body.starts(with: prefix),
            let end = body[prefix.count...].firstIndex(where: {
                $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\")
            }),
            body[end] == UInt8(ascii: "\"")
        {
            return String(decoding: body[prefix.count..<end], as: UTF8.self)
        }
        return try name(of: body)
    }

    /// What a body says of the records and links that are about its record, read from its end alone.
    public struct Relations: Hashable, Sendable {
        /// The name of the record above.
        public var parent: String?
        /// The name of the share whose root the record is.
        public var share: String?
        /// The short identifier of the link that leads to the record.
        public var shortGUID: String?

        /// Says nothing by default.
        public init(parent: String? = nil, share: String? = nil, shortGUID: String? = nil) {
            self.parent = parent
            self.share = share
            self.shortGUID = shortGUID
        }
    }

    /// What a body says of the records and links that are about its record.
    ///
    /// - Throws: ``JSONError`` where the body is damaged.
    public static func relations(of body: UnsafeRawBufferPointer) throws(JSONError) -> Relations {
        guard let start = lastMembers(in: body) else { return Relations() }
        // What begins with a comma, as the members of an object without the first.
        var text = Array("{\"deleted\":false".utf8)
        text += body[start...]
        text.append(UInt8(ascii: "}"))
        let object = try JSONReader.read(text).object ?? JSONObject()
        return Relations(
            parent: try object.object("parent")?.string("recordName"),
            share: try object.object("share")?.string("recordName"),
            shortGUID: try object.string("shortGUID"))
    }

    private static func writeRelations(
        _ relations: Relations, zone: [UInt8], to writer: inout JSONWriter
    ) {
        if let parent = relations.parent {
            writer.key("parent")
            writer.beginObject()
            writer.member("recordName", parent)
            writer.endObject()
        }
        if let share = relations.share {
            writer.key("share")
            writer.beginObject()
            writer.member("recordName", share)
            writer.key("zoneID")
            writer.raw(zone)
            writer.endObject()
        }
        writer.member("shortGUID", relations.shortGUID)
    }

    /// A body with other relations.
    ///
    /// - Parameters:
    ///   - body: the body.
    ///   - relations: what it is to say of records and links that are about its record.
    ///   - zone: the zone of the record, as answers name it.
    /// - Throws: ``JSONError`` where the body is damaged.
    public static func relating(
        _ body: [UInt8], _ relations: Relations, zone: [UInt8]
    ) throws(JSONError) -> [UInt8] {
        let end = body.withUnsafeBytes { endOfPlainMembers(in: $0) }
        guard let end else { throw .shape("The body has no member 'deleted'.") }
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        writer.member("deleted", false)
        writeRelations(relations, zone: zone, to: &writer)
        return Array(body[..<end]) + writer.bytes.dropFirst("{\"deleted\":false".utf8.count)
    }

    /// Where the members begin that follow `deleted`; nil where there are none.
    ///
    /// In a text a backslash would stand before the second quote, so the last place where it is found is the member.
    private static func lastMembers(in body: UnsafeRawBufferPointer) -> Int? {
        body.last == UInt8(ascii: "e") ? nil : endOfPlainMembers(in: body)
    }

    /// What follows the member `deleted`, which is the last but those about relations.
    private static func endOfPlainMembers(in body: UnsafeRawBufferPointer) -> Int? {
        let tag = "\"deleted\":false"
        let count = tag.utf8.count
        guard body.count > count else { return nil }
        var index = body.count - count
        while index > 0 {
            if body[index] == UInt8(ascii: "\""),
                tag.utf8.elementsEqual(body[index..<index + count])
            {
                return index + count
            }
            index -= 1
        }
        return nil
    }

    /// What follows a value that is a file, or a list of them; nowhere else, since quotes in text are
    /// escaped.
    private static let assetTag = ByteSearch("\"type\":\"ASSETID")

    private static func parse(_ body: UnsafeRawBufferPointer) throws(JSONError) -> JSONObject {
        var bytes = Array(body)
        bytes.append(UInt8(ascii: "}"))
        return try JSONReader.read(bytes).object ?? JSONObject()
    }

    private static func select(_ fields: JSONObject?, _ selection: Selection) -> JSONObject {
        var members = fields?.members ?? []
        if let keys = selection.desiredKeys { members.removeAll { !keys.contains($0.key) } }
        return JSONObject(members.map { (key: $0.key, value: change($0.value, selection)) })
    }

    /// A field with addresses of its files, and with its numbers quoted, where that is wanted.
    private static func change(_ field: JSONValue, _ selection: Selection) -> JSONValue {
        let field = selection.assetURL.map { addAddresses(field, $0) } ?? field
        return selection.numbersAsStrings ? quoteNumbers(field) : field
    }

    private static func quoteNumbers(_ field: JSONValue) -> JSONValue {
        guard var object = field.object, let tag = object["type"]?.string,
            tag.hasPrefix("INT64") || tag.hasPrefix("DOUBLE")
        else { return field }
        for index in object.members.indices where object.members[index].key == "value" {
            object.members[index].value = quoted(object.members[index].value)
        }
        return .object(object)
    }

    private static func addAddresses(
        _ field: JSONValue, _ assetURL: (_ checksum: String) -> String?
    ) -> JSONValue {
        guard var object = field.object, object["type"]?.string?.hasPrefix("ASSETID") == true else {
            return field
        }
        func addressed(_ value: JSONValue) -> JSONValue {
            if let elements = value.array { return .array(elements.map(addressed)) }
            guard var asset = value.object, let url = asset["fileChecksum"]?.string.flatMap(assetURL) else {
                return value
            }
            asset.members.append((key: "downloadURL", value: .string(url)))
            return .object(asset)
        }
        for index in object.members.indices where object.members[index].key == "value" {
            object.members[index].value = addressed(object.members[index].value)
        }
        return .object(object)
    }

    private static func quoted(_ value: JSONValue) -> JSONValue {
        switch value {
        case .int(let value): .string(String(value))
        case .double(let value), .longInteger(let value): .string(value.description)
        case .array(let elements): .array(elements.map(quoted))
        default: value
        }
    }
}

extension JSONWriter {
    /// Writes the closing brace of an object that was written raw.
    mutating func closeRaw() { append(UInt8(ascii: "}")) }

    /// Writes an object without its closing brace.
    mutating func value(_ value: JSONValue, leavingOpen: Bool) {
        self.value(value)
        if leavingOpen { removeLast() }
    }
}
