/// The limits that keep hostile text from using up the stack.
enum SyntaxLimits {
    /// How deep parentheses, prefixes and chains of arithmetic may nest. Reading, printing, comparing,
    /// evaluating and freeing a tree all recurse, so the limit is far below what the smallest thread's
    /// stack could take in an unoptimised build.
    static let maximumDepth = 128
    /// The number of letters of a word that are looked at for 'did you mean'.
    static let maximumSuggestionLength = 24
}
