internal import StratusCoreData

/// How values of attributes are stored in columns, in both directions
/// (Documentation/CoreDataStore.md, 'Values in columns').
///
/// What is in a column need not be of the attribute's type: other tools write to these files, and SQLite
/// lets them. A value that can be understood is; one that cannot reads as nil.
enum StoredValue {
    static func value(_ number: Int64, of attribute: NSAttributeDescription) -> PropertyValue {
        switch attribute.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType:
            .int(number)
        case .doubleAttributeType, .floatAttributeType: .double(Double(number))
        case .dateAttributeType: .date(Date(timeIntervalSinceReferenceDate: Double(number)))
        case .decimalAttributeType: .decimal(Decimal(number))
        case .stringAttributeType: .string(String(number))
        case .URIAttributeType, .UUIDAttributeType, .binaryDataAttributeType: .null
        case .undefinedAttributeType, .transformableAttributeType, .objectIDAttributeType,
            .compositeAttributeType:
            .object(ObjectBox(NSNumber(value: number)))
        }
    }

    static func value(_ number: Double, of attribute: NSAttributeDescription) -> PropertyValue {
        switch attribute.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType:
            Int64(exactly: number.rounded(.towardZero)).map { .int($0) } ?? .null
        case .doubleAttributeType, .floatAttributeType: .double(number)
        case .dateAttributeType: .date(Date(timeIntervalSinceReferenceDate: number))
        case .decimalAttributeType: number.isFinite ? .decimal(Decimal(stored: number)) : .null
        case .stringAttributeType: .string(String(number))
        case .URIAttributeType, .UUIDAttributeType, .binaryDataAttributeType: .null
        case .undefinedAttributeType, .transformableAttributeType, .objectIDAttributeType,
            .compositeAttributeType:
            .object(ObjectBox(NSNumber(value: number)))
        }
    }

    static func value(_ text: String, of attribute: NSAttributeDescription) -> PropertyValue {
        switch attribute.attributeType {
        case .stringAttributeType: return .string(text)
        // A text that is not an address is kept as it is, rather than lost.
        case .URIAttributeType: return URL(string: text).map { .url($0) } ?? .string(text)
        case .UUIDAttributeType:
            var text = text
            return text.withUTF8 { uuid(UnsafeRawBufferPointer($0)) }.map { .uuid($0) } ?? .null
        case .binaryDataAttributeType: return .data(Data(text.utf8))
        case .decimalAttributeType:
            return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map { .decimal($0) }
                ?? .null
        case .undefinedAttributeType, .transformableAttributeType, .objectIDAttributeType,
            .compositeAttributeType:
            return .object(ObjectBox(text))
        default:
            if let number = Int64(text) { return value(number, of: attribute) }
            return Double(text).map { value($0, of: attribute) } ?? .null
        }
    }

    static func value(
        _ bytes: UnsafeRawBufferPointer, of attribute: NSAttributeDescription, isMarked: Bool,
        files: ExternalFiles?
    ) -> PropertyValue {
        switch attribute.attributeType {
        case .UUIDAttributeType: return uuid(bytes).map { .uuid($0) } ?? .null
        case .binaryDataAttributeType:
            guard isMarked else { return .data(Data(bytes)) }
            return ExternalFiles.value(bytes, files).map { .data($0) } ?? .null
        case .transformableAttributeType, .undefinedAttributeType, .objectIDAttributeType:
            var data: Data? = Data(bytes)
            if isMarked { data = ExternalFiles.value(bytes, files) }
            return data.map { Transformables.value($0, of: attribute) } ?? .null
        case .compositeAttributeType: return .object(ObjectBox(Data(bytes)))
        default: return value(String(decoding: bytes, as: UTF8.self), of: attribute)
        }
    }

    private static func uuid(_ bytes: UnsafeRawBufferPointer) -> UUID? {
        guard bytes.count == 16 else { return UUID(uuidString: String(decoding: bytes, as: UTF8.self)) }
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &uuid) { $0.copyMemory(from: bytes) }
        return UUID(uuid: uuid)
    }
}

extension PropertyValue {
    /// The value as a column keeps it: numbers that a column cannot hold exactly come back rounded.
    ///
    /// A decimal attribute's column holds whole numbers of 64 bits exactly and others as floating-point numbers,
    /// as Apple's stores do, since SQLite has nothing that both keeps and compares more digits. SQLite has no
    /// NaN: it becomes nil.
    var asStored: PropertyValue {
        switch self {
        case .decimal(let value):
            if value.isNaN { return .null }
            if value.wholeInt64 != nil { return self }
            return .decimal(Decimal(stored: value.nearestDouble))
        case .double(let value): return value.isNaN ? .null : self
        default: return self
        }
    }
}

extension Decimal {
    /// The number as an integer of 64 bits, where it is one.
    var wholeInt64: Int64? {
        let number = NSDecimalNumber(decimal: self)
        let value = number.int64Value
        return Decimal(value) == self ? value : nil
    }
}

/// The dictionaries of composite attributes.
enum CompositeValue {
    /// Puts a value where the names of nested elements lead.
    static func set(_ value: Any, _ path: [String], in result: inout [String: Any]) {
        guard let name = path.first else { return }
        guard path.count > 1 else {
            result[name] = value
            return
        }
        var nested = result[name] as? [String: Any] ?? [:]
        set(value, Array(path.dropFirst()), in: &nested)
        result[name] = nested
    }

    /// The value to which the names lead, or nil.
    static func value(_ path: [String], in dictionary: Any?) -> Any? {
        var current = dictionary
        for name in path {
            if let dictionary = current as? [String: Any] {
                current = dictionary[name]
            } else {
                current = (current as? NSDictionary)?[name]
            }
        }
        return current
    }
}
