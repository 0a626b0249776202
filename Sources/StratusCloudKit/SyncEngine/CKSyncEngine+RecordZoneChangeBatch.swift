internal import RecordModel
internal import RecordWire

extension CKSyncEngine {
    /// Changes of records that are sent together.
    public struct RecordZoneChangeBatch: Sendable, CustomStringConvertible {
        /// The most changes that ``init(pendingChanges:recordProvider:)`` takes: what one request takes.
        static let maximumCount = Limits.operationsPerRequest
        /// The most bytes that the fields of its records take, without files. The figure is that of CloudKit's
        /// documentation ("CKError.limitExceeded"); a single larger record still makes a batch.
        static let maximumBytes = 2 << 20

        /// The records to save.
        public var recordsToSave: [CKRecord]
        /// The records to delete.
        public var recordIDsToDelete: [CKRecord.ID]
        /// Whether of each zone all records are saved and deleted, or none: the others of a zone then fail with
        /// `CKError.batchRequestFailed` where one fails.
        public var atomicByZone: Bool

        /// Takes changes in their order until the batch is as large as a request can be; nil where none is left to
        /// send.
        ///
        /// - Parameters:
        ///   - pendingChanges: the changes; the rest of them belong into the next batch.
        ///   - recordProvider: gives the record of each change that saves one. A change for which it gives nil is
        ///     passed over and stays pending; remove it from the state where it means nothing any more.
        public init?(
            pendingChanges: [PendingRecordZoneChange],
            recordProvider: @Sendable (CKRecord.ID) async -> CKRecord?
        ) async {
            self.init()
            var bytes = 0
            for change in pendingChanges {
                guard recordsToSave.count + recordIDsToDelete.count < Self.maximumCount else { break }
                switch change {
                case .deleteRecord(let recordID): recordIDsToDelete.append(recordID)
                case .saveRecord(let recordID):
                    guard let record = await recordProvider(recordID) else { continue }
                    bytes += record.fieldBytes
                    guard bytes <= Self.maximumBytes || isEmpty else { return }
                    recordsToSave.append(record)
                }
            }
            if isEmpty { return nil }
        }

        /// Makes a batch of one's own.
        ///
        /// One that is larger than a request can be is sent in several; with ``atomicByZone`` it then fails with
        /// `CKError.limitExceeded`.
        public init(
            recordsToSave: [CKRecord] = [], recordIDsToDelete: [CKRecord.ID] = [], atomicByZone: Bool = false
        ) {
            self.recordsToSave = recordsToSave
            self.recordIDsToDelete = recordIDsToDelete
            self.atomicByZone = atomicByZone
        }

        /// How many records are saved and deleted.
        public var description: String {
            "\(recordsToSave.count) to save, \(recordIDsToDelete.count) to delete"
                + (atomicByZone ? ", atomic by zone" : "")
        }

        var isEmpty: Bool { recordsToSave.isEmpty && recordIDsToDelete.isEmpty }
    }
}

extension CKRecord {
    /// How many bytes the record's fields take in a request.
    fileprivate var fieldBytes: Int {
        let values = snapshot.values
        return JSONWriter.text { writer in
            writer.beginObject()
            for (key, value) in values {
                guard let field = value.wire else { continue }
                writer.key(text: key)
                field.writeField(to: &writer)
            }
            writer.endObject()
        }.count
    }
}
