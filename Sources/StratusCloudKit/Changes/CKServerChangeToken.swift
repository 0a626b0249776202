public import Foundation

/// A place in a change feed: fetching with it gives what changed since. Opaque.
///
/// A token belongs to one feed, that of a database or that of one zone. Keep it with what was fetched; it
/// survives restarts of the app and of the service.
public final class CKServerChangeToken: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The token as the wire has it.
    let text: String

    init(_ text: String) { self.text = text }

    /// Reads a token from an archive; nil where the archive does not hold one.
    public init?(coder: NSCoder) {
        guard let text = coder.safeText(forKey: "Token") else { return nil }
        self.text = text
    }

    /// Writes the token to an archive.
    public func encode(with coder: NSCoder) { coder.encode(NSString(string: text), forKey: "Token") }

    /// True: an archive is read with the classes it should hold.
    public static var supportsSecureCoding: Bool { true }

    /// The receiver itself, since it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    override public func isEqual(_ object: Any?) -> Bool { (object as? CKServerChangeToken)?.text == text }

    override public var hash: Int { text.hashValue }
}
