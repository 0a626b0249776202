import CloudKit

/// A record with a file and a reference to its owner.
class PhotoUpload {
    let database: CKDatabase

    init(database: CKDatabase) {
        self.database = database
    }

    func upload(file: URL, of album: CKRecord, completion: @escaping (CKRecord?, Error?) -> Void) {
        let photo = CKRecord(recordType: "Photo", recordID: CKRecord.ID(recordName: UUID().uuidString))
        photo["file"] = CKAsset(fileURL: file)
        photo["album"] = CKRecord.Reference(record: album, action: .deleteSelf)
        photo.parent = CKRecord.Reference(recordID: album.recordID, action: CKRecord.Reference.Action.none)
        photo["place"] = CLLocation(latitude: 48.2, longitude: 16.37)
        database.save(photo) { saved, error in
            completion(saved, error)
        }
    }

    func data(of photo: CKRecord) -> Data? {
        guard let asset = photo["file"] as? CKAsset, let url = asset.fileURL else { return nil }
        return try? Data(contentsOf: url)
    }
}
