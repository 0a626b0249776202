import CloudKit
import CoreData
import Foundation
import Testing

@testable import Stores
@testable import Strict2025

@Suite struct StrictTests {
    @Test func caches() async throws {
        try await withCloud { container in
            let saved = try await container.privateCloudDatabase.save(note("cached"))
            let cache = RecordCache(database: container.privateCloudDatabase)
            #expect(try await cache.text(of: saved.recordID) == "cached")
            try await container.privateCloudDatabase.deleteRecord(withID: saved.recordID)
            #expect(try await cache.text(of: saved.recordID) == "cached")
        }
    }

    @Test func handlersAreSendable() async throws {
        try await withCloud { container in
            let saved = try await container.privateCloudDatabase.save(note("one"))
            let handlers = SendableHandlers()
            let names: [String] = await wait { done in
                handlers.load(from: container.privateCloudDatabase) { done($0) }
            }
            #expect(names == [saved.recordID.recordName])
        }
    }

    @Test func throwsTypedErrors() async throws {
        try await withCloud { container in
            let store = TypedStore(database: container.privateCloudDatabase)
            try await store.save(Note(id: "a", text: "typed"))
            #expect(try await store.note("a") == Note(id: "a", text: "typed"))
            await #expect(throws: StoreFailure.gone) { try await store.note("b") }
            await #expect(throws: StoreFailure.conflict) {
                try await store.save(Note(id: "a", text: "again"))
            }
        }
    }

    @MainActor @Test func refreshesOnTheMainActor() async throws {
        let cloud = try await withModel()
        #expect(cloud == .available)
    }

    @MainActor private func withModel() async throws -> CKAccountStatus {
        var status: CKAccountStatus = .couldNotDetermine
        try await withCloud { container in
            let model = MainActorModel(container: container)
            await model.refresh()
            status = model.status
        }
        return status
    }

    @Test func countsInParallel() async throws {
        try await withCloud { container in
            let database = container.privateCloudDatabase
            _ = try await database.modifyRecords(saving: [note("a"), note("b")], deleting: [])
            _ = try await database.save(CKRecord(recordType: "Album"))
            #expect(try await countRecords(of: ["Note", "Album"], in: database) == 3)
        }
    }

    @Test func importsInTheBackground() async throws {
        try await withStack { stack in
            let work = BackgroundImport(container: stack.container)
            let inserted = try await work.insert(titles: ["a", "b"])
            let reader = HistoryReader()
            let first = try await reader.changes(in: stack.container)
            let second = try await reader.changes(in: stack.container)
            #expect(inserted == 2 && first == ["Book", "Book"] && second == [])
        }
    }
}
