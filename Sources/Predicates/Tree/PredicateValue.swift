public import Foundation

/// A value that a predicate compares.
///
/// Equality here is of form: `.int(1)` and `.double(1)` differ, as their texts do. What the language
/// calls equal is ``isEqual(to:options:)``.
public indirect enum PredicateValue: Hashable, Sendable {
    /// No value: `nil`, `NULL`, `NSNull`.
    case null
    /// `YES` or `NO`.
    case bool(Bool)
    /// A whole number.
    case int(Int64)
    /// A floating-point number.
    case double(Double)
    /// A decimal number, also for whole numbers beyond `Int64`.
    case decimal(Decimal)
    /// Text.
    case string(String)
    /// A point in time.
    case date(Date)
    /// Bytes.
    case data(Data)
    /// A UUID.
    case uuid(UUID)
    /// An address.
    case url(URL)
    /// An ordered collection.
    case list([PredicateValue])
    /// A collection without order.
    case set(Set<PredicateValue>)
    /// Values by name.
    case dictionary([String: PredicateValue])
    /// Any other object, in a box.
    case object(PredicateObject)

    /// The elements of a list, a set or a dictionary (its values), or nil for any other value.
    public var elements: [PredicateValue]? {
        switch self {
        case .list(let elements): elements
        case .set(let elements): Array(elements)
        case .dictionary(let entries): Array(entries.values)
        default: nil
        }
    }

    /// The value as Foundation code expects it: `String`, `Int`, `Date`, `[Any]` and so on, nil for null.
    public var anyValue: Any? {
        switch self {
        case .null: nil
        case .bool(let value): value
        case .int(let value): Int(value)
        case .double(let value): value
        case .decimal(let value): value
        case .string(let value): value
        case .date(let value): value
        case .data(let value): value
        case .uuid(let value): value
        case .url(let value): value
        case .list(let values): values.map { $0.anyValue ?? NSNull() }
        case .set(let values): NSSet(array: values.map { $0.anyValue ?? NSNull() })
        case .dictionary(let entries): entries.mapValues { $0.anyValue ?? NSNull() }
        case .object(let object): object.base
        }
    }
}

extension PredicateValue {
    /// The value with what stands for its objects now, alone and in collections; see `PredicateIdentity`.
    public var current: PredicateValue {
        switch self {
        case .object(let object): .object(object.current)
        case .list(let values): .list(values.map(\.current))
        case .set(let values): .set(Set(values.map(\.current)))
        case .dictionary(let entries): .dictionary(entries.mapValues(\.current))
        default: self
        }
    }

    /// The value as ``anyValue``, with Foundation's classes for numbers, alone and in collections.
    var foundationValue: Any? {
        switch self {
        case .bool(let value): NSNumber(value: value)
        case .int(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .decimal(let value): NSDecimalNumber(decimal: value)
        case .list(let values): values.map { $0.foundationValue ?? NSNull() }
        case .dictionary(let entries): entries.mapValues { $0.foundationValue ?? NSNull() }
        default: anyValue
        }
    }
}

/// A type of another module that says itself what value it is in a predicate.
///
/// A managed object, for example, may answer with its object ID, so that `owner == %@` accepts both.
/// Keys are still read from the object itself.
public protocol PredicateValueConvertible {
    /// The value that stands for the receiver in comparisons.
    var predicateValue: PredicateValue { get }
}
