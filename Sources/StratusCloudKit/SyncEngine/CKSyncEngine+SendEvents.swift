extension CKSyncEngine.Event {
    /// Sending begins.
    public struct WillSendChanges: Sendable, CustomStringConvertible {
        /// Why, and what.
        public let context: CKSyncEngine.SendChangesContext

        /// The context.
        public var description: String { context.description }
    }

    /// Sending ended; one comes for each ``WillSendChanges``.
    public struct DidSendChanges: Sendable, CustomStringConvertible {
        /// Why, and what.
        public let context: CKSyncEngine.SendChangesContext

        /// The context.
        public var description: String { context.description }
    }

    /// Changes of zones were sent.
    public struct SentDatabaseChanges: Sendable, CustomStringConvertible {
        /// A zone that could not be saved.
        public struct FailedZoneSave: Sendable, CustomStringConvertible {
            /// The zone.
            public let zone: CKRecordZone
            /// Why.
            public let error: CKError

            /// The zone and the error.
            public var description: String { "\(zone.zoneID): \(error)" }
        }

        /// Zones that were saved.
        public let savedZones: [CKRecordZone]
        /// Zones that could not be saved. Those whose failure passes by itself wait on, the others do not.
        public let failedZoneSaves: [FailedZoneSave]
        /// Zones that were deleted.
        public let deletedZoneIDs: [CKRecordZone.ID]
        /// Zones that could not be deleted, and why.
        public let failedZoneDeletes: [CKRecordZone.ID: CKError]

        /// How many zones.
        public var description: String {
            "\(savedZones.count) saved, \(deletedZoneIDs.count) deleted, "
                + "\(failedZoneSaves.count + failedZoneDeletes.count) failed"
        }
    }

    /// A batch of changes of records was sent.
    ///
    /// Keep the system fields of the records that were saved, for the next time that they are.
    public struct SentRecordZoneChanges: Sendable, CustomStringConvertible {
        /// A record that could not be saved.
        public struct FailedRecordSave: Sendable, CustomStringConvertible {
            /// The record.
            public let record: CKRecord
            /// Why; after a conflict ``CKError/serverRecord`` has the service's record.
            public let error: CKError

            /// The record and the error.
            public var description: String { "\(record.recordID): \(error)" }
        }

        /// Records that were saved.
        public let savedRecords: [CKRecord]
        /// Records that could not be saved. Those whose failure passes by itself wait on; the others are
        /// the app's to fix and to add again.
        public let failedRecordSaves: [FailedRecordSave]
        /// Records that were deleted.
        public let deletedRecordIDs: [CKRecord.ID]
        /// Records that could not be deleted, and why.
        public let failedRecordDeletes: [CKRecord.ID: CKError]

        /// How many records.
        public var description: String {
            "\(savedRecords.count) saved, \(deletedRecordIDs.count) deleted, "
                + "\(failedRecordSaves.count + failedRecordDeletes.count) failed"
        }
    }
}
