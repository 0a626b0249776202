/// A text with its lines, so that an error can show its position.
struct SchemaSource: Sendable {
    let bytes: [UInt8]
    /// Where each line begins: a position is found without reading the text from its start again.
    private let lineStarts: [Int]

    /// Lines end with a line feed, a carriage return, or both.
    init(_ text: String) {
        let bytes = Array(text.utf8)
        var starts = [0]
        for (index, byte) in bytes.enumerated() where byte == 0x0A || byte == 0x0D {
            let isFirstOfTwo = byte == 0x0D && index + 1 < bytes.count && bytes[index + 1] == 0x0A
            if !isFirstOfTwo { starts.append(index + 1) }
        }
        self.bytes = bytes
        lineStarts = starts
    }

    /// The line of a byte, counted from 1.
    func line(of offset: Int) -> Int {
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return low + 1
    }

    /// The most bytes after a position that are looked at to show its line.
    private static let shownBytes = 4_096

    /// The line and the column of a byte, in characters counted from 1, and what is before and after it on
    /// its line; of a long line's rest only the beginning.
    func place(of offset: Int) -> (line: Int, column: Int, before: String, after: String) {
        let end = min(max(offset, 0), bytes.count)
        let line = line(of: end)
        var start = lineStarts[line - 1]
        // A mark of the byte order is no column.
        if start == 0, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { start = min(3, bytes.count) }
        let before = String(decoding: bytes[min(start, end)..<end], as: UTF8.self)
        let rest = bytes[max(start, end)...].prefix(Self.shownBytes).prefix { $0 != 0x0A && $0 != 0x0D }
        return (line, before.count + 1, before, String(decoding: rest, as: UTF8.self))
    }
}
