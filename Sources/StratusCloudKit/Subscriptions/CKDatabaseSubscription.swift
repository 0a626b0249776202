public import Foundation
internal import Synchronization

/// A subscription to changes of a database's zones; see ``CKSubscription``.
///
/// Sendable is unchecked as in ``CKSubscription``: what changes is behind a mutex.
open class CKDatabaseSubscription: CKSubscription, @unchecked Sendable {
    private let type: Mutex<CKRecord.RecordType?>

    /// Creates a subscription to a database's changes, with an ID of your own.
    public init(subscriptionID: CKSubscription.ID) {
        type = Mutex(nil)
        super.init(subscriptionID, .database)
    }

    /// Creates a subscription to a database's changes, with a new ID.
    @available(*, deprecated, message: "Use init(subscriptionID:).")
    public convenience init() { self.init(subscriptionID: UUID().uuidString) }

    /// The type of the records; nil for all.
    open var recordType: CKRecord.RecordType? {
        get { type.withLock { $0 } }
        set { type.withLock { $0 = newValue } }
    }

    /// Reads a subscription from an archive; nil where the archive does not hold one.
    public required init?(coder: NSCoder) {
        type = Mutex(coder.safeText(forKey: "RecordType"))
        super.init(coder: coder)
    }

    /// Writes the subscription to an archive.
    override open func encode(with coder: NSCoder) {
        super.encode(with: coder)
        if let recordType { coder.encode(NSString(string: recordType), forKey: "RecordType") }
    }

    /// A subscription of the same name and settings, whose changes are its own.
    override open func copy(with zone: NSZone? = nil) -> Any {
        let copy = CKDatabaseSubscription(subscriptionID: subscriptionID)
        copy.recordType = recordType
        copy.notificationInfo = notificationInfo
        return copy
    }

    override open func isEqual(_ object: Any?) -> Bool {
        guard super.isEqual(object), let other = object as? CKDatabaseSubscription else { return false }
        return recordType == other.recordType
    }
}
