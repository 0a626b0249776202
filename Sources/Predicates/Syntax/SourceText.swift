/// A format string, and the way from a byte in it to a line and a column.
struct SourceText {
    let text: String
    let bytes: [UInt8]

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    /// A position as people count: both numbers start at 1, columns are characters.
    struct Place {
        let line: Int
        let column: Int
        let lineText: String
    }

    /// The position of a byte.
    func place(of offset: Int) -> Place {
        let offset = min(offset, bytes.count)
        let newline = UInt8(ascii: "\n")
        let lineStart = bytes[..<offset].lastIndex(of: newline).map { $0 + 1 } ?? 0
        let lineEnd = bytes[offset...].firstIndex(of: newline) ?? bytes.count
        return Place(
            line: bytes[..<offset].count { $0 == newline } + 1,
            column: String(decoding: bytes[lineStart..<offset], as: UTF8.self).count + 1,
            lineText: String(decoding: bytes[lineStart..<lineEnd], as: UTF8.self))
    }

    /// The character that begins at a byte.
    func character(at offset: Int) -> String {
        String(decoding: bytes[min(offset, bytes.count)...].prefix(32), as: UTF8.self).first.map(String.init)
            ?? ""
    }
}
