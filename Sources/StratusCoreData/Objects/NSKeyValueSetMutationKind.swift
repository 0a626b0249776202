/// What is done to a to-many relationship; Foundation on Linux lacks the type.
public enum NSKeyValueSetMutationKind: UInt, Sendable {
    /// Objects are added.
    case union = 1
    /// Objects are taken away.
    case minus = 2
    /// Only objects that are in both stay.
    case intersect = 3
    /// All objects are replaced.
    case set = 4
}
