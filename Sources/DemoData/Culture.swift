/// The names and sentences of one language, from which people, posts and restaurants are made.
///
/// Sentences may hold `{city}`, `{year}`, `{n}` (a small number), `{given}` and `{family}`.
struct Culture: Sendable {
    /// Given names, and family names.
    var given: [String]
    var family: [String]
    /// What is between the parts of a name, and whether the family's comes first.
    var nameGap = " "
    var familyFirst = false
    /// About how many characters a text has: some scripts say more with one.
    var textLength = 190
    /// What is between sentences.
    var sentenceGap = " "
    /// Sentences that players write about themselves.
    var bio: [String]
    /// Titles and sentences of posts.
    var titles: [String]
    var posts: [String]
    /// Names, kinds and descriptions of restaurants, and streets they stand in.
    var restaurants: [String]
    var cuisines: [String]
    var descriptions: [String]
    var streets: [String]

    /// A full name.
    func name(_ random: inout SplitMix64) -> (full: String, given: String, family: String) {
        let given = random.pick(given)
        let family = random.pick(family)
        return (familyFirst ? family + nameGap + given : given + nameGap + family, given, family)
    }

    /// Different sentences of a list, one after the other, until the text is long enough.
    func text(_ sentences: [String], length: Int, slots: Slots, _ random: inout SplitMix64) -> String {
        var left = sentences
        var text = ""
        while text.count < length, !left.isEmpty {
            let sentence = slots.fill(left.remove(at: random.below(left.count)), &random)
            text += text.isEmpty ? sentence : sentenceGap + sentence
        }
        return text
    }
}

/// What the slots of a sentence stand for.
struct Slots {
    var city: String
    var year: Int
    var given: String
    var family: String

    /// The sentence with its slots filled.
    func fill(_ sentence: String, _ random: inout SplitMix64) -> String {
        guard sentence.utf8.contains(UInt8(ascii: "{")) else { return sentence }
        var result = ""
        var rest = sentence[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            result += rest[..<open]
            switch rest[rest.index(after: open)..<close] {
            case "city": result += city
            case "year": result += String(year - 1 - random.below(12))
            case "given": result += given
            case "family": result += family
            default: result += String(2 + random.below(18))
            }
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }
}
