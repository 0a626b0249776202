/// Finds the word that somebody meant.
enum SpellingHint {
    /// The one of the words that is nearest to what was written, in any case; nil where none is near.
    ///
    /// Near is one slip of the finger, two for words of six letters or more.
    static func nearest(to written: String, in words: [String]) -> String? {
        let written = written.uppercased()
        let slips = written.utf8.count < 6 ? 1 : 2
        guard written.utf8.count <= longest else { return nil }
        let found = words.map { ($0, distance(Array(written.utf8), Array($0.utf8))) }
            .filter { $0.1 <= slips }.min { $0.1 < $1.1 }
        return found?.0
    }

    /// No keyword is longer, with the slips of one.
    private static let longest = 16

    /// How many letters have to be changed, put in, taken out or swapped with their neighbour.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var rows = [Array(0...right.count)]
        for i in left.indices {
            var row = [i + 1]
            for j in right.indices {
                let change = rows[i][j] + (left[i] == right[j] ? 0 : 1)
                var least = min(change, rows[i][j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    least = min(least, rows[i - 1][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
