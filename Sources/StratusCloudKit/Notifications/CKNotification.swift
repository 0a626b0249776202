public import Foundation

/// What a push of the service says: which subscription fired, and what its alert looks like.
///
/// `CKNotification(fromRemoteNotificationDictionary:)` answers with an instance of one of the subclasses.
///
/// Sendable is unchecked because a payload holds `Any`: it is a property list that nobody changes.
open class CKNotification: NSObject, @unchecked Sendable {
    /// What names a notification.
    public typealias ID = CKNotificationID

    /// What fired a notification.
    public enum NotificationType: Int, Hashable, Sendable {
        /// A record that a query matches.
        case query = 1
        /// The records of a zone.
        case recordZone = 2
        /// A notification that the app marked as read; never sent by this service.
        case readNotification = 3
        /// The zones of a database.
        case database = 4
    }

    let payload: ReceivedPayload

    init(_ payload: ReceivedPayload) { self.payload = payload }

    /// Reads the payload of a push; nil where it does not come from CloudKit, or where a subclass is asked for
    /// that it is not about.
    public convenience init?(fromRemoteNotificationDictionary notificationDictionary: [AnyHashable: Any]) {
        self.init(read: ReceivedPayload(notificationDictionary)?.notification)
    }

    /// What fired the notification.
    open var notificationType: NotificationType { payload.type }
    /// The notification's name; nil where the payload has none.
    open var notificationID: ID? { payload.text("nid").map(CKNotificationID.init) }
    /// The container's identifier.
    open var containerIdentifier: String? { payload.text("cid") }
    /// The user whose subscription fired.
    open var subscriptionOwnerUserRecordID: CKRecord.ID? {
        payload.text("ckuserid").map { CKRecord.ID(recordName: $0) }
    }
    /// The subscription that fired.
    open var subscriptionID: CKSubscription.ID? { payload.event.text("sid") }
    /// Whether the payload lacks what says which record or zone it is about.
    open var isPruned: Bool { payload.isPruned }

    /// The text of the alert.
    open var alertBody: String? { payload.alert.text("body") }
    /// The key of the alert's text among the app's localised texts.
    open var alertLocalizationKey: String? { payload.alert.text("loc-key") }
    /// The values that go into the localised text.
    open var alertLocalizationArgs: [String]? { payload.alert.texts("loc-args") }
    /// The alert's title.
    open var title: String? { payload.alert.text("title") }
    /// The key of the title among the app's localised texts.
    open var titleLocalizationKey: String? { payload.alert.text("title-loc-key") }
    /// The values that go into the localised title.
    open var titleLocalizationArgs: [String]? { payload.alert.texts("title-loc-args") }
    /// The alert's subtitle.
    open var subtitle: String? { payload.alert.text("subtitle") }
    /// The key of the subtitle among the app's localised texts.
    open var subtitleLocalizationKey: String? { payload.alert.text("subtitle-loc-key") }
    /// The values that go into the localised subtitle.
    open var subtitleLocalizationArgs: [String]? { payload.alert.texts("subtitle-loc-args") }
    /// The key of the action button's text among the app's localised texts.
    open var alertActionLocalizationKey: String? { payload.alert.text("action-loc-key") }
    /// The file name of the picture to show while the app starts.
    open var alertLaunchImage: String? { payload.alert.text("launch-image") }
    /// The number for the app's badge.
    open var badge: NSNumber? { payload.aps.integer("badge").map { NSNumber(value: $0) } }
    /// The file name of the sound, or `default`.
    open var soundName: String? { payload.aps.text("sound") ?? payload.aps.part("sound").text("name") }
    /// The category of the notification's actions.
    open var category: String? { payload.aps.text("category") }

    override open var description: String {
        "\(type(of: self)) \(subscriptionID ?? "without a subscription")"
    }
}

/// Lets a convenience initialiser answer with an instance of a subclass.
protocol NotificationReading {}

extension NotificationReading {
    init?(read notification: CKNotification?) {
        guard let notification = notification as? Self else { return nil }
        self = notification
    }
}

extension CKNotification: NotificationReading {}
