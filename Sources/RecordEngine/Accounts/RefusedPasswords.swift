/// Passwords that nobody may choose, besides those that everybody tries: the operator's words, and a list of what was stolen
/// elsewhere.
public struct RefusedPasswords: Sendable {
    /// Words that belong to the organization: names of it, of products, projects and systems. A password that is made of
    /// such words, with digits and signs around them perhaps, is refused.
    public var words: [String]
    /// Whether a list has a password.
    ///
    /// - Throws: what keeps the list from being read.
    public var isListed: @Sendable (_ password: String) throws -> Bool

    /// Collects them.
    ///
    /// - Parameters:
    ///   - words: the operator's words.
    ///   - isListed: whether a list has a password; what it throws, who chooses one is told as a failure.
    public init(
        words: [String] = [],
        isListed: @escaping @Sendable (_ password: String) throws -> Bool = { _ in false }
    ) {
        self.words = words
        self.isListed = isListed
    }
}
