public import Foundation

/// Lets a convenience initialiser answer with an object that was made elsewhere, of a subclass perhaps: an initialiser of a
/// protocol's extension may assign `self`, which one of a class may not.
package protocol FactoryInitializable {}

extension FactoryInitializable {
    package init(factory: () -> Self) { self = factory() }
}

extension NSPredicate: FactoryInitializable {
    /// Reads a format string, with Apple's signature on Foundation's own class.
    ///
    /// The result is an `NSComparisonPredicate`, an `NSCompoundPredicate`, or a constant. Stops the program
    /// with the message of ``PredicateFormatError`` when the text or an argument is wrong, where Apple's
    /// raises an exception; ``parsed(_:_:)`` throws instead.
    public convenience init(format: String, _ arguments: Any?...) {
        self.init(factory: { Self.orStop(format, arguments) })
    }

    /// Reads a format string with its arguments in an array; see ``init(format:_:)``.
    public convenience init(format: String, argumentArray: [Any]?) {
        self.init(factory: { Self.orStop(format, argumentArray ?? []) })
    }

    /// Makes the predicate of a tree: `evaluate(with:)` and `predicateFormat` follow it.
    public convenience init(_ tree: PredicateTree) {
        self.init(factory: { Self.adopt(NSPredicate.made(from: tree), format: tree.description) })
    }

    /// Reads a format string, and never stops the program.
    ///
    /// - Throws: ``PredicateFormatError``, which says what is wrong with the string, and where.
    public static func parsed(
        _ format: String, _ arguments: Any?...
    ) throws(PredicateFormatError) -> NSPredicate {
        made(from: try PredicateTree(parsing: format, arguments: arguments))
    }

    private static func orStop(_ format: String, _ arguments: [Any?]) -> Self {
        do {
            let tree = try PredicateTree(parsing: format, arguments: arguments)
            return adopt(made(from: tree), format: format)
        } catch {
            fatalError("Unable to parse the format string of a predicate.\n\(error)")
        }
    }

    /// The predicate as the class that the initialiser was called on.
    private static func adopt(_ predicate: NSPredicate, format: String) -> Self {
        if let predicate = predicate as? Self { return predicate }
        fatalError(
            """
            The format string gives a \(type(of: predicate)), which is no \(self).
            \(format)
            Call NSPredicate(format:) instead.
            """)
    }

    /// The predicate of a tree, as an instance of the class that Apple's parser would make.
    static func made(from tree: PredicateTree) -> NSPredicate {
        switch tree {
        case .constant(let value): NSPredicate(value: value)
        case .comparison(let comparison): NSComparisonPredicate(comparison: comparison)
        case .and, .or, .not:
            FormatCompoundPredicate.made(from: tree) ?? NSPredicate(value: false)
        }
    }
}
