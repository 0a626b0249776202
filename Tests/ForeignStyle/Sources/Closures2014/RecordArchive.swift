import CloudKit

/// A queue of records that wait to be sent, on disk; some have files.
class RecordArchive {
    let file: URL

    init(file: URL) {
        self.file = file
    }

    func write(_ records: [CKRecord]) throws {
        let data = try NSKeyedArchiver.archivedData(withRootObject: records, requiringSecureCoding: true)
        try data.write(to: file)
    }

    func read() throws -> [CKRecord] {
        let data = try Data(contentsOf: file)
        let classes: [AnyClass] = [NSArray.self, CKRecord.self]
        return try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data) as? [CKRecord] ?? []
    }
}
