internal import Foundation
internal import RecordModel
internal import RecordWire

extension CKAsset {
    private enum Archive {
        static let fileURL = "FileURL"
        static let uploaded = "Uploaded"
        static let place = "OriginPlace"
        static let recordID = "OriginRecordID"
        static let field = "OriginField"
    }

    /// Writes where the app's file is, and what the service knows of it.
    func write(to coder: NSCoder) {
        if let archivedURL {
            coder.encode(NSString(string: archivedURL.absoluteString), forKey: Archive.fileURL)
        }
        if let uploaded {
            let json = JSONWriter.text { FieldValue.asset(uploaded).writeField(to: &$0) }
            coder.encode(NSData(data: Data(json)), forKey: Archive.uploaded)
        }
        guard let origin else { return }
        coder.encode(NSString(string: origin.place), forKey: Archive.place)
        coder.encode(origin.recordID, forKey: Archive.recordID)
        coder.encode(NSString(string: origin.field), forKey: Archive.field)
    }

    /// Reads what ``write(to:)`` wrote; nil where there is neither a file nor what the service knows.
    convenience init?(archive coder: NSCoder) {
        let fileURL = coder.safeText(forKey: Archive.fileURL).flatMap { URL(string: $0) }
        var uploaded: Asset?
        if let data = coder.safeData(forKey: Archive.uploaded), let json = try? JSONReader.read(data).object,
            let field = try? WireField(json: json),
            case .asset(let asset)? = try? FieldValue.decode(field, expected: nil)
        {
            uploaded = asset
        }
        guard fileURL != nil || uploaded != nil else { return nil }
        var origin: Origin?
        if let place = coder.safeText(forKey: Archive.place),
            let recordID = coder.safeObject(of: CKRecordID.self, forKey: Archive.recordID),
            let field = coder.safeText(forKey: Archive.field)
        {
            origin = Origin(place: place, recordID: recordID, field: field)
        }
        self.init(fileURL: fileURL, uploaded: uploaded, origin: origin)
    }
}
