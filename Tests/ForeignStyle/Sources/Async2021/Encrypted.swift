import CloudKit

/// Encrypted values beside open ones.
struct Encrypted {
    static func record(secret: String) -> CKRecord {
        let record = CKRecord(recordType: "Diary")
        record.encryptedValues["secret"] = secret
        record.encryptedValues["number"] = 42
        return record
    }

    static func secret(of record: CKRecord) -> String? {
        record.encryptedValues["secret"]
    }

    static func keys(of record: CKRecord) -> [String] {
        record.encryptedValues.allKeys().sorted()
    }
}
