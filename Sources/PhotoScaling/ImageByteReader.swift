/// Reads numbers from bytes that may end anywhere.
struct ImageByteReader {
    enum Order {
        case big, little
    }

    private let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var count: Int { bytes.count }

    /// The number of one to four bytes at a position; nil past the end.
    func number(at offset: Int, bytes length: Int, _ order: Order) -> Int? {
        guard offset >= 0, offset <= count - length else { return nil }
        let start = bytes.startIndex + offset
        var value = 0
        for index in 0..<length {
            let byte = Int(bytes[start + (order == .big ? index : length - 1 - index)])
            value = value << 8 | byte
        }
        return value
    }

    func byte(at offset: Int) -> UInt8? { number(at: offset, bytes: 1, .big).map { UInt8($0) } }

    /// Whether some bytes are at a position.
    func has(_ text: String, at offset: Int = 0) -> Bool {
        let wanted = Array(text.utf8)
        guard offset >= 0, offset <= count - wanted.count else { return false }
        return bytes.dropFirst(offset).prefix(wanted.count).elementsEqual(wanted)
    }

    /// The bytes from a position on, at most so many.
    func part(from offset: Int, length: Int = .max) -> ImageByteReader {
        ImageByteReader(bytes.dropFirst(max(0, offset)).prefix(max(0, length)))
    }
}
