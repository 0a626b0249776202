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
        /// Whether the parent was set since the last fetch or save: what was not is not sent, since others may have moved
        /// the record meanwhile.
        var isParentChanged = false
        var share: CKReference?
        /// Whether a share was made for the record that the service does not have yet.
        var isShareUnsaved = false
    }

    /// Who wrote, and when.
    struct Stamp: Sendable {
        var milliseconds: Int64
        var userRecordName: String
    }

    /// The record's type.
    open private(set) var recordType: RecordType
    /// The record's name and zone.
    open private(set) var recordID: ID
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

    /// The record's state at one moment.
    var snapshot: State { state.withLock { $0 } }

    /// Changes the record's state in one step.
    func mutate(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    /// The version that the service gave the record; nil for one that was never saved.
    open var recordChangeTag: String? { snapshot.changeTag }

    /// When the record was first saved; nil before.
    open var creationDate: Date? { snapshot.created.map { Date(milliseconds: $0.milliseconds) } }

    /// When the record was last saved; nil before.
    open var modificationDate: Date? {
        snapshot.modified.map { Date(milliseconds: $0.milliseconds) }
    }

    /// Who saved the record first; nil before.
    open var creatorUserRecordID: ID? {
        snapshot.created.map { ID(recordName: $0.userRecordName) }
    }

    /// Who saved the record last; nil before.
    open var lastModifiedUserRecordID: ID? {
        snapshot.modified.map { ID(recordName: $0.userRecordName) }
    }

    /// The record above in a share's hierarchy.
    open var parent: Reference? {
        get { snapshot.parent }
        set {
            mutate { state in
                state.parent = newValue
                state.isParentChanged = true
            }
        }
    }

    /// Puts the record below another one, or, with nil, below none.
    open func setParent(_ parent: CKRecord?) { setParent(parent?.recordID) }

    /// Puts the record below the one of an ID, or, with nil, below none.
    open func setParent(_ parentID: ID?) {
        parent = parentID.map { Reference(recordID: $0, action: .none) }
    }

    /// The share of the record; nil for a record that is not shared.
    open var share: Reference? { snapshot.share }

    // MARK: Fields

    /// The value of a field; nil where it has none.
    open func object(forKey key: FieldKey) -> (any CKRecordValue)? {
        let state = snapshot
        return state.encryptedKeys.contains(key) ? nil : state.values[key]?.object(zoneID: recordID.zoneID)
    }

    /// Sets or, with nil, removes the value of a field.
    open func setObject(_ object: (any CKRecordValue)?, forKey key: FieldKey) {
        set(object.map { RecordValue($0, zoneID: recordID.zoneID) }, forKey: key)
    }

    /// Sets or, with nil, removes the value of a field.
    ///
    /// A value that no field can hold does not stop the app: saving the record fails with
    /// `CKError.invalidArguments` and the field's name.
    open func setValue(_ value: Any?, forKey key: FieldKey) {
        guard let value, !(value is NSNull) else { return set(nil, forKey: key) }
        set(RecordValue(value, zoneID: recordID.zoneID), forKey: key)
    }

    /// The value of a field, or of a system field by its native name, `creationDate` for example.
    ///
    /// Predicates that are evaluated here read a record through this method.
    open func value(forKey key: FieldKey) -> Any? {
        if let value = object(forKey: key) { return value }
        switch key {
        case "recordID", SystemFieldKey.recordID: return recordID
        case "creationDate", SystemFieldKey.creationDate: return creationDate
        case "modificationDate", SystemFieldKey.modificationDate: return modificationDate
        case "creatorUserRecordID", SystemFieldKey.creatorUserRecordID: return creatorUserRecordID
        case "lastModifiedUserRecordID", SystemFieldKey.lastModifiedUserRecordID:
            return lastModifiedUserRecordID
        case "parent", SystemFieldKey.parent: return parent
        case "share", SystemFieldKey.share: return share
        default: return nil
        }
    }

    /// The keys of the fields that have a value, in alphabetical order; those of ``encryptedValues`` are not
    /// among them.
    open func allKeys() -> [FieldKey] {
        let state = snapshot
        return state.values.keys.filter { !state.encryptedKeys.contains($0) }.sorted()
    }

    /// The keys of the fields that were set or removed since the record was made, fetched or saved; those of
    /// ``encryptedValues`` are not among them.
    open func changedKeys() -> [FieldKey] {
        let state = snapshot
        return state.changedKeys.filter { !state.encryptedKeys.contains($0) }
    }

    /// The words of the record's strings, as a search for tokens sees them.
    open func allTokens() -> [String] {
        let texts = allKeys().compactMap { object(forKey: $0) as? String }
        return texts.flatMap { $0.split { !$0.isLetter && !$0.isNumber }.map { $0.lowercased() } }
    }

    /// The fields that the service marks as encrypted: nothing can be asked of them in queries.
    ///
    /// A field is encrypted from its first save on, or where the schema declares it so; a record's other fields
    /// do not have its key. Strings, numbers, dates, places, data and lists of them can be encrypted.
    ///
    /// - Important: The service encrypts these values where it stores them. It has the key, so whoever runs it can read
    ///   them.
    open var encryptedValues: any CKRecordKeyValueSetting & Sendable { EncryptedValues(record: self) }

    /// Goes through the fields in the order of their keys.
    open func makeIterator() -> CKRecordKeyValueIterator { CKRecordKeyValueIterator(self) }
}
