public import Foundation

/// The name of a zone and its owner. Write it as `CKRecordZone.ID`.
///
/// A value without parts that change; two IDs are equal when their names and owners are.
public final class CKRecordZoneID: NSObject, NSSecureCoding, NSCopying, Sendable {
    // NB: at the top level for NSKeyedArchiver's sake, as CKRecordID is.

    /// The zone's name.
    public let zoneName: String
    /// The user record name of the owner; `CKCurrentUserDefaultName` stands for the user of the app.
    public let ownerName: String

    /// Names a zone; without an owner it is the user's own.
    public init(zoneName: String = defaultZoneName, ownerName: String = CKCurrentUserDefaultName) {
        self.zoneName = zoneName
        self.ownerName = ownerName
    }

    /// The name of the zone that every database has.
    public static let defaultZoneName = CKRecordZoneDefaultName
    /// The zone that every database has.
    public static let `default` = CKRecordZoneID()

    /// Reads an ID from an archive; nil where it is none.
    public init?(coder: NSCoder) {
        guard let name = coder.safeText(forKey: "ZoneName"),
            let owner = coder.safeText(forKey: "OwnerName")
        else { return nil }
        zoneName = name
        ownerName = owner
    }

    /// Writes the ID to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(NSString(string: zoneName), forKey: "ZoneName")
        coder.encode(NSString(string: ownerName), forKey: "OwnerName")
    }

    /// True: an archive is read with the classes it should hold.
    public static var supportsSecureCoding: Bool { true }

    /// The receiver itself, since it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    override public func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKRecordZoneID else { return false }
        return zoneName == other.zoneName && ownerName == other.ownerName
    }

    override public var hash: Int {
        var hasher = Hasher()
        hasher.combine(zoneName)
        hasher.combine(ownerName)
        return hasher.finalize()
    }

    override public var description: String { "\(zoneName):\(ownerName)" }
}
