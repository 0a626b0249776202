/// The kind of a request to a store.
public enum NSPersistentStoreRequestType: UInt, Sendable {
    /// ``NSFetchRequest``
    case fetchRequestType = 1
    /// ``NSSaveChangesRequest``
    case saveRequestType = 2
    /// ``NSBatchInsertRequest``
    case batchInsertRequestType = 5
    /// ``NSBatchUpdateRequest``
    case batchUpdateRequestType = 6
    /// ``NSBatchDeleteRequest``
    case batchDeleteRequestType = 7
}

/// What can be asked of a store.
open class NSPersistentStoreRequest: NSObject {
    /// The stores to ask; nil asks all that hold the entity.
    open var affectedStores: [NSPersistentStore]?
    /// The kind of request.
    open var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    /// Makes a request for all stores.
    public override init() { super.init() }
}

/// The answer to a request.
open class NSPersistentStoreResult: NSObject {
    /// Makes an answer that says nothing.
    public override init() { super.init() }
}

/// What a fetch can give: managed objects, object IDs, dictionaries or numbers.
public protocol NSFetchRequestResult {}

extension NSManagedObjectID: NSFetchRequestResult {}
extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}
extension Dictionary: NSFetchRequestResult where Key == String, Value == Any {}

/// What the results of a fetch are.
public struct NSFetchRequestResultType: OptionSet, Hashable, Sendable {
    /// Apple's number.
    public let rawValue: UInt
    /// Takes one of Apple's numbers.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Managed objects.
    public static let managedObjectResultType = NSFetchRequestResultType([])
    /// Object IDs.
    public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
    /// Dictionaries of property values.
    public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
    /// One number.
    public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}
