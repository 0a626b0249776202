public import Foundation
internal import RecordModel
internal import Synchronization

/// A subscription to changes of records. Create one of its subclasses.
///
/// A subscription is a value until it is saved in a database: it can be made, changed, copied, archived and compared. What
/// saved ones tell comes by ``CKDatabase/notifications()``; pushes by Apple's service need a key at the server.
///
/// Sendable is unchecked because the class is open: everything that changes is behind a mutex.
open class CKSubscription: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// What names a subscription in its database.
    public typealias ID = String
    /// What a subscription's notifications look like.
    public typealias NotificationInfo = CKNotificationInfo

    /// What a subscription is about.
    public enum SubscriptionType: Int, Hashable, Sendable {
        /// Records that a query matches.
        case query = 1
        /// The records of a zone.
        case recordZone = 2
        /// All zones of a database.
        case database = 3
    }

    /// The subscription's name in its database.
    open private(set) var subscriptionID: ID
    /// What the subscription is about.
    open private(set) var subscriptionType: SubscriptionType

    private let info: Mutex<NotificationInfo?>

    init(_ subscriptionID: ID, _ type: SubscriptionType) {
        self.subscriptionID = subscriptionID
        subscriptionType = type
        info = Mutex(nil)
    }

    /// What the notifications look like: a copy of what is set; nil sends none that a person sees.
    open var notificationInfo: NotificationInfo? {
        get { info.withLock { $0 } }
        set {
            let copy = newValue.map { NotificationInfo($0.settings) }
            info.withLock { $0 = copy }
        }
    }

    /// Reads a subscription from an archive; nil where the archive does not hold one.
    public required init?(coder: NSCoder) {
        guard let name = coder.safeText(forKey: "SubscriptionID"),
            let type = coder.safeInteger(forKey: "SubscriptionType").flatMap(SubscriptionType.init(rawValue:))
        else { return nil }
        subscriptionID = name
        subscriptionType = type
        info = Mutex(coder.safeObject(of: CKNotificationInfo.self, forKey: "NotificationInfo"))
    }

    /// Writes the subscription to an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(NSString(string: subscriptionID), forKey: "SubscriptionID")
        coder.encode(Int64(subscriptionType.rawValue), forKey: "SubscriptionType")
        if let notificationInfo { coder.encode(notificationInfo, forKey: "NotificationInfo") }
    }

    /// True: an archive is read with the classes it should hold.
    open class var supportsSecureCoding: Bool { true }

    /// A subscription of the same name and settings, whose changes are its own.
    open func copy(with zone: NSZone? = nil) -> Any {
        // Only subclasses can be made, and each has a copy of its own.
        self
    }

    /// Subscriptions are equal when they have the same class, name and settings.
    override open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKSubscription else { return false }
        return type(of: self) == type(of: other) && subscriptionID.isExactly(other.subscriptionID)
            && subscriptionType == other.subscriptionType && notificationInfo == other.notificationInfo
    }

    override open var hash: Int { ExactText(subscriptionID).hashValue }

    override open var description: String { "\(type(of: self)) \(subscriptionID)" }
}
