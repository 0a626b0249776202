import CloudKit
import CoreData
import Foundation
import Testing

@testable import Stores
@testable import Sync2023

@Suite struct SyncTests {
    @Test func keepsWhatIsPending() async throws {
        try await withCloud { container in
            let engine = Engine(database: container.privateCloudDatabase)
            let zoneID = CKRecordZone.ID(zoneName: "Notes")
            let record = note("pending", in: zoneID)
            await engine.save(record)
            let state = await engine.start().state
            #expect(state.pendingRecordZoneChanges == [.saveRecord(record.recordID)])
            #expect(state.pendingDatabaseChanges.count == 1)
            await engine.delete(record.recordID)
            #expect(state.pendingRecordZoneChanges == [.deleteRecord(record.recordID)])
        }
    }

    @Test func modelsAreObservableWithoutCombine() async throws {
        try await withCloud { container in
            let database = container.privateCloudDatabase
            let saved = try await database.save(note("shared"))
            let model = await SharedListModel(database: database)
            await model.load()
            guard case .loaded(let names) = await model.state else {
                Issue.record("The list is not loaded")
                return
            }
            #expect(names == [saved.recordID.recordName])
        }
    }

    @Test func makesBatches() async {
        let first = note("first")
        let second = note("second")
        let batch = await CKSyncEngine.RecordZoneChangeBatch(
            pendingChanges: [.saveRecord(first.recordID), .deleteRecord(second.recordID)]
        ) { $0 == first.recordID ? first : nil }
        #expect(batch?.recordsToSave.map(\.recordID) == [first.recordID])
        #expect(batch?.recordIDsToDelete == [second.recordID])
        #expect(Batches.deletion(of: [first.recordID]).atomicByZone)
        #expect(Batches.fetching(.default).scope.contains(.default))
        #expect(Batches.sending([first.recordID]).scope.contains(first.recordID))
        #expect(!Batches.sending([first.recordID]).scope.contains(second.recordID))
    }

    @Test func summarizesPushes() {
        let userInfo: [AnyHashable: Any] = [
            "ck": ["ce": 2, "cid": "iCloud.com.example", "nid": "n", "met": ["sid": "all", "dbs": 1]]
        ]
        #expect(summary(of: userInfo) == "iCloud.com.example all 2")
        #expect(summary(of: [:]) == nil)
    }

    @Test func loadsTheMirroringContainer() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let mirrored = Mirrored(
            name: "Library", model: Stack.model, url: folder.appendingPathComponent("l.sqlite"))
        let error: Error? = await wait { mirrored.load(then: $0) }
        #expect(error == nil)
        let context = mirrored.container.newBackgroundContext()
        try await context.perform {
            _ = Book(context: context)
            try context.save()
        }
        #expect(mirrored.lastEvent(Notification(name: .NSManagedObjectContextDidSave)) == nil)
    }
}
