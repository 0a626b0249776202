internal import DataModel

/// A property whose value is what a fetch request finds.
///
/// The request's predicate may use `$FETCH_SOURCE`, the object, and `$FETCHED_PROPERTY`, this description.
///
/// Unchecked sendable as in ``NSPropertyDescription``: mutable only until a coordinator uses its model.
open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
    /// What is fetched.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        willSet { freeze.requireMutable() }
        didSet { unreadRequest = nil }
    }
    /// The request of a model file, where its predicate cannot be parsed.
    var unreadRequest: FetchRequestDocument?

    override func makeEmptyCopy() -> NSPropertyDescription { NSFetchedPropertyDescription() }

    override func copied() -> NSPropertyDescription {
        let copy = super.copied()
        guard let property = copy as? NSFetchedPropertyDescription else { return copy }
        property.fetchRequest = fetchRequest?.copied() as? NSFetchRequest<any NSFetchRequestResult>
        property.unreadRequest = unreadRequest
        return property
    }
}

extension NSFetchedPropertyDescription: KeyValueReadable, PredicateValueConvertible {
    /// The description itself; predicates ask it for `$FETCHED_PROPERTY.userInfo.key`.
    public var predicateValue: PredicateValue { .object(PredicateObject(self)) }

    /// The name and the app's notes.
    public func value(forKey key: String) -> Any? {
        switch key {
        case "name": name
        case "userInfo": userInfo.map { NSDictionary(dictionary: $0) }
        default: nil
        }
    }

    /// Whether it is one of those.
    public func offersValue(forKey key: String) -> Bool { key == "name" || key == "userInfo" }
}

/// A computed column of a fetch with dictionary results, or an indexed expression.
///
/// Unchecked sendable as in ``NSPropertyDescription``: mutable only until a coordinator uses its model.
open class NSExpressionDescription: NSPropertyDescription, @unchecked Sendable {
    /// What is computed.
    open var expression: Predicates.NSExpression? { willSet { freeze.requireMutable() } }
    /// The type of the result.
    open var expressionResultType: NSAttributeType = .undefinedAttributeType {
        willSet { freeze.requireMutable() }
    }
    /// The newer spelling of ``expressionResultType``.
    open var resultType: NSAttributeDescription.AttributeType {
        get { NSAttributeDescription.AttributeType(rawValue: expressionResultType.rawValue) }
        set { expressionResultType = NSAttributeType(rawValue: newValue.rawValue) ?? .undefinedAttributeType }
    }

    override func makeEmptyCopy() -> NSPropertyDescription { NSExpressionDescription() }

    override func copied() -> NSPropertyDescription {
        let copy = super.copied()
        guard let description = copy as? NSExpressionDescription else { return copy }
        description.expression = expression
        description.expressionResultType = expressionResultType
        return description
    }
}
