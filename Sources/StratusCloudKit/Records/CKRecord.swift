public import Foundation
internal import RecordModel
internal import Synchronization

/// A record: a type, a name in a zone, and fields by key.
///
/// A record is made by the app or comes from a database. Changes stay here until the record is saved; after
/// a save the same instance carries the new version, so it can be changed and saved again.
///
/// ```swift
/// let record = CKRecord(recordType: "Restaurant")
/// record["name"] = "Nonna"
/// try await database.save(record)
/// ```
///
/// Sendable is unchecked because the superclass and the subclasses to come are not final: every part that
/// changes is behind one mutex, so a record may be read and set from any thread.
open class CKRecord: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The name of a record type.
    public typealias RecordType = String
    /// The name of a field.
    public typealias FieldKey = String
    /// The name of a record in a zone.
    public typealias ID = CKRecordID
    /// A link to another record.
    public typealias Reference = CKReference

    /// What changes in the life of a record.
    struct State: Sendable {
        var values: [FieldKey: RecordValue] = [:]
        /// The keys that were set since the last fetch or save, in the order of their first change.
        var changedKeys: [FieldKey] = []
        /// The values as the service last had them: the ancestor in a conflict.
        var base: [FieldKey: RecordValue] = [:]
        /// The keys of encrypted values.
        var encryptedKeys: Set<FieldKey> = []
        var changeTag: String?
        var created: Stamp?
        var modified: Stamp?
        var parent: CKReference?
        var share: CKReference?
    }

    /// Who wrote, and when.
    struct Stamp: Sendable {
        var milliseconds: Int64
        var userRecordName: String
    }

    /// The record's type.
    public let recordType: RecordType
    /// The record's name and zone.
    public let recordID: ID
    private let state: Mutex<State>

    /// Makes a record that is not in a database yet; without an ID it gets a new one in the default zone.
    public init(recordType: RecordType, recordID: ID = ID()) {
        self.recordType = recordType
        self.recordID = recordID
        state = Mutex(State())
    }

    /// Makes a record with a new name in a zone.
    @available(*, deprecated, message: "Use init(recordType:recordID:) with an ID in the zone.")
    public convenience init(recordType: RecordType, zoneID: CKRecordZoneID) {
        self.init(recordType: recordType, recordID: ID(zoneID: zoneID))
    }

    init(recordType: RecordType, recordID: ID, state: State) {
        self.recordType = recordType
        self.recordID = recordID
        self.state = Mutex(state)
    }

    /// Reads a record from an archive; nil where the archive does not hold one. See ``encodeSystemFields(with:)``.
    public required init?(coder: NSCoder) {
        guard let type = coder.safeText(forKey: Archive.recordType),
            let recordID = coder.safeObject(of: CKRecordID.self, forKey: Archive.recordID)
        else { return nil }
        recordType = type
        self.recordID = recordID
        state = Mutex(Self.decodeState(coder, zoneID: recordID.zoneID))
    }

    /// Writes the whole record to an archive: what ``encodeSystemFields(with:)`` writes, and the fields.
    open func encode(with coder: NSCoder) {
        encodeSystemFields(with: coder)
        encodeFields(with: coder)
    }

    /// Writes what the service knows the record by, and no fields: ID, type, version, dates, users, parent.
    ///
    /// An app that keeps its own data archives this, makes a record of it with `CKRecord(coder:)`, sets the
    /// fields that changed and saves it; the service then says whether somebody else changed it meanwhile.
    open func encodeSystemFields(with coder: NSCoder) { writeSystemFields(to: coder) }

    /// True: an archive is read with the classes it should hold.
    open class var supportsSecureCoding: Bool { true }

    /// A record of the same ID, version and fields, whose changes are its own.
    open func copy(with zone: NSZone? = nil) -> Any {
        CKRecord(recordType: recordType, recordID: recordID, state: snapshot)
    }

    override open var description: String {
        "CKRecord \(recordType) \(recordID) \(allKeys().sorted())"
    }
}

extension CKRecord {
    /// The record's state at one moment.
    var snapshot: State { state.withLock { $0 } }

    /// Changes the record's state in one step.
    func mutate(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    /// The version that the service gave the record; nil for one that was never saved.
    public var recordChangeTag: String? { snapshot.changeTag }

    /// When the record was first saved; nil before.
    public var creationDate: Date? { snapshot.created.map { Date(milliseconds: $0.milliseconds) } }

    /// When the record was last saved; nil before.
    public var modificationDate: Date? {
        snapshot.modified.map { Date(milliseconds: $0.milliseconds) }
    }

    /// Who saved the record first; nil before.
    public var creatorUserRecordID: ID? {
        snapshot.created.map { ID(recordName: $0.userRecordName) }
    }

    /// Who saved the record last; nil before.
    public var lastModifiedUserRecordID: ID? {
        snapshot.modified.map { ID(recordName: $0.userRecordName) }
    }

    /// The record above in a share's hierarchy.
    public var parent: Reference? {
        get { snapshot.parent }
        set { mutate { $0.parent = newValue } }
    }

    /// Puts the record below another one, or, with nil, below none.
    public func setParent(_ parent: CKRecord?) { setParent(parent?.recordID) }

    /// Puts the record below the one of an ID, or, with nil, below none.
    public func setParent(_ parentID: ID?) {
        parent = parentID.map { Reference(recordID: $0, action: .none) }
    }

    /// The share of the record; nil for a record that is not shared.
    public var share: Reference? { snapshot.share }
}
