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
        /// The object, where another one may take its place.
        let identity: (any PredicateIdentity)?

        init(_ base: Any, _ identity: (any PredicateIdentity)?) {
            self.base = base
            self.identity = identity
        }
    }

    private let box: Box

    /// The object.
    public var base: Any { box.base }

    /// Boxes an object.
    public init(_ base: Any) { box = Box(base, base as? any PredicateIdentity) }

    /// Boxes an identity, without looking for what it is.
    package init(identity: any PredicateIdentity) { box = Box(identity, identity) }

    /// The object that stands for this one now; see `PredicateIdentity`.
    public var current: PredicateObject {
        guard let successor = box.identity?.successor else { return self }
        return PredicateObject(identity: successor)
    }

    /// Whether both stand for the same thing now, whatever they stood for when they were boxed.
    func isSame(as other: PredicateObject) -> Bool {
        if self == other { return true }
        guard box.identity?.successor != nil || other.box.identity?.successor != nil else { return false }
        return current == other.current
    }

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

/// The identity of an object, whose place another one may take while a predicate is kept.
///
/// An object that is saved gets a permanent ID. A predicate that was made with the temporary one still holds for it:
/// comparisons ask both sides for their successors. `==` and hashes of ``PredicateObject`` do not, since what is in a
/// set must keep its hash.
package protocol PredicateIdentity: Sendable {
    /// What stands for the same object now; nil where nothing has taken the receiver's place.
    var successor: (any PredicateIdentity)? { get }
}
