public import Foundation
internal import Synchronization

/// What the notifications of a subscription look like. Write it as `CKSubscription.NotificationInfo`.
///
/// Sendable is unchecked because the class is open: everything that changes is behind one mutex.
open class CKNotificationInfo: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    // NB: at the top level for NSKeyedArchiver's sake, as CKRecordID is.

    /// What can be set.
    struct Settings: Hashable, Sendable {
        var alertBody: String?
        var alertLocalizationKey: String?
        var alertLocalizationArgs: [CKRecord.FieldKey]?
        var title: String?
        var titleLocalizationKey: String?
        var titleLocalizationArgs: [CKRecord.FieldKey]?
        var subtitle: String?
        var subtitleLocalizationKey: String?
        var subtitleLocalizationArgs: [CKRecord.FieldKey]?
        var alertActionLocalizationKey: String?
        var alertLaunchImage: String?
        var soundName: String?
        var desiredKeys: [CKRecord.FieldKey]?
        var shouldBadge = false
        var shouldSendContentAvailable = false
        var shouldSendMutableContent = false
        var category: String?
        var collapseIDKey: String?
    }

    private let state: Mutex<Settings>

    /// Creates a description of notifications that are not shown.
    override public convenience init() { self.init(Settings()) }

    init(_ settings: Settings) { state = Mutex(settings) }

    /// What is set.
    var settings: Settings { state.withLock { $0 } }

    private subscript<Value: Sendable>(property: any WritableKeyPath<Settings, Value> & Sendable) -> Value {
        get { settings[keyPath: property] }
        set { state.withLock { $0[keyPath: property] = newValue } }
    }

    /// The text of the alert.
    open var alertBody: String? {
        get { self[\.alertBody] }
        set { self[\.alertBody] = newValue }
    }

    /// The key of the alert's text among the app's localised texts.
    open var alertLocalizationKey: String? {
        get { self[\.alertLocalizationKey] }
        set { self[\.alertLocalizationKey] = newValue }
    }

    /// The fields whose values go into the localised text of the alert.
    open var alertLocalizationArgs: [CKRecord.FieldKey]? {
        get { self[\.alertLocalizationArgs] }
        set { self[\.alertLocalizationArgs] = newValue }
    }

    /// The alert's title.
    open var title: String? {
        get { self[\.title] }
        set { self[\.title] = newValue }
    }

    /// The key of the title among the app's localised texts.
    open var titleLocalizationKey: String? {
        get { self[\.titleLocalizationKey] }
        set { self[\.titleLocalizationKey] = newValue }
    }

    /// The fields whose values go into the localised title.
    open var titleLocalizationArgs: [CKRecord.FieldKey]? {
        get { self[\.titleLocalizationArgs] }
        set { self[\.titleLocalizationArgs] = newValue }
    }

    /// The alert's subtitle.
    open var subtitle: String? {
        get { self[\.subtitle] }
        set { self[\.subtitle] = newValue }
    }

    /// The key of the subtitle among the app's localised texts.
    open var subtitleLocalizationKey: String? {
        get { self[\.subtitleLocalizationKey] }
        set { self[\.subtitleLocalizationKey] = newValue }
    }

    /// The fields whose values go into the localised subtitle.
    open var subtitleLocalizationArgs: [CKRecord.FieldKey]? {
        get { self[\.subtitleLocalizationArgs] }
        set { self[\.subtitleLocalizationArgs] = newValue }
    }

    /// The key of the action button's text among the app's localised texts.
    open var alertActionLocalizationKey: String? {
        get { self[\.alertActionLocalizationKey] }
        set { self[\.alertActionLocalizationKey] = newValue }
    }

    /// The file name of the picture to show while the app starts.
    open var alertLaunchImage: String? {
        get { self[\.alertLaunchImage] }
        set { self[\.alertLaunchImage] = newValue }
    }

    /// The file name of the sound, or `default`.
    open var soundName: String? {
        get { self[\.soundName] }
        set { self[\.soundName] = newValue }
    }

    /// The fields whose values come with the notification of a query subscription.
    open var desiredKeys: [CKRecord.FieldKey]? {
        get { self[\.desiredKeys] }
        set { self[\.desiredKeys] = newValue }
    }

    /// Whether the app's badge is raised by one.
    open var shouldBadge: Bool {
        get { self[\.shouldBadge] }
        set { self[\.shouldBadge] = newValue }
    }

    /// Whether the app is started in the background.
    open var shouldSendContentAvailable: Bool {
        get { self[\.shouldSendContentAvailable] }
        set { self[\.shouldSendContentAvailable] = newValue }
    }

    /// Whether an extension of the app may change the notification.
    open var shouldSendMutableContent: Bool {
        get { self[\.shouldSendMutableContent] }
        set { self[\.shouldSendMutableContent] = newValue }
    }

    /// The category of the notification's actions.
    open var category: String? {
        get { self[\.category] }
        set { self[\.category] = newValue }
    }

    /// The key under which unseen notifications replace each other.
    open var collapseIDKey: String? {
        get { self[\.collapseIDKey] }
        set { self[\.collapseIDKey] = newValue }
    }

    /// Reads a description from an archive; what is not there was not set.
    public required init?(coder: NSCoder) {
        state = Mutex(Settings(coder: coder))
    }

    /// Writes the description to an archive.
    open func encode(with coder: NSCoder) { settings.encode(with: coder) }

    /// True: an archive is read with the classes it should hold.
    open class var supportsSecureCoding: Bool { true }

    /// A description of its own with the same settings.
    open func copy(with zone: NSZone? = nil) -> Any { CKNotificationInfo(settings) }

    /// Descriptions are equal when they say the same.
    override open func isEqual(_ object: Any?) -> Bool {
        (object as? CKNotificationInfo)?.settings == settings
    }

    /// One number for all: what a description says may change while a set holds it.
    override open var hash: Int { 0 }
}
