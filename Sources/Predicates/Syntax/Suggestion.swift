/// Finds the word that was probably meant.
package enum Suggestion {
    /// What people write who know another language, and what it is called here.
    private static let synonyms: [String: String] = [
        "STARTSWITH": "BEGINSWITH", "HASPREFIX": "BEGINSWITH", "STARTS": "BEGINSWITH",
        "BEGINS": "BEGINSWITH", "HASSUFFIX": "ENDSWITH", "ENDS": "ENDSWITH", "IS": "==",
        "EQ": "==", "EQUALS": "==", "EQUAL": "==", "NE": "!=", "LT": "<", "GT": ">", "INCLUDES": "CONTAINS",
        "HAS": "CONTAINS", "REGEXP": "MATCHES", "REGEX": "MATCHES", "ILIKE": "LIKE[c]", "EVERY": "ALL",
    ]

    /// The nearest of the words, when it is near enough, or the name of what another language calls so.
    package static func nearest(to word: String, among words: [String]) -> String? {
        guard word.utf8.count <= SyntaxLimits.maximumSuggestionLength else { return nil }
        let wanted = word.uppercased()
        if let synonym = synonyms[wanted], words.contains(synonym) || words.contains("==") {
            return synonym
        }
        let limit = wanted.count <= 3 ? 1 : 2
        let measured = words.filter { $0.count > 1 }
            .map { (distance(wanted, $0.uppercased()), $0) }
            .filter { $0.0 <= limit && $0.0 < wanted.count }
        return measured.min { $0.0 < $1.0 }?.1
    }

    /// The number of inserted, deleted, replaced and swapped letters between two words.
    static func distance(_ first: String, _ second: String) -> Int {
        let left = Array(first.utf8)
        let right = Array(second.utf8)
        guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
        var rows = [Array(0...right.count)]
        for i in 1...left.count {
            var row = [i]
            for j in 1...right.count {
                let cost = left[i - 1] == right[j - 1] ? 0 : 1
                var best = min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + cost)
                if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
                    best = min(best, rows[i - 2][j - 2] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
