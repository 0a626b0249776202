extension CKSyncEngine {
    /// What a sync engine reports to its delegate.
    ///
    /// Events come one at a time: the next one comes when the delegate returned from the one before. A fetch gives
    /// `willFetchChanges`, `fetchedDatabaseChanges`, for each zone `willFetchRecordZoneChanges`,
    /// `fetchedRecordZoneChanges` and `didFetchRecordZoneChanges`, and at the end `didFetchChanges`. Sending gives
    /// `willSendChanges`, `sentDatabaseChanges`, `sentRecordZoneChanges` for each batch, and at the end
    /// `didSendChanges`. `stateUpdate` comes in between, after what it accounts for.
    public enum Event: Sendable, CustomStringConvertible {
        /// The state changed and should be kept.
        case stateUpdate(StateUpdate)
        /// Somebody signed in or out.
        case accountChange(AccountChange)
        /// Zones changed at the service.
        case fetchedDatabaseChanges(FetchedDatabaseChanges)
        /// Records changed at the service.
        case fetchedRecordZoneChanges(FetchedRecordZoneChanges)
        /// Changes of zones were sent.
        case sentDatabaseChanges(SentDatabaseChanges)
        /// A batch of changes of records was sent.
        case sentRecordZoneChanges(SentRecordZoneChanges)
        /// Fetching begins.
        case willFetchChanges(WillFetchChanges)
        /// Fetching one zone begins.
        case willFetchRecordZoneChanges(WillFetchRecordZoneChanges)
        /// Fetching one zone ended.
        case didFetchRecordZoneChanges(DidFetchRecordZoneChanges)
        /// Fetching ended.
        case didFetchChanges(DidFetchChanges)
        /// Sending begins.
        case willSendChanges(WillSendChanges)
        /// Sending ended.
        case didSendChanges(DidSendChanges)

        /// The event's name and contents.
        public var description: String {
            switch self {
            case .stateUpdate(let event): "stateUpdate: \(event)"
            case .accountChange(let event): "accountChange: \(event)"
            case .fetchedDatabaseChanges(let event): "fetchedDatabaseChanges: \(event)"
            case .fetchedRecordZoneChanges(let event): "fetchedRecordZoneChanges: \(event)"
            case .sentDatabaseChanges(let event): "sentDatabaseChanges: \(event)"
            case .sentRecordZoneChanges(let event): "sentRecordZoneChanges: \(event)"
            case .willFetchChanges(let event): "willFetchChanges: \(event)"
            case .willFetchRecordZoneChanges(let event): "willFetchRecordZoneChanges: \(event)"
            case .didFetchRecordZoneChanges(let event): "didFetchRecordZoneChanges: \(event)"
            case .didFetchChanges(let event): "didFetchChanges: \(event)"
            case .willSendChanges(let event): "willSendChanges: \(event)"
            case .didSendChanges(let event): "didSendChanges: \(event)"
            }
        }
    }
}

extension CKSyncEngine.Event {
    /// The state changed. Keep it, together with what was fetched before; give it to the engine at the next launch.
    public struct StateUpdate: Sendable, CustomStringConvertible {
        /// The state in a form to keep.
        public let stateSerialization: CKSyncEngine.State.Serialization

        /// How much waits in the state.
        public var description: String {
            let values = stateSerialization.values
            return "\(values.records.count) records and \(values.zones.count) zones wait"
        }
    }

    /// Somebody signed in or out since the last sync.
    ///
    /// What waited in the state of a user who signed out is gone when this comes. However often it changed while the
    /// app did not run, one event comes.
    public struct AccountChange: Sendable, CustomStringConvertible {
        /// What happened to the account.
        public enum ChangeType: Sendable, Equatable {
            /// Somebody signed in; also the first event of an engine that begins without a state.
            case signIn(currentUser: CKRecord.ID)
            /// The user signed out: remove that user's data.
            case signOut(previousUser: CKRecord.ID)
            /// Another user signed in: remove the data of the one before.
            case switchAccounts(previousUser: CKRecord.ID, currentUser: CKRecord.ID)
        }

        /// What happened.
        public let changeType: ChangeType

        /// What happened.
        public var description: String { "\(changeType)" }
    }
}
