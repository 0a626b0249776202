/// Reads CSV (RFC 4180) from bytes that come in pieces of any size, in memory that one row needs.
///
/// Beyond the RFC it takes what is met in practice: a byte order mark, line ends of all three kinds, blank lines,
/// and a quote inside a cell that does not begin with one.
package struct CSVReader: RowReader {
    private enum State {
        case rowStart, cellStart, plain, quoted
        /// Behind a quote in a quoted cell: its end, or the first of two.
        case quoteSeen
        /// Behind a carriage return that ends a row; a line feed would belong to it.
        case returnSeen
        /// The row cannot be read; its rest is passed over.
        case broken(String)
    }

    private static let quote = UInt8(ascii: "\"")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    /// A longer row is an unclosed quote that would swallow the file.
    package static let longestRow = 8_388_608
    /// The lines of a file that rows may begin on, far from where counting would end.
    package static let lines = 1...(1 << 40)

    private let separator: UInt8
    private var state = State.rowStart
    private var cells: [String] = []
    private var cell: [UInt8] = []
    private var rowBytes = 0
    private var badCell: Int?
    private var hasQuotes = false
    private var markLeft: ArraySlice<UInt8>
    private var offset: Int64
    private var line: Int
    private var rowLine: Int

    /// Starts at the beginning of a file, or after a row; a line beyond ``lines`` counts as the last of them.
    package init(separator: UInt8 = UInt8(ascii: ","), offset: Int64 = 0, line: Int = 1) {
        self.separator = separator
        self.offset = offset
        self.line = Self.lines.clamped(line)
        rowLine = self.line
        // A later part of a file may begin with text that looks like one.
        markLeft = offset == 0 && line == 1 ? Self.byteOrderMark[...] : []
    }

    package mutating func read(_ bytes: some Collection<UInt8>, into rows: inout [ImportRow]) {
        for byte in bytes { take(byte, &rows) }
    }

    package mutating func finish(into rows: inout [ImportRow]) {
        switch state {
        case .quoted: state = .broken("The quote that opens a cell is never closed.")
        default: break
        }
        endRow(&rows)
    }

    private mutating func take(_ byte: UInt8, _ rows: inout [ImportRow]) {
        if case .returnSeen = state {
            if byte == Self.lineFeed {
                offset += 1
                return endRow(&rows)
            }
            endRow(&rows)
        }
        offset += 1
        if let expected = markLeft.first {
            markLeft = byte == expected ? markLeft.dropFirst() : []
            if byte == expected { return }
        }
        rowBytes += 1
        if rowBytes == Self.longestRow {
            state = .broken("The row is longer than \(Self.longestRow) bytes; a quote may be missing.")
        }
        switch state {
        case .rowStart, .cellStart: start(byte, &rows)
        case .plain: plain(byte, &rows)
        case .quoted: quoted(byte)
        case .quoteSeen: afterQuote(byte, &rows)
        case .broken: passOver(byte, &rows)
        case .returnSeen: break
        }
    }

    private mutating func start(_ byte: UInt8, _ rows: inout [ImportRow]) {
        if byte == Self.quote {
            hasQuotes = true
            state = .quoted
        } else {
            plain(byte, &rows)
        }
    }

    private mutating func plain(_ byte: UInt8, _ rows: inout [ImportRow]) {
        switch byte {
        case separator:
            endCell()
            state = .cellStart
        case Self.lineFeed:
            line += 1
            endRow(&rows)
        case Self.carriageReturn:
            line += 1
            state = .returnSeen
        default:
            cell.append(byte)
            state = .plain
        }
    }

    private mutating func quoted(_ byte: UInt8) {
        if byte == Self.quote {
            state = .quoteSeen
            return
        }
        if byte == Self.lineFeed { line += 1 }
        cell.append(byte)
    }

    private mutating func afterQuote(_ byte: UInt8, _ rows: inout [ImportRow]) {
        switch byte {
        case Self.quote:
            cell.append(byte)
            state = .quoted
        case separator, Self.lineFeed: plain(byte, &rows)
        case Self.carriageReturn:
            line += 1
            state = .returnSeen
        default: state = .broken("Cell \(cells.count + 1) goes on after its closing quote.")
        }
    }

    private mutating func passOver(_ byte: UInt8, _ rows: inout [ImportRow]) {
        guard byte == Self.lineFeed else { return }
        line += 1
        endRow(&rows)
    }

    private mutating func endRow(_ rows: inout [ImportRow]) {
        if case .broken(let reason) = state {
            append(.malformed(reason), to: &rows)
        } else if hasQuotes || !cell.isEmpty || !cells.isEmpty {
            endCell()
            if let badCell {
                append(.malformed("Cell \(badCell) is not valid UTF-8."), to: &rows)
            } else {
                append(.cells(cells), to: &rows)
            }
        }
        state = .rowStart
        cells.removeAll(keepingCapacity: true)
        cell.removeAll(keepingCapacity: true)
        rowBytes = 0
        badCell = nil
        hasQuotes = false
        rowLine = line
    }

    private func append(_ content: ImportRow.Content, to rows: inout [ImportRow]) {
        rows.append(ImportRow(line: rowLine, end: offset, nextLine: line, content: content))
    }

    private mutating func endCell() {
        if let text = String(validating: cell, as: UTF8.self) {
            cells.append(text)
        } else {
            badCell = badCell ?? cells.count + 1
            cells.append("")
        }
        cell.removeAll(keepingCapacity: true)
    }
}

extension ClosedRange {
    /// The bound that is nearest to a value outside.
    func clamped(_ value: Bound) -> Bound { Swift.min(Swift.max(value, lowerBound), upperBound) }
}
