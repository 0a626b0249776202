extension PredicateTree {
    /// Reads a format string and puts the arguments in the places of `%@`, `%K`, `%d` and so on.
    ///
    /// Takes time in proportion to the length of the text and never traps: whatever is wrong with the
    /// text or the arguments is an error that names line and column. Arguments beyond the last `%` are
    /// ignored, as Apple's parser does. Source of the grammar: Apple's "Predicate Format String Syntax".
    ///
    /// ```swift
    /// let tree = try PredicateTree(parsing: "%K == %@", arguments: ["name", "Ada"])
    /// ```
    ///
    /// - Throws: ``PredicateFormatError`` with the position and a remedy.
    public init(parsing text: String, arguments: [Any?] = []) throws(PredicateFormatError) {
        var parser = try PredicateParser(text, arguments: .values(arguments))
        self = try parser.parsePredicateText()
    }

    /// Reads a format string and leaves its arguments as ``ExpressionTree/argument(_:)`` and
    /// ``ExpressionTree/memberArgument(_:_:)``.
    ///
    /// Never traps; the error names line and column.
    ///
    /// - Throws: ``PredicateFormatError`` with the position and a remedy.
    public init(template text: String) throws(PredicateFormatError) {
        var parser = try PredicateParser(text, arguments: .template)
        self = try parser.parsePredicateText()
    }
}

extension ExpressionTree {
    /// Reads an expression such as `a + 1` or `items.@count`, with arguments as in a predicate.
    ///
    /// Never traps; the error names line and column.
    ///
    /// - Throws: ``PredicateFormatError`` with the position and a remedy.
    public init(parsing text: String, arguments: [Any?] = []) throws(PredicateFormatError) {
        var parser = try PredicateParser(text, arguments: .values(arguments))
        self = try parser.parseExpressionText()
    }

    /// Reads an expression and leaves its arguments as placeholders.
    ///
    /// Never traps; the error names line and column.
    ///
    /// - Throws: ``PredicateFormatError`` with the position and a remedy.
    public init(template text: String) throws(PredicateFormatError) {
        var parser = try PredicateParser(text, arguments: .template)
        self = try parser.parseExpressionText()
    }
}
