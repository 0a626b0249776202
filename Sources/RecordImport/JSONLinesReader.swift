import RecordModel
import RecordWire

/// Reads JSON Lines (one object on each line) from bytes that come in pieces of any size.
package struct JSONLinesReader: RowReader {
    private static let lineFeed = UInt8(ascii: "\n")
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private var bytes: [UInt8] = []
    private var length = 0
    private var offset: Int64
    private var line: Int

    /// Starts at the beginning of a file, or after a line; a line beyond ``CSVReader/lines`` counts as the last.
    package init(offset: Int64 = 0, line: Int = 1) {
        self.offset = offset
        self.line = CSVReader.lines.clamped(line)
    }

    package mutating func read(_ input: some Collection<UInt8>, into rows: inout [ImportRow]) {
        for byte in input {
            offset += 1
            if byte == Self.lineFeed {
                endLine(&rows)
            } else {
                length += 1
                // What is longer than a record can be is counted, but not kept.
                if length <= CSVReader.longestRow { bytes.append(byte) }
            }
        }
    }

    package mutating func finish(into rows: inout [ImportRow]) {
        if length > 0 { endLine(&rows) }
    }

    private mutating func endLine(_ rows: inout [ImportRow]) {
        let content = content()
        line += 1
        if let content {
            rows.append(ImportRow(line: line - 1, end: offset, nextLine: line, content: content))
        }
        bytes.removeAll(keepingCapacity: true)
        length = 0
    }

    private func content() -> ImportRow.Content? {
        guard length <= CSVReader.longestRow else {
            return .malformed("The line is longer than \(CSVReader.longestRow) bytes.")
        }
        let isFirst = line == 1 && bytes.starts(with: Self.byteOrderMark)
        let text = isFirst ? bytes.dropFirst(Self.byteOrderMark.count) : bytes[...]
        guard text.contains(where: { !Self.isBlank($0) }) else { return nil }
        do {
            guard
                let object = try JSONReader.read(
                    text, maximumDepth: Limits.jsonDepth, refusesLongIntegers: true
                ).object
            else {
                return .malformed("The line is JSON, but not an object.")
            }
            return .object(object)
        } catch {
            return .malformed(error.description)
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}
