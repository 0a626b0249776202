/// Numbers as spreadsheets write them in most of Europe: `1234,5` or `1.234,5`.
package enum DecimalComma {
    /// Whether cells are written so: one has a comma as its decimal sign, and none a point that could be one.
    package static func isUsed(in rows: [ImportRow]) -> Bool {
        var isUsed = false
        for row in rows {
            guard case .cells(let cells) = row.content else { continue }
            for cell in cells {
                if cell.wholeMatch(of: /-?[0-9]+\.[0-9]+/) != nil, point(cell) == nil { return false }
                if cell.contains(","), point(cell) != nil { isUsed = true }
            }
        }
        return isUsed
    }

    /// The number with a point and without marks between thousands; nil for other texts.
    package static func point(_ cell: String) -> String? {
        let isNumber =
            cell.wholeMatch(of: /-?[0-9]+,[0-9]+/) != nil
            || cell.wholeMatch(of: /-?[1-9][0-9]{0,2}(\.[0-9]{3})+(,[0-9]+)?/) != nil
        guard isNumber else { return nil }
        return String(cell.compactMap { $0 == "." ? nil : $0 == "," ? "." : $0 })
    }
}
