public import Foundation
internal import Synchronization

/// A subscription to changes of a zone's records; see ``CKSubscription``.
///
/// Sendable is unchecked as in ``CKSubscription``: what changes is behind a mutex.
open class CKRecordZoneSubscription: CKSubscription, @unchecked Sendable {
    /// The zone.
    open private(set) var zoneID: CKRecordZone.ID
    private let type: Mutex<CKRecord.RecordType?>

    /// Creates a subscription to a zone's changes, with an ID of your own.
    public init(zoneID: CKRecordZone.ID, subscriptionID: CKSubscription.ID) {
        self.zoneID = zoneID
        type = Mutex(nil)
        super.init(subscriptionID, .recordZone)
    }

    /// Creates a subscription to a zone's changes, with a new ID.
    @available(*, deprecated, message: "Use init(zoneID:subscriptionID:).")
    public convenience init(zoneID: CKRecordZone.ID) {
        self.init(zoneID: zoneID, subscriptionID: UUID().uuidString)
    }

    /// The type of the records; nil for all.
    open var recordType: CKRecord.RecordType? {
        get { type.withLock { $0 } }
        set { type.withLock { $0 = newValue } }
    }

    /// Reads a subscription from an archive; nil where the archive does not hold one.
    public required init?(coder: NSCoder) {
        guard let zoneID = coder.safeObject(of: CKRecordZoneID.self, forKey: "ZoneID") else { return nil }
        self.zoneID = zoneID
        type = Mutex(coder.safeText(forKey: "RecordType"))
        super.init(coder: coder)
    }

    /// Writes the subscription to an archive.
    override open func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(zoneID, forKey: "ZoneID")
        if let recordType { coder.encode(NSString(string: recordType), forKey: "RecordType") }
    }

    /// A subscription of the same name and settings, whose changes are its own.
    override open func copy(with zone: NSZone? = nil) -> Any {
        let copy = CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: subscriptionID)
        copy.recordType = recordType
        copy.notificationInfo = notificationInfo
        return copy
    }

    override open func isEqual(_ object: Any?) -> Bool {
        guard super.isEqual(object), let other = object as? CKRecordZoneSubscription else { return false }
        return zoneID == other.zoneID && recordType == other.recordType
    }
}
