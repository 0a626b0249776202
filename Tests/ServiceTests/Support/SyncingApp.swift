import CloudKit
import Foundation
import Synchronization

/// An app with notes that a sync engine keeps the same as a database.
final class SyncingApp: CKSyncEngineDelegate {
    private struct State {
        var events: [String] = []
        /// The app's notes, and their records as the service has them.
        var notes: [CKRecord.ID: String] = [:]
        var known: [CKRecord.ID: CKRecord] = [:]
        var serialization: CKSyncEngine.State.Serialization?
        var batches = 0
    }

    private let state = Mutex(State())
    private let lastDatabase = Mutex<CKDatabase?>(nil)
    let zone: CKRecordZone.ID
    /// Done in the call for an event, after the app's own part.
    private let hook: @Sendable (SyncingApp, CKSyncEngine.Event, CKSyncEngine) async -> Void
    /// Done after a batch was made and before it is sent.
    private let afterBatch: @Sendable (SyncingApp, CKSyncEngine) -> Void
    private let atomicByZone: Bool
    private let prioritized: [CKRecordZone.ID]

    init(
        zone: String = "Notes", owner: String = CKCurrentUserDefaultName, atomicByZone: Bool = false,
        prioritized: [CKRecordZone.ID] = [],
        hook: @escaping @Sendable (SyncingApp, CKSyncEngine.Event, CKSyncEngine) async -> Void = { _, _, _ in
        },
        afterBatch: @escaping @Sendable (SyncingApp, CKSyncEngine) -> Void = { _, _ in }
    ) {
        self.zone = CKRecordZone.ID(zoneName: zone, ownerName: owner)
        self.atomicByZone = atomicByZone
        self.prioritized = prioritized
        self.hook = hook
        self.afterBatch = afterBatch
    }

    /// The events without those for states, in short form.
    var events: [String] { state.withLock { $0.events } }
    var notes: [String: String] {
        state.withLock { state in
            Dictionary(uniqueKeysWithValues: state.notes.map { ($0.key.recordName, $0.value) })
        }
    }
    var serialization: CKSyncEngine.State.Serialization? { state.withLock { $0.serialization } }
    /// How many records wait in the state that came last.
    var waitingInSerialization: Int? {
        guard let serialization, let database = lastDatabase.withLock({ $0 }) else { return nil }
        let engine = CKSyncEngine(
            .init(database: database, stateSerialization: serialization, delegate: self))
        return engine.state.pendingRecordZoneChanges.count
    }
    var batches: Int { state.withLock { $0.batches } }

    func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: zone) }

    func forgetEvents() { state.withLock { $0.events = [] } }

    /// Makes an engine as after a launch: with the state that came last where one did, as it was kept.
    func engine(_ database: CKDatabase) throws -> CKSyncEngine {
        let kept = try serialization.map { serialization in
            try JSONDecoder().decode(
                CKSyncEngine.State.Serialization.self, from: JSONEncoder().encode(serialization))
        }
        lastDatabase.withLock { $0 = database }
        var configuration = CKSyncEngine.Configuration(
            database: database, stateSerialization: kept, delegate: self)
        configuration.automaticallySync = false
        return CKSyncEngine(configuration)
    }

    /// Writes notes and has them sent.
    func write(_ notes: [String: String], _ engine: CKSyncEngine) {
        state.withLock { for (name, text) in notes { $0.notes[id(name)] = text } }
        engine.state.add(
            pendingRecordZoneChanges: notes.keys.sorted().map { .saveRecord(id($0)) })
    }

    /// Removes a note and has that sent.
    func remove(_ name: String, _ engine: CKSyncEngine) {
        state.withLock { $0.notes[id(name)] = nil }
        engine.state.add(pendingRecordZoneChanges: [.deleteRecord(id(name))])
    }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        state.withLock { state in
            if case .stateUpdate(let update) = event {
                state.serialization = update.stateSerialization
            } else {
                state.events.append(Self.brief(event))
            }
            Self.apply(event, to: &state)
        }
        await hook(self, event, syncEngine)
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        state.withLock { $0.batches += 1 }
        let scope = context.options.scope
        let changes = syncEngine.state.pendingRecordZoneChanges.filter { scope.contains($0) }
        var batch = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { recordID in
            self.state.withLock { state in
                guard let text = state.notes[recordID] else { return nil }
                let record =
                    state.known[recordID]?.copy() as? CKRecord
                    ?? CKRecord(recordType: "Note", recordID: recordID)
                record["text"] = text
                return record
            }
        }
        batch?.atomicByZone = atomicByZone
        afterBatch(self, syncEngine)
        return batch
    }

    func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions {
        var options = context.options
        options.prioritizedZoneIDs = prioritized
        return options
    }

    private static func apply(_ event: CKSyncEngine.Event, to state: inout State) {
        switch event {
        case .fetchedRecordZoneChanges(let changes):
            for change in changes.modifications {
                state.known[change.record.recordID] = change.record
                state.notes[change.record.recordID] = change.record["text"]
            }
            for deletion in changes.deletions {
                state.known[deletion.recordID] = nil
                state.notes[deletion.recordID] = nil
            }
        case .fetchedDatabaseChanges(let changes):
            for deletion in changes.deletions {
                state.notes = state.notes.filter { $0.key.zoneID != deletion.zoneID }
                state.known = state.known.filter { $0.key.zoneID != deletion.zoneID }
            }
        case .sentRecordZoneChanges(let sent):
            for record in sent.savedRecords { state.known[record.recordID] = record }
            for failed in sent.failedRecordSaves {
                if let server = failed.error.serverRecord { state.known[server.recordID] = server }
            }
        default: break
        }
    }

    private static func brief(_ event: CKSyncEngine.Event) -> String {
        switch event {
        case .stateUpdate: "state"
        case .accountChange(let event):
            switch event.changeType {
            case .signIn: "signIn"
            case .signOut: "signOut"
            case .switchAccounts: "switchAccounts"
            }
        case .fetchedDatabaseChanges(let event):
            "zones \(event.modifications.map(\.zoneID.zoneName)) -\(event.deletions.map(\.zoneID.zoneName))"
        case .fetchedRecordZoneChanges(let event):
            "records \(event.modifications.count) -\(event.deletions.count)"
        case .sentDatabaseChanges(let event):
            "sent zones \(event.savedZones.count) -\(event.deletedZoneIDs.count)"
                + failures(event.failedZoneSaves.map(\.error) + Array(event.failedZoneDeletes.values))
        case .sentRecordZoneChanges(let event):
            "sent \(event.savedRecords.count) -\(event.deletedRecordIDs.count)"
                + failures(event.failedRecordSaves.map(\.error) + Array(event.failedRecordDeletes.values))
        case .willFetchChanges: "will fetch"
        case .willFetchRecordZoneChanges(let event): "will fetch \(event.zoneID.zoneName)"
        case .didFetchRecordZoneChanges(let event):
            "did fetch \(event.zoneID.zoneName)" + failures(event.error.map { [$0] } ?? [])
        case .didFetchChanges: "did fetch"
        case .willSendChanges: "will send"
        case .didSendChanges: "did send"
        }
    }

    private static func failures(_ errors: [CKError]) -> String {
        errors.isEmpty ? "" : " failed \(errors.map(\.errorCode).sorted())"
    }
}
