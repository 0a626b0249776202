public import RecordWire

/// JSON as it is written in a test: `["records": [["recordName": "a"]]]`.
extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
    ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
    ExpressibleByExtendedGraphemeClusterLiteral, ExpressibleByUnicodeScalarLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { (key: $0.0, value: $0.1) }))
    }

    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .int(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(nilLiteral: ()) { self = .null }
}

extension JSONValue {
    /// A member, null where there is none.
    public subscript(key: String) -> JSONValue { object?[key] ?? .null }

    /// An element, null where there is none.
    public subscript(index: Int) -> JSONValue {
        guard let array, array.indices.contains(index) else { return .null }
        return array[index]
    }

    /// The elements, none where this is no array.
    public var elements: [JSONValue] { array ?? [] }

    /// The value with a member more, or another one of that name.
    public func with(_ key: String, _ value: JSONValue) -> JSONValue {
        var members = object?.members ?? []
        members.removeAll { $0.key == key }
        members.append((key, value))
        return .object(JSONObject(members))
    }

    /// The value as JSON text.
    public var bytes: [UInt8] { JSONWriter.text { $0.value(self) } }

    /// The value as JSON text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
}
