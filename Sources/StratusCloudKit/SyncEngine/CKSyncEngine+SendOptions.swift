extension CKSyncEngine {
    /// What is sent.
    public struct SendChangesOptions: Sendable, CustomStringConvertible {
        /// The records and zones whose changes are sent.
        public enum Scope: Sendable, Equatable, CustomStringConvertible {
            /// All.
            case all
            /// Those of all zones but some.
            case allExcluding([CKRecordZone.ID])
            /// Those of some zones.
            case zoneIDs([CKRecordZone.ID])
            /// Some records.
            case recordIDs([CKRecord.ID])

            /// Whether changes of a record are sent.
            public func contains(_ recordID: CKRecord.ID) -> Bool {
                switch self {
                case .all: true
                case .allExcluding(let zoneIDs): !zoneIDs.contains(recordID.zoneID)
                case .zoneIDs(let zoneIDs): zoneIDs.contains(recordID.zoneID)
                case .recordIDs(let recordIDs): recordIDs.contains(recordID)
                }
            }

            /// Whether a change is sent.
            public func contains(_ pendingChange: PendingRecordZoneChange) -> Bool {
                contains(pendingChange.recordID)
            }

            /// Whether changes of a zone are sent: also of one that a record of the scope is in, since the record
            /// cannot be saved without it.
            func containsZone(_ zoneID: CKRecordZone.ID) -> Bool {
                switch self {
                case .all: true
                case .allExcluding(let zoneIDs): !zoneIDs.contains(zoneID)
                case .zoneIDs(let zoneIDs): zoneIDs.contains(zoneID)
                case .recordIDs(let recordIDs): recordIDs.contains { $0.zoneID == zoneID }
                }
            }

            /// The records and zones in words.
            public var description: String {
                switch self {
                case .all: "all zones"
                case .allExcluding(let zoneIDs): "all zones but \(zoneIDs)"
                case .zoneIDs(let zoneIDs): "the zones \(zoneIDs)"
                case .recordIDs(let recordIDs): "the records \(recordIDs)"
                }
            }
        }

        /// The records and zones whose changes are sent; a delegate gives no others.
        public var scope: Scope
        /// The group that the requests belong to; its configuration is used for them.
        public var operationGroup: CKOperationGroup

        /// Sends some changes; by default all, in a group of its own.
        public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
            self.scope = scope
            self.operationGroup = operationGroup ?? CKOperationGroup()
        }

        /// The scope.
        public var description: String { "\(scope)" }
    }

    /// One attempt to send changes.
    public struct SendChangesContext: Sendable, CustomStringConvertible {
        /// Why changes are sent.
        public let reason: SyncReason
        /// What is sent.
        public let options: SendChangesOptions

        /// The reason and the options.
        public var description: String { "\(reason) sending of \(options)" }
    }
}
