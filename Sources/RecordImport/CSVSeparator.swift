/// The character that separates the cells of a CSV text, which the file itself does not name.
///
/// Spreadsheets write a semicolon where the comma is the decimal sign, and a tab when one copies cells.
package enum CSVSeparator {
    /// What a text may be separated by, the likeliest first.
    package static let candidates = [
        UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|"),
    ]

    /// The candidate that occurs most often in the heading outside of quotes; a comma where none does.
    package static func detect(in bytes: some Sequence<UInt8>) -> UInt8 {
        var counts: [UInt8: Int] = [:]
        var isQuoted = false
        var isBlank = true
        for byte in bytes.prefix(CSVReader.longestRow) {
            switch byte {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "\n") where !isQuoted, UInt8(ascii: "\r") where !isQuoted:
                if !isBlank { return best(counts) }
                continue
            default: if !isQuoted, candidates.contains(byte) { counts[byte, default: 0] += 1 }
            }
            isBlank = false
        }
        return best(counts)
    }

    private static func best(_ counts: [UInt8: Int]) -> UInt8 {
        let most = counts.values.max() ?? 0
        return candidates.first { counts[$0, default: 0] == most } ?? UInt8(ascii: ",")
    }
}
