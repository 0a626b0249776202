import CloudKit
import Combine
import CoreData
import Foundation
import Testing
import os

@testable import Combine2019
@testable import Stores

@Suite struct CombineTests {
    @Test func hearsOfAccounts() {
        let center = NotificationCenter()
        let watcher = AccountWatcher(center: center)
        center.post(name: .CKAccountChanged, object: nil)
        center.post(name: .CKAccountChanged, object: nil)
        #expect(watcher.changes == 2)
    }

    @Test func publishesQueries() async throws {
        try await withCloud { container in
            let database = container.privateCloudDatabase
            _ = try await database.modifyRecords(saving: [note("b"), note("a")], deleting: [])
            let model = NotesViewModel(database: database)
            let _: Void = await wait { done in model.load { done(()) } }
            #expect(model.titles == ["a", "b"] && model.errorMessage == nil)
        }
    }

    @Test func promisesSaves() async throws {
        try await withCloud { container in
            let database = container.privateCloudDatabase
            var bag = Set<AnyCancellable>()
            let saved: CKRecord? = await wait { done in
                database.save(note("promised"))
                    .sink(
                        receiveCompletion: { if case .failure = $0 { done(nil) } }, receiveValue: { done($0) }
                    )
                    .store(in: &bag)
            }
            #expect(saved?.recordChangeTag != nil)
        }
    }

    @Test func publishesSaves() async throws {
        try await withStack { stack in
            let context = stack.container.newBackgroundContext()
            var counts: [Int] = []
            let subscription = SavePublisher.insertions(in: context).sink { counts.append($0) }
            try await context.perform {
                _ = Book(context: context)
                _ = Book(context: context)
                try context.save()
            }
            #expect(counts == [2])
            subscription.cancel()
        }
    }

    @Test func objectsSayWhenTheyChange() async throws {
        try await withStack { stack in
            let context = stack.container.newBackgroundContext()
            try await context.perform {
                let book = Book(context: context)
                try context.save()
                let watcher = ObjectWatcher(book)
                book.title = "Changed"
                #expect(watcher.changes >= 1)
            }
        }
    }

    @Test func logsAndMeasures() {
        OldLog.started(3)
        OldLog.failed(CKError(.internalError), record: CKRecord.ID(recordName: "a"))
        let signposts = Signposts()
        #expect(signposts.measured { 6 * 7 } == 42)
        #expect(signposts.measuredCount == 1)
    }

    @Test func mirrorsRecords() async throws {
        try await withStack { stack in
            let context = stack.container.newBackgroundContext()
            await context.perform {
                let record = CKRecord(recordType: "Book")
                record["title"] = "Mirrored"
                record["unknown"] = 1
                let book = Book(context: context)
                Everything().mirror(record, into: book)
                #expect(book.title == "Mirrored")
            }
        }
    }
}
