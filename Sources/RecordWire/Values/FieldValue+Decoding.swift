public import RecordModel

extension FieldValue {
    /// Gives a field of a request its type and checks the value against it.
    ///
    /// The tag decides; without one the schema's type does; without both the shape of the JSON.
    /// - Parameters:
    ///   - field: the field as it came.
    ///   - expected: the type that the schema has for the field.
    ///   - allowsEncrypted: whether the value may be marked as encrypted.
    ///   - numbersAsStrings: whether numbers may come quoted.
    /// - Returns: nil where the value is null, which removes the field.
    /// - Throws: ``JSONError`` with a sentence in the words of CloudKit.
    public static func decode(
        _ field: WireField, expected: FieldType?, allowsEncrypted: Bool = false,
        numbersAsStrings: Bool = false
    ) throws(JSONError) -> FieldValue? {
        guard field.value != .null else { return nil }
        if field.isMarkedEncrypted, !allowsEncrypted {
            throw .shape("Attempt to save encrypted data in non encrypted field type")
        }
        let named: FieldType?
        switch field.type {
        case nil: named = nil
        case "LIST":
            throw .shape(
                "BadRequestException: Unexpected input",
                detail: "'LIST' names no element type: send STRING_LIST, INT64_LIST and so on.")
        case "UNKNOWN_LIST": named = nil
        case .some(let tag):
            let plain = tag.hasPrefix("ENCRYPTED_") ? String(tag.dropFirst(10)) : tag
            guard let type = FieldType(tag: plain) else {
                throw .shape("'\(tag.prefix(40))' is not a field type.")
            }
            named = type
        }
        if let type = named ?? expected {
            return try decode(field.value, as: type, numbersAsStrings: numbersAsStrings)
        }
        guard let type = inferredType(of: field.value) else {
            if case .array = field.value { return .list([], of: nil) }
            throw .shape("The value's type is not clear; send 'type' with it.")
        }
        // Nobody has said that floating point is meant, which would make another number of it.
        if type.scalar == .double { try checkExact(field.value) }
        return try decode(field.value, as: type, numbersAsStrings: numbersAsStrings)
    }

    /// Refuses whole numbers that floating point does not hold.
    private static func checkExact(_ json: JSONValue) throws(JSONError) {
        switch json {
        case .array(let elements): for element in elements { try checkExact(element) }
        case .int(let value) where Double(exactly: value) != nil: break
        case .int, .longInteger:
            throw .shape(
                "The value has a whole number that would change.",
                detail: "Send 'type': 'DOUBLE' where the nearest number will do, or a STRING.")
        default: break
        }
    }

    private static func decode(
        _ json: JSONValue, as type: FieldType, numbersAsStrings: Bool
    ) throws(JSONError) -> FieldValue {
        guard type.isList else {
            return try decode(json, as: type.scalar, numbersAsStrings: numbersAsStrings)
        }
        guard let array = json.array else { throw mismatch(type, json) }
        guard array.count <= Limits.listElements else {
            throw .shape("The list has \(array.count) elements; \(Limits.listElements) are allowed.")
        }
        var elements: [FieldValue] = []
        elements.reserveCapacity(array.count)
        for element in array {
            elements.append(try decode(element, as: type.scalar, numbersAsStrings: numbersAsStrings))
        }
        return .list(elements, of: type.scalar)
    }

    private static func decode(
        _ json: JSONValue, as scalar: FieldType.Scalar, numbersAsStrings: Bool
    ) throws(JSONError) -> FieldValue {
        let type = FieldType(scalar)
        switch (scalar, json) {
        case (.string, .string(let value)):
            // C's strings end there, and with them the text functions of databases; PostgreSQL stores none.
            guard !value.utf8.contains(0) else { throw .shape("Text cannot contain the character U+0000.") }
            return .string(value)
        case (.int64, .int(let value)): return .int64(value)
        case (.int64, .bool(let value)): return .int64(value ? 1 : 0)
        case (.int64, .double(let value)):
            guard let int = whole(value) else { throw mismatch(type, json) }
            return .int64(int)
        case (.int64, .string(let text)) where numbersAsStrings:
            guard let value = Int64(text) else { throw mismatch(type, json) }
            return .int64(value)
        case (.double, .int(let value)): return .double(Double(value))
        case (.double, .double(let value)), (.double, .longInteger(let value)): return .double(value)
        case (.double, .string(let text)) where numbersAsStrings:
            guard let value = Double(text), value.isFinite else { throw mismatch(type, json) }
            return .double(value)
        case (.timestamp, .int(let value)): return .timestamp(value)
        case (.timestamp, .double(let value)):
            // Apple's service refuses a fraction too (Documentation/Protocol.md, 'Field values').
            guard let int = whole(value) else { throw mismatch(type, json) }
            return .timestamp(int)
        case (.bytes, .string(let text)):
            guard let bytes = Base64.decode(text) else {
                throw .shape("Invalid value, expected base64 for type BYTES")
            }
            return .bytes(bytes)
        case (.reference, .object(let object)): return try .reference(Reference(json: object))
        case (.asset, .object(let object)): return try .asset(Asset(json: object))
        case (.location, .object(let object)): return try .location(Location(json: object))
        default: throw mismatch(type, json)
        }
    }

    /// The whole number that one with a fraction or an exponent is. From 2^53 on it may be the neighbour of what was written, `9007199254740993.0`
    /// for example (RFC 8259, 6), so it is none there.
    private static func whole(_ value: Double) -> Int64? {
        value.magnitude < 0x1p53 ? Int64(exactly: value) : nil
    }

    private static func inferredType(of json: JSONValue) -> FieldType? {
        switch json {
        case .null: nil
        case .string: FieldType(.string)
        case .int, .bool: FieldType(.int64)
        case .double, .longInteger: FieldType(.double)
        case .array(let elements):
            elements.first.flatMap(inferredType).flatMap { $0.isList ? nil : FieldType.list($0.scalar) }
        case .object(let object):
            if object["latitude"] != nil {
                FieldType(.location)
            } else if object["fileChecksum"] != nil {
                FieldType(.asset)
            } else {
                object["recordName"] != nil ? FieldType(.reference) : nil
            }
        }
    }

    private static func mismatch(_ type: FieldType, _ json: JSONValue) -> JSONError {
        if case .array = json {
            return .shape("Invalid value, expected type \(type.tag) but actual value was a list")
        }
        var detail = json.kindName
        if case .double = json, !type.isList {
            detail += " that is not whole, or from 2^53 on written with a fraction or an exponent"
        }
        return .shape("Invalid value, expected type \(type.tag)", detail: "The value was \(detail).")
    }
}
