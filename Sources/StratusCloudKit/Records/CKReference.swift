public import Foundation

/// A link to another record of the same database. Write it as `CKRecord.Reference`.
public final class CKReference: NSObject, NSSecureCoding, NSCopying, Sendable {
    // NB: at the top level for NSKeyedArchiver's sake, as CKRecordID is.

    /// The record that the link points at.
    public let recordID: CKRecordID
    /// What happens to the link's owner when that record is deleted.
    public let action: CKRecord.ReferenceAction

    /// Makes a link to the record of an ID.
    public init(recordID: CKRecordID, action: CKRecord.ReferenceAction) {
        self.recordID = recordID
        self.action = action
    }

    /// Makes a link to a record.
    public convenience init(record: CKRecord, action: CKRecord.ReferenceAction) {
        self.init(recordID: record.recordID, action: action)
    }

    /// Reads a link from an archive; nil where it is none.
    public init?(coder: NSCoder) {
        guard let recordID = coder.safeObject(of: CKRecordID.self, forKey: "RecordID") else { return nil }
        self.recordID = recordID
        action =
            CKRecord.ReferenceAction(rawValue: UInt(max(0, coder.safeInt64(forKey: "Action")))) ?? .none
    }

    /// Writes the link to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(recordID, forKey: "RecordID")
        coder.encode(Int64(action.rawValue), forKey: "Action")
    }

    /// True: an archive is read with the classes it should hold.
    public static var supportsSecureCoding: Bool { true }

    /// The receiver itself, since it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    override public func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKReference else { return false }
        return recordID == other.recordID && action == other.action
    }

    override public var hash: Int { recordID.hash }

    override public var description: String { "reference to \(recordID)" }
}

extension CKRecord {
    /// What happens to a record with a link when the record it points at is deleted.
    public enum ReferenceAction: UInt, Hashable, Sendable {
        /// Nothing; the link dangles.
        case none = 0
        /// The record with the link is deleted too.
        case deleteSelf = 1
    }
}
