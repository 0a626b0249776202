extension CKDatabase {
    /// What happened to the zones of a database.
    public enum DatabaseChange {
        /// Records of a zone changed, or the zone is new.
        public struct Modification: Sendable, Hashable {
            /// The zone.
            public let zoneID: CKRecordZone.ID
        }

        /// A zone was deleted.
        public struct Deletion: Sendable, Hashable {
            /// Why a zone was deleted.
            public enum Reason: Int, Sendable {
                /// Somebody deleted it.
                case deleted = 1
                /// The user removed the app's data; never sent by this service.
                case purged = 2
                /// The user reset the encrypted data; never sent by this service.
                case encryptedDataReset = 3
            }

            /// The zone.
            public let zoneID: CKRecordZone.ID
            /// Why it was deleted.
            public let reason: Reason

            /// Whether the user removed the app's data.
            @available(*, deprecated, message: "Use reason.")
            public var purged: Bool { reason == .purged }
        }
    }

    /// What happened to the records of a zone.
    public enum RecordZoneChange {
        /// A record is new or changed.
        public struct Modification: Sendable {
            /// The record as it is now.
            public let record: CKRecord
        }

        /// A record was deleted.
        public struct Deletion: Sendable, Hashable {
            /// The record.
            public let recordID: CKRecord.ID
            /// Its type; empty where the service does not know it any more.
            public let recordType: CKRecord.RecordType
        }
    }

    /// The zones that changed, and where to go on.
    public typealias DatabaseChanges = (
        modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
        changeToken: CKServerChangeToken, moreComing: Bool
    )

    /// The records of a zone that changed, and where to go on.
    public typealias RecordZoneChanges = (
        modificationResultsByID: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>],
        deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
    )
}
