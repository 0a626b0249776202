/// The value of one property as objects and rows hold it: small, typed, and without boxes for the common types.
package enum PropertyValue {
    case null
    /// Integers and Booleans.
    case int(Int64)
    /// `Float` and `Double`.
    case double(Double)
    case decimal(Decimal)
    case string(String)
    case date(Date)
    case data(Data)
    case uuid(UUID)
    case url(URL)
    /// The value of a transformable, composite or undefined attribute.
    case object(ObjectBox)
    /// What a to-one relationship leads to.
    case reference(NSManagedObjectID)

    /// Whether there is no value.
    package var isNull: Bool { if case .null = self { true } else { false } }
}

/// Any object as a value; compared by `isEqual`, as Key-Value Coding does.
package final class ObjectBox {
    /// The value.
    package let base: Any

    /// Holds a value.
    package init(_ base: Any) { self.base = base }
}

extension PropertyValue: Equatable {
    package static func == (left: PropertyValue, right: PropertyValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.int(let left), .int(let right)): left == right
        // A NaN that stays a NaN is no change.
        case (.double(let left), .double(let right)): left == right || (left.isNaN && right.isNaN)
        case (.decimal(let left), .decimal(let right)): left == right
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.date(let left), .date(let right)): left == right
        case (.data(let left), .data(let right)): left == right
        case (.uuid(let left), .uuid(let right)): left == right
        case (.url(let left), .url(let right)): left == right
        case (.object(let left), .object(let right)):
            left === right || ObjectBox.areEqual(left.base, right.base)
        case (.reference(let left), .reference(let right)): left == right
        default: false
        }
    }
}

extension ObjectBox {
    static func areEqual(_ left: Any, _ right: Any) -> Bool {
        if let left = left as? NSObject, let right = right as? NSObject { return left.isEqual(right) }
        if let left = left as? AnyHashable, let right = right as? AnyHashable { return left == right }
        return false
    }
}
