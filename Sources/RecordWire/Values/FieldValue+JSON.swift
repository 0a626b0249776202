public import RecordModel

/// A field as a request carries it: a value whose type may have to be inferred.
public struct WireField: Hashable, Sendable {
    /// The value; null removes the field.
    public var value: JSONValue
    /// The tag, which requests may leave out.
    public var type: String?
    /// Whether the client says that the value is encrypted.
    public var isEncrypted: Bool

    /// Makes a field of its parts.
    public init(value: JSONValue, type: String? = nil, isEncrypted: Bool = false) {
        self.value = value
        self.type = type
        self.isEncrypted = isEncrypted
    }

    /// Reads `{value, type}`; where `value` is missing the field is null.
    ///
    /// Clients leave the member out for nil: encoders that synthesise their code do so by themselves.
    ///
    /// - Throws: ``JSONError`` where a member is of another kind.
    public init(json: JSONObject) throws(JSONError) {
        value = json.members.last { $0.key == "value" }?.value ?? .null
        type = try json.string("type")
        isEncrypted = try json.bool("isEncrypted") ?? false
    }

    /// Makes the field that carries a value.
    public init(_ value: FieldValue) {
        self.value = value.json
        type = value.type?.tag ?? "UNKNOWN_LIST"
        isEncrypted = false
    }

    /// The tag of encrypted BYTES.
    public static let encryptedBytesTag = "ENCRYPTED_BYTES"

    /// Whether the client says, in either of the two ways, that the value is encrypted.
    public var isMarkedEncrypted: Bool { isEncrypted || type?.hasPrefix("ENCRYPTED") == true }

    /// Writes `{value, type}`.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("value")
        writer.value(value)
        writer.member("type", type)
        if isEncrypted { writer.member("isEncrypted", true) }
        writer.endObject()
    }
}

extension FieldValue {
    /// Writes the field `{value, type}` as answers carry it.
    ///
    /// - Parameters:
    ///   - writer: what the answer is written with.
    ///   - numbersAsStrings: whether INT64 and DOUBLE values are quoted, for readers whose numbers are not exact.
    ///   - isEncrypted: whether the field is marked as one of encrypted values.
    public func writeField(
        to writer: inout JSONWriter, numbersAsStrings: Bool = false, isEncrypted: Bool = false
    ) {
        // Encrypted bytes have a tag of their own, which is older than the mark; clients know one of the two.
        let hasOwnTag = isEncrypted && type == FieldType(.bytes)
        writer.beginObject()
        writer.key("value")
        write(to: &writer, numbersAsStrings: numbersAsStrings)
        writer.key("type")
        writer.string(hasOwnTag ? WireField.encryptedBytesTag : type?.tag ?? "UNKNOWN_LIST")
        if isEncrypted, !hasOwnTag { writer.member("isEncrypted", true) }
        writer.endObject()
    }

    /// Writes the bare value.
    public func write(to writer: inout JSONWriter, numbersAsStrings: Bool = false) {
        switch self {
        case .string(let value): writer.string(value)
        case .int64(let value): numbersAsStrings ? writer.string(String(value)) : writer.int(value)
        case .double(let value): numbersAsStrings ? writer.string(value.description) : writer.double(value)
        case .timestamp(let value): writer.int(value)
        case .bytes(let value): writer.string(Base64.encode(value))
        case .reference(let value): value.write(to: &writer)
        case .asset(let value): value.write(to: &writer)
        case .location(let value): value.write(to: &writer)
        case .list(let elements, _):
            writer.beginArray()
            for element in elements { element.write(to: &writer, numbersAsStrings: numbersAsStrings) }
            writer.endArray()
        }
    }

    /// The bare value as a tree.
    public var json: JSONValue {
        switch self {
        case .string(let value): .string(value)
        case .int64(let value), .timestamp(let value): .int(value)
        // A negative zero is no whole number.
        case .double(let value) where value == 0 && value.sign == .minus: .double(value)
        case .double(let value): Int64(exactly: value).map { .int($0) } ?? .double(value)
        case .bytes(let value): .string(Base64.encode(value))
        case .reference(let value): value.json
        case .asset(let value): value.json
        case .location(let value): value.json
        case .list(let elements, _): .array(elements.map(\.json))
        }
    }
}
