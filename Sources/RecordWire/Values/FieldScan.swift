import Foundation

/// Finds the fields of a stored body without reading their values.
///
/// It knows the form in which ``RecordBody/make(_:)`` writes: no space between tokens, and the members in their order. Of any other form
/// it finds nothing, and whoever asks reads the body as JSON.
struct FieldScan {
    /// Where a field is in the body: its name with the quotes, its value, and both with what is between.
    struct Field {
        let name: Range<Int>
        let value: Range<Int>
        var all: Range<Int> { name.lowerBound..<value.upperBound }
    }

    /// The first byte after the brace that opens the fields.
    let start: Int
    /// The brace that closes them, once ``next()`` has given nil; nil where the body is of another form.
    private(set) var end: Int?
    private let body: UnsafeRawBufferPointer
    private var index: Int

    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    /// Begins with the first field; nil where the body is of another form.
    init?(_ body: UnsafeRawBufferPointer) {
        self.body = body
        guard let name = Self.pass("{\"recordName\":", in: body, at: 0),
            let type = Self.endOfString(in: body, at: name),
            let typeName = Self.pass(",\"recordType\":", in: body, at: type),
            let fields = Self.endOfString(in: body, at: typeName),
            let start = Self.pass(",\"fields\":{", in: body, at: fields)
        else { return nil }
        self.start = start
        index = start
    }

    /// The next field; nil after the last one, and where the body is of another form.
    mutating func next() -> Field? {
        guard index < body.count else { return nil }
        if body[index] == UInt8(ascii: "}") {
            end = index
            return nil
        }
        let first = index == start ? index : index + 1
        guard index == start || body[index] == UInt8(ascii: ","),
            let afterName = Self.endOfString(in: body, at: first),
            let value = Self.pass(":", in: body, at: afterName),
            let afterValue = Self.endOfField(in: body, at: value) ?? Self.endOfValue(in: body, at: value)
        else { return nil }
        index = afterValue
        return Field(name: first..<afterName, value: value..<afterValue)
    }

    /// Goes to the end of the fields without looking at those that are left.
    ///
    /// What follows them begins with a quote after a comma, which is in no text: there a backslash would be between.
    mutating func skipRest() {
        let rest = UnsafeRawBufferPointer(rebasing: body[index...])
        guard let found = Self.trailer.firstIndex(in: rest) else { return }
        index += found
        end = index
    }

    private static let trailer = ByteSearch("},\"pluginFields\":{")

    private static func pass(
        _ text: StaticString, in body: UnsafeRawBufferPointer, at index: Int
    ) -> Int? {
        let count = text.utf8CodeUnitCount
        guard index + count <= body.count, let base = body.baseAddress,
            memcmp(base + index, text.utf8Start, count) == 0
        else { return nil }
        return index + count
    }

    /// What follows the text that begins at an index.
    private static func endOfString(in body: UnsafeRawBufferPointer, at index: Int) -> Int? {
        guard let base = body.baseAddress, index < body.count, body[index] == quote else { return nil }
        var from = index + 1
        while from < body.count,
            let found = memchr(base + from, Int32(quote), body.count - from).map({
                UnsafeRawPointer($0) - base
            })
        {
            // A quote belongs to the text where an odd number of backslashes is before it.
            var slashes = found
            while slashes > from, body[slashes - 1] == backslash { slashes -= 1 }
            if (found - slashes).isMultiple(of: 2) { return found + 1 }
            from = found + 1
        }
        return nil
    }

    /// What follows the field's object that begins at an index; nil where it has more members than value and type.
    private static func endOfField(in body: UnsafeRawBufferPointer, at index: Int) -> Int? {
        guard let value = pass("{\"value\":", in: body, at: index),
            let comma = endOfValue(in: body, at: value),
            let type = pass(",\"type\":", in: body, at: comma),
            let brace = endOfString(in: body, at: type)
        else { return nil }
        return pass("}", in: body, at: brace)
    }

    /// What follows the value that begins at an index.
    private static func endOfValue(in body: UnsafeRawBufferPointer, at start: Int) -> Int? {
        var index = start
        var depth = 0
        while index < body.count {
            switch body[index] {
            case quote:
                guard let next = endOfString(in: body, at: index) else { return nil }
                index = next
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                index += 1
                continue
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // The end of what is around a number or a word.
                if depth == 0 { return index > start ? index : nil }
                depth -= 1
                index += 1
            case UInt8(ascii: ",") where depth == 0: return index > start ? index : nil
            default:
                index += 1
                continue
            }
            if depth == 0 { return index }
        }
        return nil
    }
}
