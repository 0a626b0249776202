/// A text with its lines, so that an error can show its place.
struct SourceText: Sendable {
    let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }

    /// The line and the column of a byte, in characters counted from 1, and the text of the line.
    ///
    /// Lines end with a line feed, a carriage return, or both.
    func place(of offset: Int) -> (line: Int, column: Int, text: String) {
        let end = min(max(offset, 0), bytes.count)
        var line = 1
        var start = 0
        var position = 0
        while position < end {
            let byte = bytes[position]
            position += 1
            guard byte == 0x0A || byte == 0x0D else { continue }
            if byte == 0x0D, position < bytes.count, bytes[position] == 0x0A {
                guard position < end else { break }
                position += 1
            }
            line += 1
            start = position
        }
        // A mark of the byte order is no column.
        if start == 0, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { start = min(3, bytes.count) }
        let lineEnd = bytes[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
        let column = String(decoding: bytes[min(start, end)..<end], as: UTF8.self).count + 1
        return (line, column, String(decoding: bytes[start..<lineEnd], as: UTF8.self))
    }
}
