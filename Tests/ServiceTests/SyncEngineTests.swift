import CloudKit
import CloudKitTesting
import Foundation
import Synchronization
import Testing

/// What a sync engine does with a service: the order of events, what waits and what does not, errors.
@Suite struct SyncEngineTests {
    private let zone = CKRecordZone(zoneName: "Notes")

    private func withCloud(_ body: (TestCloud) async throws -> Void) async throws {
        let cloud = try await TestCloud()
        do { try await body(cloud) } catch {
            await cloud.close()
            throw error
        }
        await cloud.close()
    }

    private func database(_ cloud: TestCloud, _ user: String = "ada") async throws -> CKDatabase {
        try await cloud.container(user: user).privateCloudDatabase
    }

    /// The codes of a partial failure's errors.
    private func codes(_ error: any Error) -> [CKError.Code] {
        ((error as? CKError)?.partialErrorsByItemID ?? [:]).values.compactMap { ($0 as? CKError)?.code }
    }

    @Test("Two apps come to have the same notes", arguments: CloudKind.allCases)
    func twoApps(kind: CloudKind) async throws {
        try await ServiceTests.withCloud(kind) { container in
            let (one, two) = (SyncingApp(), SyncingApp())
            let first = try one.engine(try await container("ada").privateCloudDatabase)
            let second = try two.engine(try await container("ada").privateCloudDatabase)
            first.state.add(pendingDatabaseChanges: [.saveZone(zone)])
            one.write(["a": "1", "b": "2"], first)
            try await first.sendChanges()
            #expect(
                first.state.pendingRecordZoneChanges.isEmpty && first.state.pendingDatabaseChanges.isEmpty)
            try await second.fetchChanges()
            #expect(two.notes == ["a": "1", "b": "2"])
            two.write(["a": "1!"], second)
            two.remove("b", second)
            try await second.sendChanges()
            try await first.fetchChanges()
            #expect(one.notes == ["a": "1!"] && two.notes == one.notes)
        }
    }

    @Test("Events come in the documented order")
    func order() async throws {
        try await withCloud { cloud in
            let app = SyncingApp()
            let engine = try app.engine(try await database(cloud))
            engine.state.add(pendingDatabaseChanges: [.saveZone(zone)])
            app.write(["a": "1"], engine)
            try await engine.sendChanges()
            #expect(
                app.events == [
                    "signIn", "will fetch", "did fetch", "will send", "sent zones 1 -0", "sent 1 -0",
                    "did send",
                ], "An engine that never fetched does so first.")
            let other = SyncingApp()
            try await other.engine(database(cloud)).fetchChanges()
            #expect(
                other.events == [
                    "signIn", "will fetch", #"zones ["Notes"] -[]"#, "will fetch Notes", "records 1 -0",
                    "did fetch Notes", "did fetch",
                ])
        }
    }

    @Test("Where nothing waits, sending asks nothing of anybody")
    func nothing() async throws {
        try await withCloud { cloud in
            let app = SyncingApp()
            let engine = try app.engine(try await database(cloud))
            try await engine.sendChanges()
            #expect(app.events.isEmpty && app.batches == 0 && cloud.faults.requestCount == 0)
        }
    }

    @Test("Many records go in batches, between one beginning and one end")
    func batches() async throws {
        try await withCloud { cloud in
            let app = SyncingApp()
            let engine = try app.engine(try await database(cloud))
            engine.state.add(pendingDatabaseChanges: [.saveZone(zone)])
            app.write(Dictionary(uniqueKeysWithValues: (0..<450).map { ("n\($0)", "x") }), engine)
            try await engine.sendChanges()
            let sent = app.events.filter { $0.hasPrefix("sent ") && !$0.contains("zones") }
            #expect(sent == ["sent 400 -0", "sent 50 -0"])
            #expect(app.events.filter { $0 == "did send" }.count == 1)
            #expect(engine.state.pendingRecordZoneChanges.isEmpty)
        }
    }

    @Test("A change without a record is passed over, stays pending, and does not keep the engine busy")
    func skipping() async throws {
        try await withCloud { cloud in
            let app = SyncingApp()
            let engine = try app.engine(try await database(cloud))
            engine.state.add(pendingDatabaseChanges: [.saveZone(zone)])
            app.write(["a": "1", "b": "2"], engine)
            engine.state.add(pendingRecordZoneChanges: [.saveRecord(app.id("gone"))])
            try await engine.sendChanges()
            #expect(engine.state.pendingRecordZoneChanges == [.saveRecord(app.id("gone"))])
            #expect(app.batches == 2)
        }
    }

    @Test("A conflict is thrown and told with the service's record, and waits no more; fixed, it is sent")
    func conflict() async throws {
        try await withCloud { cloud in
            let (one, two) = (SyncingApp(), SyncingApp())
            let (first, second) = (
                try one.engine(try await database(cloud)), try two.engine(try await database(cloud))
            )
            try await second.fetchChanges()
            first.state.add(pendingDatabaseChanges: [.saveZone(zone)])
            one.write(["a": "one"], first)
            try await first.sendChanges()
            two.write(["a": "two"], second)
            let error = await #expect(throws: CKError.self) { try await second.sendChanges() }
            #expect(error.map(codes) == [.serverRecordChanged])
            #expect(two.events.suffix(2) == ["sent 0 -0 failed [14]", "did send"])
            #expect(second.state.pendingRecordZoneChanges.isEmpty)
            // The app took over the service's version with the failure; now its own text can win.
            two.write(["a": "two"], second)
            try await second.sendChanges()
            try await first.fetchChanges()
            #expect(one.notes == ["a": "two"])
        }
    }

    @Test("What a call for a failure adds again is sent in the same sending")
    func fixedInCallback() async throws {
        try await withCloud { cloud in
            let one = SyncingApp()
            let first = try one.engine(try await database(cloud))
            let two = SyncingApp { _, event, engine in
                guard case .sentRecordZoneChanges(let sent) = event else { return }
                engine.state.add(
                    pendingRecordZoneChanges: sent.failedRecordSaves.map { .saveRecord($0.record.recordID) })
            }
            let second = try two.engine(try await database(cloud))
            try await second.fetchChanges()
            first.state.add(pendingDatabaseChanges: [.saveZone(zone)])
            one.write(["a": "one"], first)
            try await first.sendChanges()
            two.write(["a": "two"], second)
            let error = await #expect(throws: CKError.self) { try await second.sendChanges() }
            #expect(error.map(codes) == [.serverRecordChanged], "The failure is told, although it was fixed.")
            #expect(two.events.suffix(3) == ["sent 0 -0 failed [14]", "sent 1 -0", "did send"])
            #expect(second.state.pendingRecordZoneChanges.isEmpty)
        }
    }

    @Test("A delegate that gives the same failing batch for ever does not keep the engine busy")
    func endlessBatch() async throws {
        try await withCloud { cloud in
            let app = SyncingApp { app, event, engine in
                guard case .sentRecordZoneChanges = event else { return }
                app.write(["a": "again"], engine)
            }
            let engine = try app.engine(try await database(cloud))
            app.write(["a": "x"], engine)
            let error = await #expect(throws: CKError.self) { try await engine.sendChanges() }
            #expect(error.map(codes) == [.zoneNotFound])
            #expect(app.events.last == "did send" && app.batches == 3)
        }
    }

    @Test("A missing zone is the app's to save; then the record is sent")
    func missingZone() async throws {
        try await withCloud { cloud in
            let app = SyncingApp { app, event, engine in
                guard case .sentRecordZoneChanges(let sent) = event else { return }
                for failed in sent.failedRecordSaves where failed.error.code == .zoneNotFound {
                    engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: app.zone))])
                    engine.state.add(pendingRecordZoneChanges: [.saveRecord(failed.record.recordID)])
                }
            }
            let engine = try app.engine(try await database(cloud))
            app.write(["a": "1"], engine)
            await #expect(throws: CKError.self) { try await engine.sendChanges() }
            #expect(
                app.events.dropFirst(3) == [
                    "will send", "sent 0 -0 failed [26]", "sent zones 1 -0", "sent 1 -0", "did send",
                ])
        }
    }

    @Test("Deleting what is not there succeeds, records and zones alike")
    func deletingNothing() async throws {
        try await withCloud { cloud in
            let app = SyncingApp()
            let engine = try app.engine(try await database(cloud))
            engine.state.add(
                pendingDatabaseChanges: [.saveZone(zone), .deleteZone(.init(zoneName: "Never"))])
            engine.state.add(pendingRecordZoneChanges: [.deleteRecord(app.id("never"))])
            try await engine.sendChanges()
            #expect(app.events.suffix(3) == ["sent zones 1 -1", "sent 0 -1", "did send"])
        }
    }

    @Test("Atomic by zone, one failure fails all of the zone; otherwise the others are saved")
    func atomicity() async throws {
        for atomic in [true, false] {
            try await withCloud { cloud in
                let other = SyncingApp()
                let first = try other.engine(try await database(cloud))
                let app = SyncingApp(atomicByZone: atomic)
                let engine = try app.engine(try await database(cloud))
                try await engine.fetchChanges()
                first.state.add(pendingDatabaseChanges: [.saveZone(zone)])
                other.write(["a": "1"], first)
                try await first.sendChanges()
                app.write(["a": "2", "b": "2"], engine)
                await #expect(throws: CKError.self) { try await engine.sendChanges() }
                #expect(app.events.contains(atomic ? "sent 0 -0 failed [14, 22]" : "sent 1 -0 failed [14]"))
                #expect(engine.state.pendingRecordZoneChanges.isEmpty)
            }
        }
    }

    @Test("Without a network all is told as failed and stays; later it is sent")
    func offline() async throws {
        try await withCloud { cloud in
            let app = SyncingApp()
            let engine = try app.engine(try await database(cloud))
            engine.state.add(pendingDatabaseChanges: [.saveZone(zone)])
            app.write(["a": "1"], engine)
            try await engine.fetchChanges()
            app.forgetEvents()
            cloud.faults.failAlways(.offline)
            await #expect(throws: CKError.self) { try await engine.sendChanges() }
            #expect(app.events == ["will send", "sent zones 0 -0 failed [3]", "did send"])
            #expect(engine.state.pendingDatabaseChanges.count == 1)
            await #expect(throws: CKError.self) { try await engine.fetchChanges() }
            cloud.faults.failAlways(nil)
            try await engine.sendChanges()
            #expect(app.events.suffix(3) == ["sent zones 1 -0", "sent 1 -0", "did send"])
            app.write(["a": "2"], engine)
            cloud.faults.failAlways(.offline)
            await #expect(throws: CKError.self) { try await engine.sendChanges() }
            #expect(engine.state.pendingRecordZoneChanges == [.saveRecord(app.id("a"))])
        }
    }

    @Test("What is changed while it is sent is sent again")
    func editInFlight() async throws {
        try await withCloud { cloud in
            let app = SyncingApp(afterBatch: { app, engine in
                if app.notes["a"] == "first" { app.write(["a": "second"], engine) }
            })
            let engine = try app.engine(try await database(cloud))
            engine.state.add(pendingDatabaseChanges: [.saveZone(zone)])
            app.write(["a": "first"], engine)
            try await engine.sendChanges()
            #expect(app.events.suffix(3) == ["sent 1 -0", "sent 1 -0", "did send"])
            #expect(try await engine.database.record(for: app.id("a"))["text"] as? String == "second")
            #expect(engine.state.pendingRecordZoneChanges.isEmpty)
        }
    }

    @Test("A state that was kept goes on where it was: only news, and what waited still does")
    func kept() async throws {
        try await withCloud { cloud in
            let app = SyncingApp()
            let engine = try app.engine(try await database(cloud))
            engine.state.add(pendingDatabaseChanges: [.saveZone(zone)])
            app.write(["a": "1"], engine)
            try await engine.sendChanges()
            try await engine.fetchChanges()
            app.write(["b": "2"], engine)
            // The delegate is told of the app's own changes a moment later, without any sync.
            for _ in 0..<6000 where app.waitingInSerialization != 1 {
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(app.waitingInSerialization == 1)
            app.forgetEvents()
            let again = try app.engine(engine.database)
            #expect(again.state.pendingRecordZoneChanges == [.saveRecord(app.id("b"))])
            try await again.fetchChanges()
            #expect(app.events == ["will fetch", "did fetch"], "Nothing is new, and the user is known.")
            try await again.sendChanges()
            #expect(app.events.suffix(3) == ["will send", "sent 1 -0", "did send"])
        }
    }

    @Test("Zones come in the order that the delegate wants, and only those of the scope")
    func priorities() async throws {
        try await withCloud { cloud in
            let zones = ["A", "B", "C"].map { CKRecordZone(zoneName: $0) }
            let writer = SyncingApp(zone: "A")
            let engine = try writer.engine(try await database(cloud))
            engine.state.add(pendingDatabaseChanges: zones.map { .saveZone($0) })
            try await engine.sendChanges()
            let app = SyncingApp(prioritized: [zones[2].zoneID, zones[0].zoneID])
            let reader = try app.engine(try await database(cloud))
            try await reader.fetchChanges(.init(scope: .zoneIDs([zones[1].zoneID])))
            #expect(app.events.filter { $0.hasPrefix("will fetch ") } == ["will fetch B"])
            #expect(
                Set(reader.state.zoneIDsWithUnfetchedServerChanges) == [zones[0].zoneID, zones[2].zoneID])
            app.forgetEvents()
            try await reader.fetchChanges()
            #expect(app.events.filter { $0.hasPrefix("will fetch ") } == ["will fetch C", "will fetch A"])
            #expect(reader.state.zoneIDsWithUnfetchedServerChanges.isEmpty)
        }
    }

    @Test("Only what is in the scope is sent; a batch beyond it is refused")
    func scope() async throws {
        try await withCloud { cloud in
            let app = SyncingApp()
            let engine = try app.engine(try await database(cloud))
            engine.state.add(pendingDatabaseChanges: [.saveZone(zone), .saveZone(.init(zoneName: "Other"))])
            app.write(["a": "1", "b": "2"], engine)
            try await engine.sendChanges(.init(scope: .recordIDs([app.id("b")])))
            #expect(engine.state.pendingRecordZoneChanges == [.saveRecord(app.id("a"))])
            #expect(engine.state.pendingDatabaseChanges == [.saveZone(.init(zoneName: "Other"))])
            let careless = CarelessDelegate(app.id("c"))
            let other = CKSyncEngine(
                .init(database: engine.database, stateSerialization: nil, delegate: careless))
            other.state.hasPendingUntrackedChanges = true
            await #expect(throws: CKError.self) {
                try await other.sendChanges(.init(scope: .recordIDs([app.id("a")])))
            }
            try await other.sendChanges()
            #expect(try await engine.database.record(for: app.id("c")).recordType == "Note")
        }
    }

    @Test("Changes that the app tracks itself are asked for, once")
    func untracked() async throws {
        try await withCloud { cloud in
            let app = SyncingApp()
            let engine = try app.engine(try await database(cloud))
            engine.state.hasPendingUntrackedChanges = true
            try await engine.sendChanges()
            #expect(app.batches == 1 && !engine.state.hasPendingUntrackedChanges)
            try await engine.sendChanges()
            #expect(app.batches == 1)
        }
    }

    @Test("A zone deleted elsewhere is told, and its place forgotten")
    func deletedZone() async throws {
        try await withCloud { cloud in
            let app = SyncingApp()
            let engine = try app.engine(try await database(cloud))
            engine.state.add(pendingDatabaseChanges: [.saveZone(zone)])
            app.write(["a": "1"], engine)
            try await engine.sendChanges()
            try await engine.fetchChanges()
            try await engine.database.deleteRecordZone(withID: zone.zoneID)
            app.forgetEvents()
            try await engine.fetchChanges()
            #expect(app.events == ["will fetch", #"zones [] -["Notes"]"#, "did fetch"])
            #expect(app.notes.isEmpty)
        }
    }

    @Test("Syncing in a call of the delegate is a clear error, in a detached task it works")
    func reentrance() async throws {
        try await withCloud { cloud in
            let errors = Mutex<[CKError]>([])
            let detached = Mutex<Task<Void, any Error>?>(nil)
            let app = SyncingApp { _, event, engine in
                guard case .didSendChanges = event else { return }
                do { try await engine.fetchChanges() } catch {
                    if let error = error as? CKError { errors.withLock { $0.append(error) } }
                }
                await engine.cancelOperations()
                detached.withLock { $0 = Task.detached { try await engine.fetchChanges() } }
            }
            let engine = try app.engine(try await database(cloud))
            engine.state.add(pendingDatabaseChanges: [.saveZone(zone)])
            try? await engine.sendChanges()
            #expect(errors.withLock { $0 }.map(\.code) == [.invalidArguments])
            try await detached.withLock { $0 }?.value
            #expect(app.events.filter { $0 == "did fetch" }.count == 2, "One before sending, one detached.")
        }
    }

    @Test("A fetch during another one waits for that one")
    func joining() async throws {
        try await withCloud { cloud in
            let app = SyncingApp()
            let engine = try app.engine(try await database(cloud))
            try await withThrowingTaskGroup { group in
                for _ in 0..<20 { group.addTask { try await engine.fetchChanges() } }
                try await group.waitForAll()
            }
            let fetches = app.events.filter { $0 == "will fetch" }.count
            #expect(fetches == app.events.filter { $0 == "did fetch" }.count && fetches < 20)
        }
    }

    @Test("Without a user nothing is asked; one who signs in is told of, another one starts over")
    func accounts() async throws {
        try await withCloud { cloud in
            let container = try await cloud.container(user: nil)
            let app = SyncingApp()
            let engine = try app.engine(container.privateCloudDatabase)
            engine.state.add(pendingDatabaseChanges: [.saveZone(zone)])
            app.write(["a": "1"], engine)
            await #expect(throws: CKError.self) { try await engine.sendChanges() }
            await #expect(throws: CKError.self) { try await engine.fetchChanges() }
            #expect(app.events.isEmpty && cloud.faults.requestCount == 0)
            container.webAuthToken = try await cloud.container(user: "ada").webAuthToken
            try await engine.sendChanges()
            #expect(app.events.first == "signIn")
            #expect(app.events.suffix(4) == ["will send", "sent zones 1 -0", "sent 1 -0", "did send"])
            app.write(["b": "ada's"], engine)
            container.webAuthToken = try await cloud.container(user: "bob").webAuthToken
            app.forgetEvents()
            try await engine.fetchChanges()
            #expect(app.events == ["switchAccounts", "will fetch", "did fetch"])
            #expect(engine.state.pendingRecordZoneChanges.isEmpty, "They were another user's.")
            container.webAuthToken = nil
            await #expect(throws: CKError.self) { try await engine.fetchChanges() }
            #expect(app.events.last == "signOut")
        }
    }

    @Test("A public database is refused")
    func publicDatabase() async throws {
        try await withCloud { cloud in
            let app = SyncingApp()
            let engine = try app.engine(try await cloud.container(user: "ada").publicCloudDatabase)
            let error = await #expect(throws: CKError.self) { try await engine.fetchChanges() }
            #expect(error?.code == .badDatabase)
        }
    }

    @Test("What is cancelled ends with its end event, and what it sent waits on")
    func cancelling() async throws {
        try await withCloud { cloud in
            let app = SyncingApp(afterBatch: { _, engine in
                Task.detached { await engine.cancelOperations() }
            })
            let engine = try app.engine(try await database(cloud))
            engine.state.add(pendingDatabaseChanges: [.saveZone(zone)])
            app.write(Dictionary(uniqueKeysWithValues: (0..<2000).map { ("n\($0)", "x") }), engine)
            let error = await #expect(throws: CKError.self) { try await engine.sendChanges() }
            #expect(error?.code == .operationCancelled || error?.code == .partialFailure)
            #expect(app.events.last == "did send" && !engine.state.pendingRecordZoneChanges.isEmpty)
        }
    }

    @Test("An engine and its delegate do not keep each other")
    func lifetime() async throws {
        try await withCloud { cloud in
            weak var gone: SyncingApp?
            let engine: CKSyncEngine
            do {
                let app = SyncingApp()
                gone = app
                engine = try app.engine(try await database(cloud))
            }
            #expect(gone == nil)
            engine.state.hasPendingUntrackedChanges = true
            try await engine.sendChanges()
        }
    }
}

/// Gives the same record, whatever was asked for, once.
private final class CarelessDelegate: CKSyncEngineDelegate {
    private let recordID: CKRecord.ID
    private let calls = Mutex(0)

    init(_ recordID: CKRecord.ID) { self.recordID = recordID }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {}

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        let call = calls.withLock { calls in
            calls += 1
            return calls
        }
        guard call < 3 else { return nil }
        return .init(recordsToSave: [CKRecord(recordType: "Note", recordID: recordID)])
    }
}
