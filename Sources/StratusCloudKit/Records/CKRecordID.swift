public import Foundation
internal import RecordModel

/// The name of a record: unique in its zone, over all record types. Write it as `CKRecord.ID`.
///
/// A value without parts that change; two IDs are equal when their names and zones are.
///
/// Sendable is unchecked because the class is open: what it holds itself never changes.
open class CKRecordID: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    // NB: a class of its own at the top level, since NSKeyedArchiver on Linux stops the process at a nested
    // class ("is not a top-level class"). The name is the one that Apple's class has in Objective-C.

    /// The record's name.
    public final let recordName: String
    /// The zone that the record is in.
    public final let zoneID: CKRecordZoneID

    /// Names a record; without a name it gets a new UUID, without a zone it is in the default zone.
    public init(recordName: String = UUID().uuidString, zoneID: CKRecordZoneID = .default) {
        self.recordName = recordName
        self.zoneID = zoneID
    }

    /// Reads an ID from an archive; nil where it is none.
    public required init?(coder: NSCoder) {
        guard let name = coder.safeText(forKey: "RecordName"),
            let zoneID = coder.safeObject(of: CKRecordZoneID.self, forKey: "ZoneID")
        else { return nil }
        recordName = name
        self.zoneID = zoneID
    }

    /// Writes the ID to an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(NSString(string: recordName), forKey: "RecordName")
        coder.encode(zoneID, forKey: "ZoneID")
    }

    /// True: an archive is read with the classes it should hold.
    open class var supportsSecureCoding: Bool { true }

    /// The receiver itself, since it never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    override open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKRecordID else { return false }
        return recordName.isExactly(other.recordName) && zoneID == other.zoneID
    }

    override open var hash: Int {
        var hasher = Hasher()
        hasher.combine(ExactText(recordName))
        hasher.combine(zoneID)
        return hasher.finalize()
    }

    override open var description: String { "\(recordName) in \(zoneID)" }
}
