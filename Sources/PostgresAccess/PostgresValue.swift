/// A value of a statement's parameter.
///
/// PostgreSQL has no NUL in `text`: such a text is refused when it is sent, with the server's own error 22021.
public enum PostgresValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case text(String)
    case bytes([UInt8])
    case bools([Bool?])
    case ints([Int64?])
    case doubles([Double?])
    case texts([String?])
    case bytesList([[UInt8]?])
}

extension PostgresValue {
    /// Appends the value in binary form, and says whether there is one: NULL has no bytes.
    ///
    /// The forms are those of the types' `send` functions: integers and numbers big-endian, an array as its number of
    /// dimensions, a flag for NULLs, the elements' type, count and lower bound, and each element with its length.
    func encode(into buffer: inout [UInt8]) -> Bool {
        switch self {
        case .null: return false
        case .bool(let value): buffer.append(value ? 1 : 0)
        case .int(let value): buffer.append(bigEndian: value)
        case .double(let value): buffer.append(bigEndian: value.bitPattern)
        case .text(let value): buffer.append(contentsOf: value.utf8)
        case .bytes(let value): buffer.append(contentsOf: value)
        case .bools(let values): buffer.append(array: values, of: .bool) { $0.append($1 ? 1 : 0) }
        case .ints(let values): buffer.append(array: values, of: .int8) { $0.append(bigEndian: $1) }
        case .doubles(let values):
            buffer.append(array: values, of: .float8) { $0.append(bigEndian: $1.bitPattern) }
        case .texts(let values): buffer.append(array: values, of: .text) { $0.append(contentsOf: $1.utf8) }
        case .bytesList(let values): buffer.append(array: values, of: .bytea) { $0.append(contentsOf: $1) }
        }
        return true
    }

    /// The type that fits; nil for NULL, which fits all.
    var type: PostgresType? {
        switch self {
        case .null: nil
        case .bool: .bool
        case .int: .int8
        case .double: .float8
        case .text: .text
        case .bytes: .bytea
        case .bools: .boolArray
        case .ints: .int8Array
        case .doubles: .float8Array
        case .texts: .textArray
        case .bytesList: .byteaArray
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    fileprivate mutating func append<Item>(
        array values: [Item?], of type: PostgresType, _ encode: (inout [UInt8], Item) -> Void
    ) {
        // An empty array has no dimension.
        append(bigEndian: Int32(values.isEmpty ? 0 : 1))
        append(bigEndian: Int32(values.contains { $0 == nil } ? 1 : 0))
        append(bigEndian: type.rawValue)
        guard !values.isEmpty else { return }
        append(bigEndian: Int32(clamping: values.count))
        append(bigEndian: Int32(1))
        for value in values {
            guard let value else {
                append(bigEndian: Int32(-1))
                continue
            }
            let start = count
            append(bigEndian: Int32(0))
            encode(&self, value)
            Swift.withUnsafeBytes(of: Int32(clamping: count - start - 4).bigEndian) { length in
                replaceSubrange(start..<start + 4, with: length)
            }
        }
    }
}
