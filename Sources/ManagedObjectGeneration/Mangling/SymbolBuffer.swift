/// The text of one symbol while it is built, with what later parts of it may refer back to.
///
/// The rules are those of the compiler's documentation, docs/ABI/Mangling.rst: an identifier, a type or a
/// word that occurred before is written as a reference, and neighbouring references are merged.
struct SymbolBuffer {
    /// What a symbol can refer back to.
    enum Key: Hashable {
        case identifier(String)
        case type(ResolvedType)
    }

    /// The symbol so far.
    private(set) var text: [UInt8]
    private var substitutions: [Key: Int] = [:]
    private var words: [[UInt8]] = []
    private var lastReference: Reference?

    /// The reference at the end of the text, if the last thing written was one.
    private struct Reference {
        var start: Int
        var end: Int
        var count: Int
        var isStandard: Bool
    }

    /// The longest run that one merged reference may stand for.
    private static let longestRun = 2048
    /// The compiler numbers words with the 26 letters.
    private static let wordLimit = 26

    init(prefix: String) {
        text = Array(prefix.utf8)
    }

    /// Appends operators as they are.
    mutating func append(_ operators: String) {
        text.append(contentsOf: operators.utf8)
    }

    /// Makes what was just written available to later references.
    mutating func remember(_ key: Key) {
        if substitutions[key] == nil { substitutions[key] = substitutions.count }
    }

    /// Writes a reference to something remembered; false if it is unknown.
    mutating func appendReference(to key: Key) -> Bool {
        guard let index = substitutions[key] else { return false }
        guard index < 26 else {
            append("A" + (index == 26 ? "_" : "\(index - 27)_"))
            return true
        }
        appendMerging(letter: UInt8(ascii: "A") + UInt8(index), operator: "A", isStandard: false)
        return true
    }

    /// Writes one of the standard library's types that have a letter of their own.
    mutating func appendStandardType(letter: UInt8) {
        appendMerging(letter: letter, operator: "S", isStandard: true)
    }

    /// `AA` followed by `AB` becomes `AaB`, `Si` followed by `Si` becomes `S2i`.
    private mutating func appendMerging(letter: UInt8, operator name: String, isStandard: Bool) {
        if var last = lastReference, last.end == text.count, last.isStandard == isStandard,
            last.count < Self.longestRun, let lastLetter = text.last
        {
            if lastLetter == letter {
                last.count += 1
                text.removeSubrange(last.start...)
                text.append(contentsOf: String(last.count).utf8)
                text.append(letter)
                last.end = text.count
                lastReference = last
                return
            }
            if !isStandard {
                text[text.count - 1] = lastLetter | 0x20
                text.append(letter)
                lastReference = Reference(
                    start: text.count - 1, end: text.count, count: 1, isStandard: false)
                return
            }
        }
        append(name)
        text.append(letter)
        lastReference = Reference(
            start: text.count - 1, end: text.count, count: 1, isStandard: isStandard)
    }

    /// Writes an identifier, or a reference to it.
    mutating func appendIdentifier(_ identifier: String) {
        guard !appendReference(to: .identifier(identifier)) else { return }
        remember(.identifier(identifier))
        let characters = Array(identifier.utf8)
        if characters.contains(where: { !Self.isSymbolCharacter($0) }) {
            let encoded = Punycode.encode(identifier)
            append("00\(encoded.count)")
            if let first = encoded.first, Self.isDigit(first) || first == UInt8(ascii: "_") {
                append("_")
            }
            text.append(contentsOf: encoded)
        } else {
            appendWords(of: characters)
        }
    }

    /// Splits an identifier into words and replaces those that occurred before.
    private mutating func appendWords(of identifier: [UInt8]) {
        var replacements: [(start: Int, word: Int)] = []
        var wordStart: Int?
        for position in 0...identifier.count {
            let character = position < identifier.count ? identifier[position] : 0
            if let start = wordStart, Self.isWordEnd(character, after: identifier[position - 1]) {
                let word = Array(identifier[start..<position])
                if let index = words.firstIndex(of: word) {
                    replacements.append((start, index))
                } else if word.count >= 2, words.count < Self.wordLimit {
                    words.append(word)
                }
                wordStart = nil
            }
            if wordStart == nil, Self.isWordStart(character) { wordStart = position }
        }
        if !replacements.isEmpty { append("0") }
        var position = 0
        for (number, replacement) in replacements.enumerated() {
            appendLiteral(identifier[position..<replacement.start])
            position = replacement.start + words[replacement.word].count
            let isLast = number == replacements.count - 1
            text.append(UInt8(ascii: isLast ? "A" : "a") + UInt8(replacement.word))
            if isLast, position == identifier.count { append("0") }
        }
        appendLiteral(identifier[position...])
    }

    private mutating func appendLiteral(_ characters: ArraySlice<UInt8>) {
        guard !characters.isEmpty else { return }
        append(String(characters.count))
        text.append(contentsOf: characters)
    }
}

extension SymbolBuffer {
    static func isDigit(_ character: UInt8) -> Bool { character >= 0x30 && character <= 0x39 }

    static func isUpper(_ character: UInt8) -> Bool { character >= 0x41 && character <= 0x5A }

    /// What a symbol may hold without Punycode.
    static func isSymbolCharacter(_ character: UInt8) -> Bool {
        isDigit(character) || isUpper(character) || (character >= 0x61 && character <= 0x7A)
            || character == UInt8(ascii: "_") || character == UInt8(ascii: "$")
    }

    private static func isWordStart(_ character: UInt8) -> Bool {
        !isDigit(character) && character != UInt8(ascii: "_") && character != 0
    }

    private static func isWordEnd(_ character: UInt8, after previous: UInt8) -> Bool {
        character == UInt8(ascii: "_") || character == 0 || (!isUpper(previous) && isUpper(character))
    }
}
