/// The limits that keep hostile text from using up the stack.
enum SyntaxLimits {
    /// How many levels a tree may have. Printing, comparing, evaluating and freeing a tree all recurse.
    static let maximumDepth = 48
    /// How deep the text may nest while it is read. One level of a tree takes up to two levels of text,
    /// an operand and its parenthesis, so that every tree that was read can be printed and read again.
    /// A stack of 2 MB is enough in an unoptimised build, which a test checks; threads on Linux have 8 MB.
    static let maximumNesting = 100
    /// The number of letters of a word that are looked at for 'did you mean'.
    static let maximumSuggestionLength = 24
}
