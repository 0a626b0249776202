import CloudKit

/// The whole of a small app's cloud layer, with `import CloudKit` alone: predicates, sort descriptors and dates come
/// with it.
class NoteStore {
    let database: CKDatabase
    var notes = [CKRecord]()

    init(container: CKContainer) {
        database = container.privateCloudDatabase
    }

    func add(text: String, completion: @escaping (CKRecord?, Error?) -> Void) {
        let note = CKRecord(recordType: "Note")
        note.setObject(text as NSString, forKey: "text")
        note["written"] = NSDate()
        database.save(note, completionHandler: completion)
    }

    func load(matching text: String, completion: @escaping ([CKRecord]?, Error?) -> Void) {
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "text BEGINSWITH %@", text))
        query.sortDescriptors = [NSSortDescriptor(key: "written", ascending: false)]
        database.perform(query, inZoneWith: nil, completionHandler: completion)
    }

    func remove(_ note: CKRecord, completion: @escaping (Error?) -> Void) {
        database.delete(withRecordID: note.recordID) { _, error in
            completion(error)
        }
    }
}
