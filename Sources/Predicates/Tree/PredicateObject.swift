internal import Foundation

/// A box for an object that the language has no literal for: a record reference, a location, a managed
/// object.
///
/// Two boxes are equal when their objects are equal (`==` of a hashable type, `isEqual(_:)` of an
/// `NSObject`), or are the same instance.
public struct PredicateObject: Hashable, Sendable {
    /// Holds the object.
    private final class Box: Sendable {
        // Unsafe, since it can be anything: the box only hands it to the code that made the predicate. Whether that object
        // may be used on another thread is that code's own promise, as it is for every argument of an Apple predicate.
        nonisolated(unsafe) let base: Any
        init(_ base: Any) { self.base = base }
    }

    private let box: Box

    /// The object.
    public var base: Any { box.base }

    /// Boxes an object.
    public init(_ base: Any) { box = Box(base) }

    private var instance: AnyObject? {
        type(of: base) is AnyObject.Type ? base as AnyObject : nil
    }

    /// Whether the two objects are equal or the same.
    public static func == (left: PredicateObject, right: PredicateObject) -> Bool {
        if left.box === right.box { return true }
        if let first = left.base as? AnyHashable, let second = right.base as? AnyHashable {
            return first == second
        }
        guard let first = left.instance, let second = right.instance else { return false }
        return first === second
    }

    /// Feeds what equality looks at.
    public func hash(into hasher: inout Hasher) {
        if let hashable = base as? AnyHashable {
            hasher.combine(hashable)
        } else if let instance {
            hasher.combine(ObjectIdentifier(instance))
        } else {
            hasher.combine(ObjectIdentifier(box))
        }
    }
}
