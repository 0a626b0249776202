internal import Foundation
internal import RecordModel
internal import RecordWire

/// The files of a record that have to come to the service before the record is saved.
struct RecordFiles: Sendable {
    /// One file, and where it belongs.
    struct Item: Sendable {
        let slot: FileSlot
        let asset: CKAsset
        /// The field that the service has the file in, where it is to be copied from there.
        let copied: CKAsset.Origin?
    }

    let record: CKRecord
    let items: [Item]

    /// Looks for files in values that will be sent; nil where there are none that have to move.
    ///
    /// - Parameter origin: says where the service will have the value of a field.
    init?(
        of record: CKRecord, values: [(key: CKRecord.FieldKey, value: RecordValue)],
        origin: (CKRecord.FieldKey) -> CKAsset.Origin
    ) {
        var items: [Item] = []
        for (key, value) in values {
            for (index, asset) in value.assets.enumerated() {
                let slot = FileSlot(recordID: record.recordID, field: key, index: index)
                let own = origin(key)
                switch (asset.uploaded, asset.origin) {
                case (nil, _): items.append(Item(slot: slot, asset: asset, copied: nil))
                // Where it comes from is not known, or it is the field itself: the service knows the content.
                case (_?, nil): continue
                case (_?, let from?) where from == own: continue
                case (_?, let from?):
                    let canBeCopied = from.place == own.place && value.isSingleFile
                    items.append(Item(slot: slot, asset: asset, copied: canBeCopied ? from : nil))
                }
            }
        }
        guard !items.isEmpty else { return nil }
        self.record = record
        self.items = items
    }
}

/// A place in a record for one file.
struct FileSlot: Hashable, Sendable {
    let recordID: CKRecord.ID
    let field: CKRecord.FieldKey
    let index: Int
}

/// What came of bringing files to the service.
struct AssetResults: Sendable {
    /// What the fields are to be set to.
    var assets: [FileSlot: Asset] = [:]
    /// The records whose files did not come there, and why.
    var failures: [CKRecord.ID: CKError] = [:]
}

extension RecordValue {
    fileprivate var isSingleFile: Bool {
        if case .assets(_, isList: false) = self { true } else { false }
    }
}

/// What is to be asked for and sent in one go: the addresses are good for a while only.
struct UploadBatch: Sendable {
    /// The most bytes of a batch, unless one record has more: they are sent within the life of their addresses.
    static let bytes: Int64 = 67_108_864

    /// One file with the state it was seen in.
    struct File: Sendable {
        let slot: FileSlot
        let recordType: CKRecord.RecordType
        let url: URL
        let state: FileState
    }

    let zoneID: CKRecordZone.ID
    /// The files of each record.
    let records: [(recordID: CKRecord.ID, files: [File])]

    /// Divides records into batches of one zone and of a bounded number of files and bytes.
    static func divide(_ records: [(recordID: CKRecord.ID, files: [File])]) -> [UploadBatch] {
        var batches: [UploadBatch] = []
        var current: [(recordID: CKRecord.ID, files: [File])] = []
        var count = 0
        var size: Int64 = 0
        func close() {
            if let zone = current.first?.recordID.zoneID {
                batches.append(UploadBatch(zoneID: zone, records: current))
            }
            (current, count, size) = ([], 0, 0)
        }
        for record in records {
            let bytes = record.files.reduce(0) { $0 + $1.state.size }
            let isOther = current.first.map { $0.recordID.zoneID != record.recordID.zoneID } ?? false
            if isOther || count + record.files.count > Limits.itemsPerRequest || size + bytes > Self.bytes {
                close()
            }
            current.append(record)
            count += record.files.count
            size += bytes
        }
        close()
        return batches
    }
}
