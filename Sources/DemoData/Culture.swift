/// The names and sentences from which people, posts and restaurants are made.
struct Culture: Sendable {
    let names: PersonNames
    let sentences: Sentences
}

/// How people are called.
struct PersonNames: Sendable, Decodable {
    /// What is between the parts of a name, and whether the family's comes first.
    var gap: String
    var familyFirst: Bool
    /// Given names, and family names.
    var given: [String]
    var family: [String]

    /// What is wrong with them; nil where nothing is.
    var fault: String? {
        for (key, list) in [("given", given), ("family", family)] where !list.hasTexts {
            return "'\(key)' has no text, or an empty one"
        }
        return nil
    }

    /// A full name.
    func name(_ random: inout SplitMix64) -> (full: String, given: String, family: String) {
        let given = random.pick(given)
        let family = random.pick(family)
        return (familyFirst ? family + gap + given : given + gap + family, given, family)
    }
}

/// What is written in one language. Texts may hold `{city}`, `{year}`, `{n}` (a small number), `{given}` and
/// `{family}`.
struct Sentences: Sendable, Decodable {
    /// About how many characters a text has: some scripts say more with one.
    var textLength: Int
    /// What is between sentences.
    var gap: String
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

    /// What is wrong with them; nil where nothing is.
    var fault: String? {
        guard (1...1_000).contains(textLength) else { return "'textLength' is not from 1 to 1000" }
        for (key, list) in [
            ("bio", bio), ("titles", titles), ("posts", posts), ("restaurants", restaurants),
            ("cuisines", cuisines), ("descriptions", descriptions), ("streets", streets),
        ] {
            guard list.hasTexts else { return "'\(key)' has no text, or an empty one" }
            if let text = list.first(where: { !Slots.areKnown(in: $0) }) {
                return
                    "'\(text)' has braces around something that is none of \(Slots.names.joined(separator: ", "))"
            }
        }
        return nil
    }

    /// Different sentences of a list, one after the other, until the text is long enough.
    func text(_ sentences: [String], length: Int, slots: Slots, _ random: inout SplitMix64) -> String {
        var left = sentences
        var text = ""
        while text.count < length, !left.isEmpty {
            let sentence = slots.fill(left.remove(at: random.below(left.count)), &random)
            text += text.isEmpty ? sentence : gap + sentence
        }
        return text
    }
}

/// What the slots of a sentence stand for.
struct Slots {
    static let names = ["city", "year", "n", "given", "family"]

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

    /// Whether all braces of a text are around names of slots.
    static func areKnown(in text: String) -> Bool {
        var text = text
        for name in names { text = text.replacing("{\(name)}", with: "") }
        return !text.contains("{") && !text.contains("}")
    }
}

extension [String] {
    /// Whether there are texts, none of them empty.
    fileprivate var hasTexts: Bool { !isEmpty && allSatisfy { !$0.isEmpty } }
}
