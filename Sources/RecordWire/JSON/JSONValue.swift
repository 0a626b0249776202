/// A JSON value as it was read, members in their order.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number without fraction and exponent that fits 64 bits.
    case int(Int64)
    /// A number with fraction or exponent, and `-0`, which only floating point has.
    case double(Double)
    /// A number without fraction and exponent that does not fit 64 bits, as the nearest one of floating point: good where a number
    /// of floating point is meant, and another number where a whole one is.
    case longInteger(nearest: Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The text, if this is a string.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The truth value; 0 and 1 are taken as well, since some clients send them.
    public var bool: Bool? {
        switch self {
        case .bool(let value): value
        case .int(0): false
        case .int(1): true
        default: nil
        }
    }

    /// The integer, if this is one.
    public var int: Int64? {
        switch self {
        case .int(let value): value
        case .double(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// The number as floating point.
    public var double: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value), .longInteger(let value): value
        default: nil
        }
    }

    /// The elements, if this is an array.
    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members, if this is an object.
    public var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// What kind of value this is, for error sentences.
    public var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .int, .double: "a number"
        case .longInteger: "a number beyond 64 bits"
        case .string: "a string"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

/// The members of a JSON object in their order; of members of one name the last one counts.
public struct JSONObject: Hashable, Sendable {
    /// The members as they stood in the text.
    public var members: [(key: String, value: JSONValue)]

    /// Makes an object of the given members.
    public init(_ members: [(key: String, value: JSONValue)] = []) {
        self.members = members
    }

    /// The member of the given name; nil also where it is `null`, which the protocol treats as absent.
    public subscript(key: String) -> JSONValue? {
        for member in members.reversed() where member.key == key {
            return member.value == .null ? nil : member.value
        }
        return nil
    }

    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.members.count == right.members.count
            && zip(left.members, right.members).allSatisfy { $0.key == $1.key && $0.value == $1.value }
    }

    public func hash(into hasher: inout Hasher) {
        for (key, value) in members {
            hasher.combine(key)
            hasher.combine(value)
        }
    }
}
