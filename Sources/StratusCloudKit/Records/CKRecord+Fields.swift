internal import Foundation

extension CKRecord: CKRecordKeyValueSetting, KeyValueReadable {
    /// The value of a field; nil where it has none.
    public subscript(key: FieldKey) -> (any CKRecordValue)? {
        get { object(forKey: key) }
        set { setObject(newValue, forKey: key) }
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

extension CKRecord: Sequence {}
