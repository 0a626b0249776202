import CloudKit
import Foundation
import TestSeeds
import Testing

@testable import StratusCloudKit

/// What a list of pending changes does, said as simply as possible.
private struct ReferenceList {
    private(set) var changes: [CKSyncEngine.PendingRecordZoneChange] = []

    mutating func add(_ change: CKSyncEngine.PendingRecordZoneChange) {
        if changes.contains(change) { return }
        changes.removeAll { $0.recordID == change.recordID }
        changes.append(change)
    }

    mutating func remove(_ change: CKSyncEngine.PendingRecordZoneChange) {
        changes.removeAll { $0 == change }
    }
}

@Suite struct SyncEngineStateTests {
    private let zoneID = CKRecordZone.ID(zoneName: "Lists")

    private func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: zoneID) }

    private func makeState() -> CKSyncEngine.State { CKSyncEngine.State(.init()) }

    @Test("Adding the same change again leaves one, in its place")
    func deduplication() {
        let state = makeState()
        state.add(pendingRecordZoneChanges: [.saveRecord(id("a")), .saveRecord(id("b"))])
        for _ in 0..<1000 { state.add(pendingRecordZoneChanges: [.saveRecord(id("a"))]) }
        #expect(state.pendingRecordZoneChanges == [.saveRecord(id("a")), .saveRecord(id("b"))])
    }

    @Test("Of saving and deleting one record the later is left, and so with zones")
    func contradiction() {
        let state = makeState()
        state.add(pendingRecordZoneChanges: [.saveRecord(id("a")), .deleteRecord(id("a"))])
        #expect(state.pendingRecordZoneChanges == [.deleteRecord(id("a"))])
        state.add(pendingRecordZoneChanges: [.saveRecord(id("a"))])
        #expect(state.pendingRecordZoneChanges == [.saveRecord(id("a"))])
        state.remove(pendingRecordZoneChanges: [.deleteRecord(id("a"))])
        #expect(state.pendingRecordZoneChanges == [.saveRecord(id("a"))])
        state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zoneID)), .deleteZone(zoneID)])
        #expect(state.pendingDatabaseChanges == [.deleteZone(zoneID)])
        state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zoneID))])
        #expect(state.pendingDatabaseChanges == [.saveZone(CKRecordZone(zoneID: zoneID))])
        state.remove(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zoneID))])
        #expect(state.pendingDatabaseChanges.isEmpty)
    }

    @Test(
        "A state and its stored form are what a plain list is, after any history",
        arguments: [1, 7, 4711] as [UInt64])
    func law(seed: UInt64) throws {
        var random = Random(seed: seed)
        let state = makeState()
        var reference = ReferenceList()
        for step in 0..<600 {
            let recordID = id("r\(Int.random(in: 0..<40, using: &random))")
            let change: CKSyncEngine.PendingRecordZoneChange =
                Bool.random(using: &random) ? .saveRecord(recordID) : .deleteRecord(recordID)
            if Int.random(in: 0..<3, using: &random) == 0 {
                state.remove(pendingRecordZoneChanges: [change])
                reference.remove(change)
            } else {
                state.add(pendingRecordZoneChanges: [change])
                reference.add(change)
            }
            try #require(state.pendingRecordZoneChanges == reference.changes, "seed \(seed), step \(step)")
        }
        let stored = try JSONEncoder().encode(CKSyncEngine.State.Serialization(state.current))
        let read = try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: stored)
        #expect(read.values.records.changes == reference.changes, "seed \(seed)")
    }

    @Test("A stored state says everything, in JSON and in property lists")
    func serialization() throws {
        let shared = CKRecordZone.ID(zoneName: "Lists", ownerName: "_bob")
        var values = CKSyncEngine.StateValues()
        values.records.add(.saveRecord(id("a")), for: id("a"))
        let other = CKRecord.ID(recordName: "a", zoneID: shared)
        values.records.add(.deleteRecord(other), for: other)
        values.zones.add(.saveZone(CKRecordZone(zoneID: zoneID)), for: zoneID)
        values.zones.add(.deleteZone(shared), for: shared)
        values.hasUntrackedChanges = true
        values.unfetchedZoneIDs = [shared, zoneID]
        values.databaseToken = CKServerChangeToken("d")
        values.zoneTokens = [shared: CKServerChangeToken("z")]
        values.userRecordName = "_ann"
        let stored = CKSyncEngine.State.Serialization(values)
        for read in [
            try JSONDecoder().decode(
                CKSyncEngine.State.Serialization.self, from: JSONEncoder().encode(stored)),
            try PropertyListDecoder().decode(
                CKSyncEngine.State.Serialization.self, from: PropertyListEncoder().encode(stored)),
        ] {
            #expect(read.values.records.changes == values.records.changes)
            #expect(read.values.zones.changes == values.zones.changes)
            #expect(read.values.hasUntrackedChanges && read.values.userRecordName == "_ann")
            #expect(read.values.unfetchedZoneIDs == [shared, zoneID])
            #expect(read.values.databaseToken == values.databaseToken)
            #expect(read.values.zoneTokens == values.zoneTokens)
        }
    }

    @Test(
        "A damaged state and one of a newer version are errors, not crashes",
        arguments: [
            #"{}"#, #"{"data":"AAAA"}"#,
            #"{"version":1,"hasUntrackedChanges":false,"zones":[],"unfetched":[0],"zoneChanges":[],"records":[]}"#,
            #"{"version":1,"hasUntrackedChanges":false,"zones":[],"unfetched":[],"zoneChanges":[],"records":[{"zone":-1,"name":"a"}]}"#,
            #"{"version":2,"hasUntrackedChanges":false,"zones":[],"unfetched":[],"zoneChanges":[],"records":[]}"#,
        ])
    func damage(json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: Data(json.utf8))
        }
    }

    @Test("What was added again while it was sent stays, the rest goes")
    func sending() {
        var pending = WaitingChanges<String, Int>()
        for (key, value) in [("a", 1), ("b", 1), ("c", 1)] { pending.add(value, for: key) }
        let mark = pending.mark
        pending.add(1, for: "b")
        pending.add(2, for: "c")
        for key in ["a", "b", "c", "d"] { pending.removeSent(1, for: key, since: mark) }
        #expect(pending.changes == [1, 2] && pending["b"] == 1 && pending["c"] == 2)
    }

    @Test("100,000 changes are added and removed in a moment")
    func size() {
        let state = makeState()
        let changes = (0..<100_000).map { CKSyncEngine.PendingRecordZoneChange.saveRecord(id("r\($0)")) }
        let start = Double(clock()) / Double(CLOCKS_PER_SEC)
        state.add(pendingRecordZoneChanges: changes)
        for batch in stride(from: 0, to: changes.count, by: 200) {
            state.remove(pendingRecordZoneChanges: Array(changes[batch..<(batch + 200)]))
        }
        #expect(state.pendingRecordZoneChanges.isEmpty)
        #expect(
            Double(clock()) / Double(CLOCKS_PER_SEC) - start < 20,
            "The time must not grow with the square of the number.")
    }
}

@Suite struct SyncEngineValueTests {
    private let zoneID = CKRecordZone.ID(zoneName: "Lists")
    private let other = CKRecordZone.ID(zoneName: "Other")

    private func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: zoneID) }

    @Test("Scopes contain what they name")
    func scopes() {
        let foreign = CKRecord.ID(recordName: "a", zoneID: other)
        let table: [(CKSyncEngine.SendChangesOptions.Scope, Bool, Bool, Bool)] = [
            (.all, true, true, true), (.allExcluding([other]), true, false, false),
            (.zoneIDs([other]), false, true, true), (.recordIDs([foreign]), false, true, true),
            (.recordIDs([id("a")]), true, false, false), (.zoneIDs([]), false, false, false),
        ]
        for (scope, own, theirs, theirZone) in table {
            #expect(
                scope.contains(id("a")) == own && scope.contains(.deleteRecord(id("a"))) == own, "\(scope)")
            #expect(scope.contains(foreign) == theirs && scope.containsZone(other) == theirZone, "\(scope)")
        }
        #expect(CKSyncEngine.FetchChangesOptions.Scope.allExcluding([other]).contains(zoneID))
        #expect(!CKSyncEngine.FetchChangesOptions.Scope.zoneIDs([other]).contains(zoneID))
        #expect(CKSyncEngine.FetchChangesOptions().scope == .all)
    }

    @Test("A batch holds as many changes as a request, in their order, and passes over what has no record")
    func batch() async throws {
        let changes = (0..<700).map { index -> CKSyncEngine.PendingRecordZoneChange in
            index.isMultiple(of: 3) ? .deleteRecord(id("r\(index)")) : .saveRecord(id("r\(index)"))
        }
        let batch = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { recordID in
            recordID.recordName == "r1" ? nil : CKRecord(recordType: "T", recordID: recordID)
        }
        let made = try #require(batch)
        #expect(made.recordsToSave.count + made.recordIDsToDelete.count == 400)
        #expect(made.recordsToSave.first?.recordID == id("r2") && made.recordIDsToDelete.first == id("r0"))
        #expect(!made.atomicByZone)
        let none = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: [.saveRecord(id("a"))]) { _ in nil
        }
        #expect(none == nil)
        let empty = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: []) { _ in nil }
        #expect(empty == nil)
    }

    @Test("A batch stays below two megabytes, but takes one record that is larger")
    func batchBytes() async throws {
        func batch(_ bytes: Int) async -> Int? {
            let changes = (0..<10).map { CKSyncEngine.PendingRecordZoneChange.saveRecord(id("r\($0)")) }
            return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { recordID in
                let record = CKRecord(recordType: "T", recordID: recordID)
                record["text"] = String(repeating: "x", count: bytes)
                return record
            }?.recordsToSave.count
        }
        #expect(await batch(500_000) == 4)
        #expect(await batch(3_000_000) == 1)
    }

    @Test("The Objective-C interface's numbers are those of its header")
    func numbers() {
        #expect(CKSyncEngineEventType.didSendChanges.rawValue == 11)
        #expect(CKSyncEngineEventType(rawValue: 12) == nil)
        #expect(CKSyncEngineZoneDeletionReason.purged.rawValue == 1)
        #expect(CKSyncEngineAccountChangeType.switchAccounts.rawValue == 2)
        #expect(CKSyncEngineSyncReason.manual.rawValue == 1)
    }
}
