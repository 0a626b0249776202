/// An index of an entity.
public struct FetchIndexDocument: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The elements, in their order.
    public var elements: [FetchIndexElementDocument]
    /// The format string of the predicate that limits the index to some objects.
    public var partialIndexPredicate: String?

    /// Makes an index.
    public init(
        name: String, elements: [FetchIndexElementDocument] = [], partialIndexPredicate: String? = nil
    ) {
        self.name = name
        self.elements = elements
        self.partialIndexPredicate = partialIndexPredicate
    }
}

/// One element of an index.
public struct FetchIndexElementDocument: Sendable, Hashable {
    /// What is indexed.
    public enum Subject: Sendable, Hashable {
        /// A property of the entity or of a parent, by name.
        case property(String)
        /// An expression, as text, with the raw number of its result type.
        case expression(String, resultType: AttributeType)
    }

    /// The structure; raw values are those of Apple's `NSFetchIndexElementType`.
    public enum Kind: Int, Sendable, Hashable, CaseIterable {
        /// An ordered tree.
        case binary = 0
        /// A tree of ranges.
        case rTree = 1
    }

    /// What is indexed.
    public var subject: Subject
    /// The structure.
    public var kind: Kind
    /// Whether small values come first.
    public var isAscending: Bool

    /// The property's name, nil for an expression.
    public var propertyName: String? {
        if case .property(let name) = subject { name } else { nil }
    }

    /// Makes an element.
    public init(subject: Subject, kind: Kind = .binary, isAscending: Bool = true) {
        self.subject = subject
        self.kind = kind
        self.isAscending = isAscending
    }
}
