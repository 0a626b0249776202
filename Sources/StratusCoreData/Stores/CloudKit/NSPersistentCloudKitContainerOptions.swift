/// To which container and database a store is to be mirrored.
///
/// Unchecked sendable because it has settable properties, as Apple's: set them before the stores are loaded.
open class NSPersistentCloudKitContainerOptions: NSObject, @unchecked Sendable {
    /// A database of a container, with the names and numbers of `CKDatabase.Scope`, which this module cannot name
    /// without bringing CloudKit along.
    public enum DatabaseScope: Int, Sendable {
        /// The database that all users share.
        case `public` = 1
        /// The user's own database.
        case `private` = 2
        /// The database of what others share with the user.
        case shared = 3
    }

    /// The identifier of the container.
    open var containerIdentifier: String { identifier }
    private let identifier: String
    /// The database of the container, the private one unless set.
    open var databaseScope: DatabaseScope = .private

    /// Names a container.
    public init(containerIdentifier: String) { identifier = containerIdentifier }
}
