public import Foundation
internal import Synchronization

/// A subscription to the creation, change or deletion of records that a query matches; see ``CKSubscription``.
///
/// Sendable is unchecked as in ``CKSubscription``: what changes is behind a mutex.
open class CKQuerySubscription: CKSubscription, @unchecked Sendable {
    /// What fires a subscription.
    public struct Options: OptionSet, Hashable, Sendable {
        /// One bit for each option.
        public let rawValue: UInt
        /// Makes a set of options from its bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// A record that matches is made.
        public static let firesOnRecordCreation = Options(rawValue: 1)
        /// A record is changed and matches afterwards.
        public static let firesOnRecordUpdate = Options(rawValue: 2)
        /// A record that matches is deleted.
        public static let firesOnRecordDeletion = Options(rawValue: 4)
        /// The subscription is gone after it fired once.
        public static let firesOnce = Options(rawValue: 8)
    }

    /// The type of the records.
    open private(set) var recordType: CKRecord.RecordType?
    /// The condition that records have to meet.
    open private(set) var predicate: NSPredicate
    /// What fires the subscription.
    open private(set) var querySubscriptionOptions: Options
    private let zone: Mutex<CKRecordZone.ID?>

    /// Creates a subscription to the records that match, with an ID of your own.
    public init(
        recordType: CKRecord.RecordType, predicate: NSPredicate, subscriptionID: CKSubscription.ID,
        options querySubscriptionOptions: Options = [
            .firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion,
        ]
    ) {
        self.recordType = recordType
        self.predicate = predicate
        self.querySubscriptionOptions = querySubscriptionOptions
        zone = Mutex(nil)
        super.init(subscriptionID, .query)
    }

    /// Creates a subscription to the records that match, with a new ID.
    @available(*, deprecated, message: "Use init(recordType:predicate:subscriptionID:options:).")
    public convenience init(
        recordType: CKRecord.RecordType, predicate: NSPredicate,
        options querySubscriptionOptions: Options = [
            .firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion,
        ]
    ) {
        self.init(
            recordType: recordType, predicate: predicate, subscriptionID: UUID().uuidString,
            options: querySubscriptionOptions)
    }

    /// The zone that the records are in; nil stands for all zones of a private database and for the default zone
    /// of a public one.
    open var zoneID: CKRecordZone.ID? {
        get { zone.withLock { $0 } }
        set { zone.withLock { $0 = newValue } }
    }

    /// Reads a subscription from an archive; nil where the archive does not hold one.
    public required init?(coder: NSCoder) {
        guard let predicate = ArchivedPredicate(coder: coder)?.predicate else { return nil }
        recordType = coder.safeText(forKey: "RecordType")
        self.predicate = predicate
        querySubscriptionOptions = Options(
            rawValue: UInt(truncatingIfNeeded: coder.safeInteger(forKey: "Options") ?? 0))
        zone = Mutex(coder.safeObject(of: CKRecordZoneID.self, forKey: "ZoneID"))
        super.init(coder: coder)
    }

    /// Writes the subscription to an archive; one with a predicate made of a block cannot be read again.
    override open func encode(with coder: NSCoder) {
        super.encode(with: coder)
        ArchivedPredicate(predicate)?.encode(with: coder)
        if let recordType { coder.encode(NSString(string: recordType), forKey: "RecordType") }
        coder.encode(Int64(querySubscriptionOptions.rawValue), forKey: "Options")
        if let zoneID { coder.encode(zoneID, forKey: "ZoneID") }
    }

    /// A subscription of the same name and settings, whose changes are its own.
    override open func copy(with zone: NSZone? = nil) -> Any {
        let copy = CKQuerySubscription(
            recordType: recordType ?? "", predicate: predicate, subscriptionID: subscriptionID,
            options: querySubscriptionOptions)
        copy.zoneID = zoneID
        copy.notificationInfo = notificationInfo
        return copy
    }

    override open func isEqual(_ object: Any?) -> Bool {
        guard super.isEqual(object), let other = object as? CKQuerySubscription else { return false }
        return recordType == other.recordType && zoneID == other.zoneID
            && querySubscriptionOptions == other.querySubscriptionOptions
            && predicate.meansTheSame(as: other.predicate)
    }
}
