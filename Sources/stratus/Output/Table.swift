import RecordWire

/// Rows under headings, laid out for a terminal of a certain width.
///
/// The layout is fixed by the rows it was made from, so that later pages of an answer stand below the first.
struct Table: Sendable {
    /// One column: its heading and the side to which its cells are aligned.
    struct Column: Sendable {
        var title: String
        var isNumber: Bool = false
    }

    private static let gap = "  "
    /// No column is cut below this, also when the table then is wider than the terminal.
    private static let narrowest = 6

    private let columns: [Column]
    private let widths: [Int]

    /// Lays out columns for some rows; nil leaves the cells whole, which suits files and pipes.
    init(_ columns: [Column], rows: [[String]], width: Int?) {
        self.columns = columns
        let natural = columns.indices.map { index in
            rows.reduce(TextWidth.of(columns[index].title)) { widest, row in
                max(widest, index < row.count ? TextWidth.of(Self.flat(row[index])) : 0)
            }
        }
        widths = width.map { Self.fit(natural, into: $0) } ?? natural
    }

    /// The heading.
    var header: String { render(columns.map(\.title), cuts: true) }

    /// One row as a line.
    func line(_ row: [String]) -> String { render(row.map(Self.flat), cuts: true) }

    /// All of it.
    static func text(_ columns: [Column], rows: [[String]], width: Int?) -> String {
        let table = Table(columns, rows: rows, width: width)
        return ([table.header] + rows.map(table.line)).joined(separator: "\n")
    }

    private func render(_ cells: [String], cuts: Bool) -> String {
        var line = ""
        for index in columns.indices {
            let cell = TextWidth.truncate(index < cells.count ? cells[index] : "", to: widths[index])
            if index > 0 { line += Self.gap }
            let isLast = index == columns.count - 1 && !columns[index].isNumber
            line += isLast ? cell : TextWidth.pad(cell, to: widths[index], right: columns[index].isNumber)
        }
        return line
    }

    /// Takes from the widest columns until all fit.
    private static func fit(_ natural: [Int], into width: Int) -> [Int] {
        var widths = natural
        var excess = widths.reduce(0, +) + gap.count * max(0, widths.count - 1) - width
        while excess > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
            widths[widest] > narrowest
        {
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }

    /// The cell on one line and without what would move the cursor.
    private static func flat(_ cell: String) -> String {
        if cell.utf8.allSatisfy(HarmlessText.isPlain) { return cell }
        return HarmlessText.escaped(String(cell.map { $0.isNewline || $0 == "\t" ? " " : $0 }))
    }
}
