internal import Synchronization

extension CKSyncEngine {
    /// What a sync engine has to remember: changes that wait to be sent, and how far it fetched.
    ///
    /// It can be read and changed from any thread, also in the delegate's callbacks. The engine gives a form of it
    /// to keep in ``CKSyncEngine/Event/stateUpdate(_:)``.
    public final class State: Sendable {
        private struct Guarded: Sendable {
            var values: StateValues
            /// Told after the app changed something.
            var observer: (@Sendable () -> Void)?
        }

        private let guarded: Mutex<Guarded>

        init(_ values: StateValues) { guarded = Mutex(Guarded(values: values)) }

        /// Called after the app changed something.
        func observe(_ observer: @escaping @Sendable () -> Void) {
            guarded.withLock { $0.observer = observer }
        }

        /// The changes of records that wait to be sent: one for each record at most.
        ///
        /// Adding the same change again leaves it in its place; deleting a record that waits to be saved leaves only
        /// the deletion, and the other way round. A change goes when it was sent, or failed in a way that
        /// the app has to deal with; it stays after failures that pass by themselves. A change that is added
        /// again while it is sent is sent again.
        public var pendingRecordZoneChanges: [PendingRecordZoneChange] { current.records.changes }

        /// The changes of zones that wait to be sent, kept as ``pendingRecordZoneChanges`` are.
        public var pendingDatabaseChanges: [PendingDatabaseChange] { current.zones.changes }

        /// Whether the app has changes to send that are not in ``pendingRecordZoneChanges``: the delegate is then
        /// asked for batches although nothing waits here. False again once the delegate had none left.
        public var hasPendingUntrackedChanges: Bool {
            get { current.hasUntrackedChanges }
            set { changeByApp { $0.hasUntrackedChanges = newValue } }
        }

        /// The zones that have changes at the service which were not fetched yet.
        public var zoneIDsWithUnfetchedServerChanges: [CKRecordZone.ID] { current.unfetchedZoneIDs }

        /// Adds changes of records that are to be sent.
        public func add(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
            changeByApp { values in
                for change in pendingRecordZoneChanges { values.records.add(change, for: change.recordID) }
            }
        }

        /// Takes changes of records back.
        public func remove(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
            changeByApp { values in
                for change in pendingRecordZoneChanges { values.records.remove(change, for: change.recordID) }
            }
        }

        /// Adds changes of zones that are to be sent.
        public func add(pendingDatabaseChanges: [PendingDatabaseChange]) {
            changeByApp { values in
                for change in pendingDatabaseChanges { values.zones.add(change, for: change.zoneID) }
            }
        }

        /// Takes changes of zones back.
        public func remove(pendingDatabaseChanges: [PendingDatabaseChange]) {
            changeByApp { values in
                for change in pendingDatabaseChanges { values.zones.remove(change, for: change.zoneID) }
            }
        }

        /// Everything at one moment.
        var current: StateValues { guarded.withLock { $0.values } }

        /// Changes what the engine learned, which it tells the delegate of itself.
        func change(_ change: (inout StateValues) -> Void) { guarded.withLock { change(&$0.values) } }

        private func changeByApp(_ change: (inout StateValues) -> Void) {
            let observer = guarded.withLock { guarded in
                change(&guarded.values)
                return guarded.observer
            }
            observer?()
        }
    }

    /// What is in a state, as a value.
    struct StateValues: Sendable {
        var records = WaitingChanges<CKRecord.ID, PendingRecordZoneChange>()
        var zones = WaitingChanges<CKRecordZone.ID, PendingDatabaseChange>()
        var hasUntrackedChanges = false
        /// The zones whose changes are still to be fetched, in the order in which the service named them.
        var unfetchedZoneIDs: [CKRecordZone.ID] = []
        /// How far the database's feed was fetched.
        var databaseToken: CKServerChangeToken?
        /// How far each zone's feed was fetched.
        var zoneTokens: [CKRecordZone.ID: CKServerChangeToken] = [:]
        /// The user whose data this is; nil before the first sync.
        var userRecordName: String?

        /// Forgets what belongs to a user who is not signed in any more.
        mutating func forgetAll() { self = StateValues() }
    }
}
