import CloudKit

/// Keeping a record's system fields beside the app's own model, as every app does that syncs.
extension CKRecord {
    var systemFields: Data {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        encodeSystemFields(with: archiver)
        archiver.finishEncoding()
        return archiver.encodedData
    }

    convenience init?(systemFields: Data) {
        guard let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: systemFields) else { return nil }
        unarchiver.requiresSecureCoding = true
        self.init(coder: unarchiver)
        unarchiver.finishDecoding()
    }
}
