public import Foundation

/// The name of a zone and its owner. Write it as `CKRecordZone.ID`.
///
/// A value without parts that change; two IDs are equal when their names and owners are.
///
/// Sendable is unchecked because the class is open: what it holds itself never changes.
open class CKRecordZoneID: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    // NB: at the top level for NSKeyedArchiver's sake, as CKRecordID is.

    /// The zone's name.
    public final let zoneName: String
    /// The user record name of the owner; `CKCurrentUserDefaultName` stands for the user of the app.
    public final let ownerName: String

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
    public required init?(coder: NSCoder) {
        guard let name = coder.safeText(forKey: "ZoneName"),
            let owner = coder.safeText(forKey: "OwnerName")
        else { return nil }
        zoneName = name
        ownerName = owner
    }

    /// Writes the ID to an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(NSString(string: zoneName), forKey: "ZoneName")
        coder.encode(NSString(string: ownerName), forKey: "OwnerName")
    }

    /// True: an archive is read with the classes it should hold.
    open class var supportsSecureCoding: Bool { true }

    /// The receiver itself, since it never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    override open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKRecordZoneID else { return false }
        return zoneName == other.zoneName && ownerName == other.ownerName
    }

    override open var hash: Int {
        var hasher = Hasher()
        hasher.combine(zoneName)
        hasher.combine(ownerName)
        return hasher.finalize()
    }

    override open var description: String { "\(zoneName):\(ownerName)" }
}
