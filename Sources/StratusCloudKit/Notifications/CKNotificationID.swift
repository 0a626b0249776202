public import Foundation

/// The name of a notification. Write it as `CKNotification.ID`.
public final class CKNotificationID: NSObject, NSSecureCoding, NSCopying, Sendable {
    // NB: at the top level for NSKeyedArchiver's sake, as CKRecordID is.

    /// The name as payloads have it.
    let text: String

    init(_ text: String) { self.text = text }

    /// Makes a new name.
    override public convenience init() { self.init(UUID().uuidString) }

    /// Reads a name from an archive; nil where the archive does not hold one.
    public init?(coder: NSCoder) {
        guard let text = coder.safeText(forKey: "ID") else { return nil }
        self.text = text
    }

    /// Writes the name to an archive.
    public func encode(with coder: NSCoder) { coder.encode(NSString(string: text), forKey: "ID") }

    /// True: an archive is read with the classes it should hold.
    public static var supportsSecureCoding: Bool { true }

    /// The receiver itself, since it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    override public func isEqual(_ object: Any?) -> Bool { (object as? CKNotificationID)?.text == text }

    override public var hash: Int { text.hashValue }

    override public var description: String { text }
}
