/// The values of one object in an ``NSIncrementalStore``.
open class NSIncrementalStoreNode: NSObject {
    /// The object that the values are of.
    open internal(set) var objectID: NSManagedObjectID
    /// How often the object was changed; a save that is based on another version is a conflict.
    open private(set) var version: UInt64
    private var values: [String: Any]

    /// Makes a node.
    ///
    /// - Parameters:
    ///   - objectID: whose values these are.
    ///   - values: attributes by name, and to-one relationships as `NSManagedObjectID` or `NSNull`. The store is
    ///     asked for a to-one relationship that is missing here.
    ///   - version: grows with each change.
    public init(objectID: NSManagedObjectID, withValues values: [String: Any], version: UInt64) {
        self.objectID = objectID
        self.values = values
        self.version = version
    }

    /// Replaces the values.
    open func update(withValues values: [String: Any], version: UInt64) {
        self.values = values
        self.version = version
    }

    /// The value of a property: nil where the node has none, `NSNull` for a to-one relationship to nothing.
    open func value(for property: NSPropertyDescription) -> Any? { values[property.name] }
}
