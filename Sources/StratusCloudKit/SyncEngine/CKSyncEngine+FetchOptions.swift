extension CKSyncEngine {
    /// What is fetched, and in which order.
    public struct FetchChangesOptions: Sendable, CustomStringConvertible {
        /// The zones whose changes are fetched.
        public enum Scope: Sendable, Equatable, CustomStringConvertible {
            /// All.
            case all
            /// All but some.
            case allExcluding([CKRecordZone.ID])
            /// Some.
            case zoneIDs([CKRecordZone.ID])

            /// Whether the changes of a zone are fetched.
            public func contains(_ zoneID: CKRecordZone.ID) -> Bool {
                switch self {
                case .all: true
                case .allExcluding(let zoneIDs): !zoneIDs.contains(zoneID)
                case .zoneIDs(let zoneIDs): zoneIDs.contains(zoneID)
                }
            }

            /// The zones in words.
            public var description: String {
                switch self {
                case .all: "all zones"
                case .allExcluding(let zoneIDs): "all zones but \(zoneIDs)"
                case .zoneIDs(let zoneIDs): "the zones \(zoneIDs)"
                }
            }
        }

        /// The zones whose changes are fetched.
        public var scope: Scope
        /// The group that the requests belong to; its configuration is used for them.
        public var operationGroup: CKOperationGroup
        /// Zones to fetch before the others, in this order; those that did not change are passed over.
        public var prioritizedZoneIDs: [CKRecordZone.ID] = []

        /// Fetches the changes of some zones; by default of all, in a group of its own.
        public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
            self.scope = scope
            self.operationGroup = operationGroup ?? CKOperationGroup()
        }

        /// The scope and the zones that come first.
        public var description: String {
            prioritizedZoneIDs.isEmpty ? "\(scope)" : "\(scope), first \(prioritizedZoneIDs)"
        }
    }

    /// One attempt to fetch changes.
    public struct FetchChangesContext: Sendable, CustomStringConvertible {
        /// Why changes are fetched.
        public let reason: SyncReason
        /// What is fetched.
        public let options: FetchChangesOptions

        /// The reason and the options.
        public var description: String { "\(reason) fetch of \(options)" }
    }

    /// Why a sync engine fetches or sends.
    public enum SyncReason: Hashable, Sendable, CustomStringConvertible {
        /// The engine does so by itself.
        case scheduled
        /// The app asked for it.
        case manual

        /// The case's name.
        public var description: String { self == .scheduled ? "scheduled" : "manual" }
    }
}
