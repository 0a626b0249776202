/// A container whose stores are to be mirrored to a CloudKit database.
///
/// It opens its stores as ``NSPersistentContainer`` does, and they work without a limit. **Mirroring is not offered by
/// this version**; version 0.4 will. Nothing is silently kept local: for each store whose description has
/// ``NSPersistentStoreDescription/cloudKitContainerOptions``, an ``eventChangedNotification`` reports a setup that did
/// not succeed, with an error that says so, and ``initializeCloudKitSchema(options:)`` throws it.
///
/// Unchecked sendable as its superclass is; the events are behind a lock.
open class NSPersistentCloudKitContainer: NSPersistentContainer, @unchecked Sendable {
    /// What the mirroring did.
    public enum EventType: Int, Sendable {
        /// It was prepared.
        case setup = 0
        /// Changes of the cloud were read.
        case `import` = 1
        /// Changes were sent to the cloud.
        case export = 2
    }

    /// One piece of work of the mirroring.
    ///
    /// Unchecked sendable because the class is open, as Apple's is; what it holds itself never changes.
    open class Event: NSObject, NSCopying, @unchecked Sendable {
        /// The identity of the event, the same at its begin and its end.
        open var identifier: UUID { ownIdentifier }
        /// The identifier of the store.
        open var storeIdentifier: String { store }
        /// What was done.
        open var type: EventType { kind }
        /// When it began.
        open var startDate: Date { start }
        /// When it ended; nil while it goes on.
        open var endDate: Date? { end }
        /// Whether it ended well.
        open var succeeded: Bool { failure == nil && end != nil }
        /// Why it did not end well.
        open var error: (any Error)? { failure }

        private let ownIdentifier = UUID()
        private let store: String
        private let kind: EventType
        private let start: Date
        private let end: Date?
        private let failure: (any Error)?

        init(_ kind: EventType, storeIdentifier: String, at date: Date, error: (any Error)?) {
            self.kind = kind
            store = storeIdentifier
            start = date
            end = date
            failure = error
        }

        /// Itself: an event does not change.
        open func copy(with zone: NSZone? = nil) -> Any { self }
    }

    /// Posted when a piece of work begins or ends; the object is the container.
    open class var eventChangedNotification: NSNotification.Name {
        NSNotification.Name("NSPersistentCloudKitContainerEventChangedNotification")
    }
    /// The key of the ``Event`` in the notification.
    open class var eventNotificationUserInfoKey: String { "event" }

    /// The events so far, oldest first.
    let events = EventList()

    /// Opens the stores; the handler is called once for each description. A store that is to be mirrored is opened
    /// too, and the notification then says that it is not mirrored.
    open override func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        super.loadPersistentStores { [weak self] description, error in
            block(description, error)
            if error == nil { self?.report(description) }
        }
    }

    private func report(_ description: NSPersistentStoreDescription) {
        guard let options = description.cloudKitContainerOptions, let url = description.url else { return }
        let store = persistentStoreCoordinator.persistentStore(for: url)
        let event = Event(
            .setup, storeIdentifier: store?.identifier ?? "", at: Date(), error: Self.notOffered(options))
        events.append(event)
        NotificationCenter.default.post(
            name: Self.eventChangedNotification, object: self,
            userInfo: [Self.eventNotificationUserInfoKey: event])
    }

    static func notOffered(_ options: NSPersistentCloudKitContainerOptions?) -> CocoaError {
        CoreDataError(
            134060,
            "The stores are not mirrored to the container '\(options?.containerIdentifier ?? "")': this version of "
                + "Stratus does not mirror. Version 0.4 will.",
            remedy: "Use the stores as local ones until then, or send records with the CloudKit module."
        ).cocoa
    }

    /// Makes the record types of the model in the development database.
    ///
    /// - Throws: `CocoaError` 134060, since this version does not mirror; version 0.4 will.
    open func initializeCloudKitSchema(
        options: NSPersistentCloudKitContainerSchemaInitializationOptions = []
    ) throws {
        throw mirroringError
    }

    /// What everything that needs mirroring answers.
    package var mirroringError: CocoaError {
        Self.notOffered(persistentStoreDescriptions.lazy.compactMap(\.cloudKitContainerOptions).first)
    }

    /// Whether the record of an object may be changed: true, as for every object that is not mirrored.
    open func canUpdateRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool { true }

    /// Whether the record of an object may be deleted: true, as for every object that is not mirrored.
    open func canDeleteRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool { true }

    /// Whether objects of a store may be changed: true unless it was added read-only.
    open func canModifyManagedObjects(in store: NSPersistentStore) -> Bool { !store.isReadOnly }
}

/// What ``NSPersistentCloudKitContainer/initializeCloudKitSchema(options:)`` does.
public struct NSPersistentCloudKitContainerSchemaInitializationOptions: OptionSet, Hashable, Sendable {
    /// Apple's number.
    public let rawValue: UInt
    /// Takes Apple's number.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The model is checked, and nothing is sent.
    public static let dryRun = NSPersistentCloudKitContainerSchemaInitializationOptions(rawValue: 2)
    /// The record types are printed.
    public static let printSchema = NSPersistentCloudKitContainerSchemaInitializationOptions(rawValue: 4)
}
