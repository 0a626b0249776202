import CloudKit
import os

/// The shape that Apple's sample for the engine made common: an actor that is the engine's delegate.
actor Engine: CKSyncEngineDelegate {
    private let log = Logger(subsystem: "com.example.sync", category: "engine")
    private let database: CKDatabase
    private var saved: CKSyncEngine.State.Serialization?
    private var records: [CKRecord.ID: CKRecord] = [:]
    private(set) var events: [String] = []
    private var engine: CKSyncEngine?

    init(database: CKDatabase) {
        self.database = database
    }

    func start() -> CKSyncEngine {
        if let engine { return engine }
        var configuration = CKSyncEngine.Configuration(
            database: database, stateSerialization: saved, delegate: self)
        configuration.automaticallySync = false
        let engine = CKSyncEngine(configuration)
        self.engine = engine
        return engine
    }

    func save(_ record: CKRecord) {
        records[record.recordID] = record
        let engine = start()
        engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: record.recordID.zoneID))])
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(record.recordID)])
    }

    func delete(_ recordID: CKRecord.ID) {
        records[recordID] = nil
        start().state.add(pendingRecordZoneChanges: [.deleteRecord(recordID)])
    }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        switch event {
        case .stateUpdate(let update):
            saved = update.stateSerialization
        case .accountChange(let change):
            switch change.changeType {
            case .signIn, .switchAccounts, .signOut: records.removeAll()
            @unknown default: break
            }
        case .fetchedDatabaseChanges(let changes):
            for deletion in changes.deletions { events.append("zone \(deletion.zoneID.zoneName) gone") }
        case .fetchedRecordZoneChanges(let changes):
            for modification in changes.modifications {
                records[modification.record.recordID] = modification.record
            }
            for deletion in changes.deletions { records[deletion.recordID] = nil }
        case .sentRecordZoneChanges(let sent):
            for record in sent.savedRecords { records[record.recordID] = record }
            for failure in sent.failedRecordSaves {
                if failure.error.code == .zoneNotFound {
                    syncEngine.state.add(
                        pendingDatabaseChanges: [
                            .saveZone(CKRecordZone(zoneID: failure.record.recordID.zoneID))
                        ])
                }
            }
        case .sentDatabaseChanges, .willFetchChanges, .willFetchRecordZoneChanges, .didFetchRecordZoneChanges,
            .didFetchChanges, .willSendChanges, .didSendChanges:
            break
        @unknown default:
            log.info("unknown event \(String(describing: event))")
        }
        events.append(String(describing: event).prefix { $0 != "(" }.description)
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        let scope = context.options.scope
        let changes = syncEngine.state.pendingRecordZoneChanges.filter { scope.contains($0) }
        let records = self.records
        return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { recordID in
            if let record = records[recordID] { return record }
            syncEngine.state.remove(pendingRecordZoneChanges: [.saveRecord(recordID)])
            return nil
        }
    }
}
