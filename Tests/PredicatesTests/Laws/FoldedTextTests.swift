import Predicates
import TestSeeds
import Testing

/// CONTAINS and LIKE find what a reader who tries every place finds.
@Suite struct FoldedTextTests {
    private static let alphabet: [String] = [
        "a", "b", "A", "ab", "aab", "é", "e", "e\u{301}", "\u{301}", "\r\n", "\r", "\n", "日", "👨‍👩‍👧", "👍🏽", "ß",
        "\u{200D}", "\0",
        "ǆ", "İ",
    ]
    private static let optionSets: [PredicateOptions] = [
        [], [.caseInsensitive], [.diacriticInsensitive], [.caseInsensitive, .diacriticInsensitive],
    ]

    /// The rule, tried at each place: characters are equal where their bytes are.
    private static func isLike(_ text: ArraySlice<Character>, _ pattern: ArraySlice<Character>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = pattern.dropFirst()
        switch first {
        case "*": return (text.startIndex...text.endIndex).contains(where: { isLike(text[$0...], rest) })
        case "?": return !text.isEmpty && isLike(text.dropFirst(), rest)
        case "\\" where !rest.isEmpty:
            return has(text, rest.first) && isLike(text.dropFirst(), rest.dropFirst())
        default: return has(text, first) && isLike(text.dropFirst(), rest)
        }
    }

    private static func has(_ text: ArraySlice<Character>, _ wanted: Character?) -> Bool {
        guard let first = text.first, let wanted else { return false }
        return first.utf8.elementsEqual(wanted.utf8)
    }

    private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        part.isEmpty || text.indices.contains(where: { text[$0...].starts(with: part) })
    }

    @Test(arguments: Seed.some(20)) func `Whatever is looked for is found where it is, and only there`(
        _ seed: Seed
    ) {
        var random = seed.random
        var found = 0
        for _ in 0..<400 {
            let letters = random.int(0...1) == 0 ? Array(Self.alphabet.prefix(5)) : Self.alphabet
            let text = (0..<random.int(0...9)).map { _ in random.pick(letters, else: "") }.joined()
            let pattern = (0..<random.int(0...6)).map { _ in
                random.pick(letters + ["*", "*", "?", "\\"], else: "")
            }.joined()
            let part = (0..<random.int(0...3)).map { _ in random.pick(letters, else: "") }.joined()
            for options in Self.optionSets {
                let folded = FoldedText(text, options: options)
                let (plain, wanted) = (
                    StringFolding.fold(text, options: options), StringFolding.fold(pattern, options: options)
                )
                let isLike = Self.isLike(Array(plain)[...], Array(wanted)[...])
                let (foundLike, foundPart) = (folded.isLike(pattern), folded.contains(part))
                #expect(
                    foundLike == isLike, "\(seed): \(text.debugDescription) LIKE \(pattern.debugDescription)")
                if isLike { found += 1 }
                let contains = Self.contains(
                    Array(plain.utf8), Array(StringFolding.fold(part, options: options).utf8))
                #expect(
                    foundPart == contains,
                    "\(seed): \(text.debugDescription) CONTAINS \(part.debugDescription)")
            }
        }
        #expect(found > 0, "\(seed)")
    }

    @Test func `A pattern that almost fits everywhere takes as long as the text, not as their product`() {
        let text = FoldedText(String(repeating: "a", count: 200_000) + "c", options: [])
        let long = String(repeating: "a", count: 1_000)
        let wild = String(repeating: "?a", count: 500)
        for pattern in ["*\(long)b*", "*\(wild)b*", "*\(long)*\(long)b*", "\(long)*b"] {
            var checks = 0
            let isLike = text.isLike(pattern) { checks += 1 }
            #expect(!isLike)
            // A check for each 16,384 steps; the product would be 12,000 of them.
            #expect(checks <= 400, "\(pattern.prefix(10)): \(checks)")
        }
        let found = [text.contains(long + "b"), text.isLike("*\(long)c"), text.isLike("a*\(wild)*c")]
        #expect(found == [false, true, true])
    }

    @Test func `What ends the work is thrown`() {
        struct Over: Error {}
        let text = FoldedText(String(repeating: "ä", count: 100_000), options: [.caseInsensitive])
        #expect(throws: Over.self) { try text.isLike("*x*") { throw Over() } }
        #expect(throws: Over.self) { try text.isLike("*x?*") { throw Over() } }
        #expect(throws: Over.self) { try text.contains("x") { throw Over() } }
    }
}
