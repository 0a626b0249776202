public import Foundation

/// A link to another record of the same database. Write it as `CKRecord.Reference`.
///
/// Sendable is unchecked because the class is open: what it holds itself never changes.
open class CKReference: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    // NB: at the top level for NSKeyedArchiver's sake, as CKRecordID is.

    /// What happens to the link's owner when that record is deleted.
    public typealias Action = CKRecord.ReferenceAction

    /// The record that the link points at.
    public final let recordID: CKRecordID
    /// What happens to the link's owner when that record is deleted.
    public final let action: CKRecord.ReferenceAction

    /// Makes a link to the record of an ID.
    public init(recordID: CKRecordID, action: CKRecord.ReferenceAction) {
        self.recordID = recordID
        self.action = action
    }

    /// Makes a link to a record.
    public convenience init(record: CKRecord, action: CKRecord.ReferenceAction) {
        self.init(recordID: record.recordID, action: action)
    }

    /// Reads a link from an archive; nil where the archive does not hold one.
    public required init?(coder: NSCoder) {
        guard let recordID = coder.safeObject(of: CKRecordID.self, forKey: "RecordID") else { return nil }
        self.recordID = recordID
        action =
            CKRecord.ReferenceAction(rawValue: UInt(max(0, coder.safeInt64(forKey: "Action")))) ?? .none
    }

    /// Writes the link to an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(recordID, forKey: "RecordID")
        coder.encode(Int64(action.rawValue), forKey: "Action")
    }

    /// True: an archive is read with the classes it should hold.
    open class var supportsSecureCoding: Bool { true }

    /// The receiver itself, since it never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    override open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKReference else { return false }
        return recordID == other.recordID && action == other.action
    }

    override open var hash: Int { recordID.hash }

    override open var description: String { "reference to \(recordID)" }
}

/// The older name of ``CKRecord/ReferenceAction``.
@available(*, deprecated, renamed: "CKRecord.ReferenceAction")
public typealias CKRecord_Reference_Action = CKRecord.ReferenceAction

extension CKRecord {
    /// What happens to a record with a link when the record it points at is deleted.
    public enum ReferenceAction: UInt, Hashable, Sendable {
        /// Nothing; the link dangles.
        case none = 0
        /// The record with the link is deleted too.
        case deleteSelf = 1
    }
}
