/// Writes numbers and texts as bytes; small numbers take one.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    /// A number in groups of seven bits, the lowest first.
    mutating func number(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func text(_ text: String) {
        number(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// A text that may be missing.
    mutating func text(_ text: String?) {
        number(text == nil ? 0 : 1)
        if let text { self.text(text) }
    }

    mutating func raw(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }
}

/// The bytes are not what a ``ByteWriter`` wrote.
struct DamagedHistory: Error, CustomStringConvertible {
    var description: String { "it is damaged" }
}

/// Reads what a ``ByteWriter`` wrote, and nothing beyond its end.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func number() throws(DamagedHistory) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = rest.popFirst() else { throw DamagedHistory() }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw DamagedHistory()
    }

    /// A number that is not above a limit.
    mutating func count(upTo limit: Int) throws(DamagedHistory) -> Int {
        let value = try number()
        guard value <= UInt64(limit) else { throw DamagedHistory() }
        return Int(value)
    }

    mutating func raw(_ count: Int) throws(DamagedHistory) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw DamagedHistory() }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func text() throws(DamagedHistory) -> String {
        let length = try count(upTo: rest.count)
        return String(decoding: try raw(length), as: UTF8.self)
    }

    mutating func optionalText() throws(DamagedHistory) -> String? {
        try count(upTo: 1) == 1 ? try text() : nil
    }
}
