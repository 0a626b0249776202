internal import Foundation

extension CKRecord: CKRecordKeyValueSetting, KeyValueReadable {
    /// The value of a field; nil where it has none.
    public subscript(key: FieldKey) -> (any CKRecordValue)? {
        get { object(forKey: key) }
        set { setObject(newValue, forKey: key) }
    }

    /// The value of a field; nil where it has none.
    public func object(forKey key: FieldKey) -> (any CKRecordValue)? {
        let state = snapshot
        return state.encryptedKeys.contains(key) ? nil : state.values[key]?.object(zoneID: recordID.zoneID)
    }

    /// Sets or, with nil, removes the value of a field.
    public func setObject(_ object: (any CKRecordValue)?, forKey key: FieldKey) {
        set(object.map { RecordValue($0, zoneID: recordID.zoneID) }, forKey: key)
    }

    /// Sets or, with nil, removes the value of a field.
    ///
    /// A value that no field can hold does not stop the app: saving the record fails with
    /// `CKError.invalidArguments` and the field's name.
    public func setValue(_ value: Any?, forKey key: FieldKey) {
        guard let value, !(value is NSNull) else { return set(nil, forKey: key) }
        set(RecordValue(value, zoneID: recordID.zoneID), forKey: key)
    }

    /// The value of a field, or of a system field by its native name, `creationDate` for example.
    ///
    /// Predicates that are evaluated here read a record through this method.
    public func value(forKey key: FieldKey) -> Any? {
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
    public func allKeys() -> [FieldKey] {
        let state = snapshot
        return state.values.keys.filter { !state.encryptedKeys.contains($0) }.sorted()
    }

    /// The keys of the fields that were set or removed since the record was made, fetched or saved; those of
    /// ``encryptedValues`` are not among them.
    public func changedKeys() -> [FieldKey] {
        let state = snapshot
        return state.changedKeys.filter { !state.encryptedKeys.contains($0) }
    }

    /// The words of the record's strings, as a search for tokens sees them.
    public func allTokens() -> [String] {
        let texts = allKeys().compactMap { object(forKey: $0) as? String }
        return texts.flatMap { $0.split { !$0.isLetter && !$0.isNumber }.map { $0.lowercased() } }
    }

    /// Sets or, with nil, removes the value of a plain or an encrypted field.
    func set(_ value: RecordValue?, forKey key: FieldKey, isEncrypted: Bool = false) {
        mutate { state in
            if isEncrypted { state.encryptedKeys.insert(key) } else { state.encryptedKeys.remove(key) }
            state.values[key] = value
            if !state.changedKeys.contains(key) { state.changedKeys.append(key) }
        }
    }
}

/// Goes through the fields of a record in the order of their keys.
public struct CKRecordKeyValueIterator: IteratorProtocol {
    private var keys: [CKRecord.FieldKey].Iterator
    private let record: CKRecord

    init(_ record: CKRecord) {
        keys = record.allKeys().makeIterator()
        self.record = record
    }

    /// The next key and its value; a field that was removed meanwhile is passed over.
    public mutating func next() -> (CKRecord.FieldKey, any CKRecordValue)? {
        while let key = keys.next() {
            if let value = record.object(forKey: key) { return (key, value) }
        }
        return nil
    }
}

extension CKRecord: Sequence {
    /// Goes through the fields in the order of their keys.
    public func makeIterator() -> CKRecordKeyValueIterator { CKRecordKeyValueIterator(self) }
}
