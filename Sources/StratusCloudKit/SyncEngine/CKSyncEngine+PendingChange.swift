extension CKSyncEngine {
    /// A change of a record that waits to be sent.
    public enum PendingRecordZoneChange: Hashable, Sendable, CustomStringConvertible {
        /// The record is to be saved; the delegate gives it when it is sent.
        case saveRecord(CKRecord.ID)
        /// The record is to be deleted.
        case deleteRecord(CKRecord.ID)

        /// What is to be done with which record.
        public var description: String {
            switch self {
            case .saveRecord(let recordID): "save \(recordID)"
            case .deleteRecord(let recordID): "delete \(recordID)"
            }
        }

        /// The record.
        var recordID: CKRecord.ID {
            switch self {
            case .saveRecord(let recordID), .deleteRecord(let recordID): recordID
            }
        }
    }

    /// A change of a zone that waits to be sent.
    ///
    /// Two are equal when they do the same with zones of the same ID.
    public enum PendingDatabaseChange: Hashable, Sendable, CustomStringConvertible {
        /// The zone is to be saved.
        case saveZone(CKRecordZone)
        /// The zone is to be deleted with all its records.
        case deleteZone(CKRecordZone.ID)

        /// What is to be done with which zone.
        public var description: String {
            switch self {
            case .saveZone(let zone): "save \(zone.zoneID)"
            case .deleteZone(let zoneID): "delete \(zoneID)"
            }
        }

        /// Whether both do the same with zones of the same ID.
        public static func == (left: PendingDatabaseChange, right: PendingDatabaseChange) -> Bool {
            switch (left, right) {
            case (.saveZone(let one), .saveZone(let other)): one.zoneID == other.zoneID
            case (.deleteZone(let one), .deleteZone(let other)): one == other
            case (.saveZone, .deleteZone), (.deleteZone, .saveZone): false
            }
        }

        /// Feeds what equality looks at.
        public func hash(into hasher: inout Hasher) {
            if case .saveZone = self { hasher.combine(0) } else { hasher.combine(1) }
            hasher.combine(zoneID)
        }

        /// The zone.
        var zoneID: CKRecordZone.ID {
            switch self {
            case .saveZone(let zone): zone.zoneID
            case .deleteZone(let zoneID): zoneID
            }
        }
    }
}
