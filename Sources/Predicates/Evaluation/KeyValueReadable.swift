/// A type that offers values by key: a record, a managed object.
///
/// Dictionaries with string keys offer their entries, collections the list of their elements' values,
/// and strings, numbers and dates a few properties such as `length`, without conforming.
public protocol KeyValueReadable {
    /// The value for a key, or nil when there is none.
    func value(forKey key: String) -> Any?

    /// Whether the receiver may have a value for the key.
    ///
    /// A type with a fixed set of keys answers false for any other, and evaluation reports an unknown key
    /// instead of reading nil. The default is true: a record of the cloud may have any field.
    func offersValue(forKey key: String) -> Bool
}

extension KeyValueReadable {
    /// True: every key may have a value.
    public func offersValue(forKey key: String) -> Bool { true }
}

/// A place on the earth, for `distanceToLocation:fromLocation:`.
public protocol PredicateLocation {
    /// Degrees north of the equator.
    var predicateLatitude: Double { get }
    /// Degrees east of Greenwich.
    var predicateLongitude: Double { get }
}
