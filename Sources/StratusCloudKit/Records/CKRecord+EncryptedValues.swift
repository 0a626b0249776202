internal import Foundation

/// The encrypted fields of a record, read and set by key.
final class EncryptedValues: CKRecordKeyValueSetting, Sendable {
    private let record: CKRecord

    init(record: CKRecord) { self.record = record }

    subscript(key: CKRecord.FieldKey) -> (any CKRecordValue)? {
        get { object(forKey: key) }
        set { setObject(newValue, forKey: key) }
    }

    func object(forKey key: CKRecord.FieldKey) -> (any CKRecordValue)? {
        let state = record.snapshot
        guard state.encryptedKeys.contains(key) else { return nil }
        return state.values[key]?.object(zoneID: record.recordID.zoneID)
    }

    func setObject(_ object: (any CKRecordValue)?, forKey key: CKRecord.FieldKey) {
        let value = object.map { RecordValue($0, zoneID: record.recordID.zoneID) }
        record.set(value, forKey: key, isEncrypted: true)
    }

    func allKeys() -> [CKRecord.FieldKey] {
        let state = record.snapshot
        return state.encryptedKeys.filter { state.values[$0] != nil }.sorted()
    }

    func changedKeys() -> [CKRecord.FieldKey] {
        let state = record.snapshot
        return state.changedKeys.filter { state.encryptedKeys.contains($0) }
    }
}
