import Foundation

/// How text is cut into words for token filters (Documentation/Protocol.md, 'Tokens of text').
///
/// One function for what is stored and for what is asked, so that both sides cannot differ.
public enum TextTokens {
    /// Words that carry no meaning of their own and are ignored.
    public static let ignoredWords: Set<String> = [
        "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no",
        "not",
        "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to",
        "was",
        "will", "with",
    ]

    /// The words of a text, without case and diacritics, without the ignored ones.
    public static func words(of text: String) -> Set<String> {
        let folded = text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
        let words = folded.split { !($0.isLetter || $0.isNumber) }
        return Set(words.lazy.map(String.init)).subtracting(ignoredWords)
    }
}
