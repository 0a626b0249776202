extension CKSyncEngine.Event {
    /// Zones changed at the service.
    public struct FetchedDatabaseChanges: Sendable, CustomStringConvertible {
        /// Zones that are new or whose records changed.
        public let modifications: [CKDatabase.DatabaseChange.Modification]
        /// Zones that are gone, and why.
        public let deletions: [CKDatabase.DatabaseChange.Deletion]

        /// How many zones.
        public var description: String { "\(modifications.count) changed, \(deletions.count) deleted" }
    }

    /// Records of a zone changed at the service. A record may come before the one that it refers to.
    public struct FetchedRecordZoneChanges: Sendable, CustomStringConvertible {
        /// Records that are new or changed.
        public let modifications: [CKDatabase.RecordZoneChange.Modification]
        /// Records that are gone.
        public let deletions: [CKDatabase.RecordZoneChange.Deletion]

        /// How many records.
        public var description: String { "\(modifications.count) changed, \(deletions.count) deleted" }
    }

    /// Fetching begins.
    public struct WillFetchChanges: Sendable, CustomStringConvertible {
        /// Why, and what.
        public let context: CKSyncEngine.FetchChangesContext

        /// The context.
        public var description: String { context.description }
    }

    /// Fetching a zone begins; one ``DidFetchRecordZoneChanges`` follows.
    public struct WillFetchRecordZoneChanges: Sendable, CustomStringConvertible {
        /// The zone.
        public let zoneID: CKRecordZone.ID

        /// The zone.
        public var description: String { zoneID.description }
    }

    /// Fetching a zone ended.
    public struct DidFetchRecordZoneChanges: Sendable, CustomStringConvertible {
        /// The zone.
        public let zoneID: CKRecordZone.ID
        /// Why it ended early; nil where it did not.
        public let error: CKError?

        /// The zone, and the error.
        public var description: String { error.map { "\(zoneID): \($0)" } ?? zoneID.description }
    }

    /// Fetching ended; one comes for each ``WillFetchChanges``.
    public struct DidFetchChanges: Sendable, CustomStringConvertible {
        /// Why, and what.
        public let context: CKSyncEngine.FetchChangesContext

        /// The context.
        public var description: String { context.description }
    }
}
