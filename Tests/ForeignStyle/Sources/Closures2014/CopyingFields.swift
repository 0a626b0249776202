import CloudKit

/// Fields from one record to another by key-value coding, and their texts for a log.
enum CopyingFields {
    static func copy(_ keys: [String], from record: CKRecord, to other: CKRecord) {
        other.setValuesForKeys(record.dictionaryWithValues(forKeys: keys))
    }

    static func remember(_ record: CKRecord, in defaults: UserDefaults) -> String? {
        defaults.setValue(record.value(forKey: "text"), forKey: record.recordID.recordName)
        return defaults.value(forKey: record.recordID.recordName) as? String
    }
}
