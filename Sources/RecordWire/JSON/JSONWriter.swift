/// Writes JSON text into bytes that grow.
///
/// The caller gives the structure; the writer sets the commas. A value or `begin…` in an object follows a
/// ``key(_:)``.
public struct JSONWriter: Sendable {
    /// What has been written.
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// Makes an empty writer with room for so many bytes.
    public init(reserving capacity: Int = 256) {
        bytes.reserveCapacity(capacity)
    }

    /// How far a text is written; ``rewind(to:)`` goes back there.
    public struct Mark: Sendable {
        fileprivate let count: Int
        fileprivate let needsComma: Bool
    }

    /// How far the text is written now.
    public var mark: Mark { Mark(count: bytes.count, needsComma: needsComma) }

    /// Takes back all that was written since a mark, which has to be of this text.
    public mutating func rewind(to mark: Mark) {
        assert(mark.count <= bytes.count)
        bytes.removeLast(max(0, bytes.count - mark.count))
        needsComma = mark.needsComma
    }

    /// The text of one value that the given closure writes.
    public static func text(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        write(&writer)
        return writer.bytes
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    /// Opens an object.
    public mutating func beginObject() {
        separate()
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
    }

    /// Closes an object.
    public mutating func endObject() {
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    /// Opens an array.
    public mutating func beginArray() {
        separate()
        bytes.append(UInt8(ascii: "["))
        needsComma = false
    }

    /// Closes an array.
    public mutating func endArray() {
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// Writes a member's name that needs no escape: one of the protocol's own.
    public mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a member's name that a client chose.
    public mutating func key(text name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    // The following are not generic on purpose: a generic function of another module is not specialised, and
    // would append a page byte by byte.

    /// Writes text that is JSON already.
    public mutating func raw(_ json: [UInt8]) {
        separate()
        bytes.append(contentsOf: json)
    }

    /// Writes text that is JSON already, straight from a row.
    public mutating func raw(_ json: UnsafeRawBufferPointer) {
        separate()
        bytes.append(contentsOf: json)
    }

    /// Appends the rest of a value whose beginning was written by `raw(_:)`.
    public mutating func continueRaw(_ json: [UInt8]) {
        bytes.append(contentsOf: json)
    }

    /// Appends the rest of a value whose beginning was written by `raw(_:)`, straight from a row.
    public mutating func continueRaw(_ json: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: json)
    }

    private mutating func raw(text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends one byte as it is.
    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    /// Takes the last byte back.
    mutating func removeLast() { bytes.removeLast() }

    /// Writes `null`.
    public mutating func null() { raw(text: "null") }

    /// Writes a truth value.
    public mutating func bool(_ value: Bool) { raw(text: value ? "true" : "false") }

    /// Writes an integer.
    public mutating func int(_ value: Int) { raw(text: String(value)) }

    /// Writes an integer.
    public mutating func int(_ value: Int64) { raw(text: String(value)) }

    /// Writes a number; one that JSON cannot carry (NaN, infinity) becomes null.
    public mutating func double(_ value: Double) {
        if !value.isFinite { return null() }
        if let int = Int64(exactly: value), int.magnitude < 1 << 53 {
            int == 0 && value.sign == .minus ? raw(text: "-0.0") : self.int(int)
        } else {
            raw(text: value.description)
        }
    }

    /// Writes text with what JSON wants escaped.
    public mutating func string(_ value: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { utf8 in
            // Runs without an escape are copied as they are.
            var start = 0
            for index in utf8.indices where utf8[index] < 0x20 || utf8[index] == 0x22 || utf8[index] == 0x5C {
                bytes.append(contentsOf: utf8[start..<index])
                escape(utf8[index])
                start = index + 1
            }
            bytes.append(contentsOf: utf8[start...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x22, 0x5C: bytes.append(byte)
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        default:
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(Self.hexDigits[Int(byte >> 4)])
            bytes.append(Self.hexDigits[Int(byte & 15)])
        }
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)

    /// A whole number beyond 64 bits without an exponent, so that it is read as one: the digits that tell it from its neighbours, then zeros.
    private static func digits(of value: Double) -> String {
        let parts = value.description.split(separator: "e+")
        guard parts.count == 2, let exponent = Int(parts[1]) else { return value.description }
        let halves = parts[0].split(separator: ".")
        let fraction = halves.count == 2 ? halves[1] : ""
        let zeros = String(repeating: "0", count: max(0, exponent - fraction.utf8.count))
        return "\(halves[0])\(fraction)\(zeros)"
    }

    /// Writes any value as it was read.
    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .int(let value): int(value)
        // A client may have put NaN or infinity into a tree, which JSON cannot carry.
        case .longInteger(let value): raw(text: Self.digits(of: value))
        case .double(let value): value.isFinite ? raw(text: value.description) : null()
        case .string(let value): string(value)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let object):
            beginObject()
            for (key, value) in object.members {
                self.key(text: key)
                self.value(value)
            }
            endObject()
        }
    }
}

extension JSONWriter {
    /// Writes a member with text, or nothing where there is none.
    public mutating func member(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        key(name)
        string(value)
    }

    /// Writes a member with a truth value, or nothing where there is none.
    public mutating func member(_ name: StaticString, _ value: Bool?) {
        guard let value else { return }
        key(name)
        bool(value)
    }

    /// Writes a member with an integer, or nothing where there is none.
    public mutating func member(_ name: StaticString, _ value: Int?) {
        guard let value else { return }
        key(name)
        int(value)
    }

    /// Writes a member with an integer, or nothing where there is none.
    public mutating func member(_ name: StaticString, _ value: Int64?) {
        guard let value else { return }
        key(name)
        int(value)
    }

    /// Writes a member with a list of texts, or nothing where there is none.
    public mutating func member(_ name: StaticString, _ values: [String]?) {
        guard let values else { return }
        key(name)
        beginArray()
        for value in values { string(value) }
        endArray()
    }
}
