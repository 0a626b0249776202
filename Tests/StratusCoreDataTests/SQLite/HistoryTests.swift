import Foundation
import SQLiteAccess
import TestSupport
import Testing

@testable import CoreDataSQLiteStore
@testable import StratusCoreData

@Suite("The history of a store")
struct HistoryTests {
    private static var tracked: [AnyHashable: Any] { [NSPersistentHistoryTrackingKey: true] }

    private func model() -> NSManagedObjectModel {
        StratusCoreDataTests.model([
            entity(
                "Item",
                [
                    attribute("code", .UUIDAttributeType) { $0.preservesValueInHistoryOnDeletion = true },
                    attribute("name", .stringAttributeType) { $0.preservesValueInHistoryOnDeletion = true },
                    attribute("count", .integer64AttributeType),
                ])
        ])
    }

    private func transactions(_ request: NSPersistentHistoryChangeRequest, _ bench: StoreBench) throws
        -> [NSPersistentHistoryTransaction]
    {
        try #require(try bench.store.history(request).result as? [NSPersistentHistoryTransaction])
    }

    @Test func savesAreRecorded() throws {
        let bench = try StoreBench(model(), options: Self.tracked)
        let context = bench.context()
        let code = UUID()
        try context.performAndWait {
            context.name = "editor"
            context.transactionAuthor = "Ada"
            let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            item.setValue(code, forKey: "code")
            item.setValue("one", forKey: "name")
            try context.save()
            item.setValue(3, forKey: "count")
            try context.save()
            context.delete(item)
            try context.save()
        }
        let all = try transactions(.fetchHistory(after: nil as NSPersistentHistoryToken?), bench)
        #expect(all.map(\.transactionNumber) == [1, 2, 3])
        #expect(all.allSatisfy { $0.author == "Ada" && $0.contextName == "editor" && !$0.processID.isEmpty })
        #expect(all.compactMap { $0.changes?.first?.changeType } == [.insert, .update, .delete])
        #expect(all[1].changes?.first?.updatedProperties?.map(\.name) == ["count"])
        #expect(all[2].changes?.first?.tombstone?["code"] as? UUID == code)
        #expect(all[2].changes?.first?.tombstone?["name"] as? String == "one")
        // Properties by name: code, count, name; the second bit is set.
        #expect(
            try bench.sql("SELECT hex(ZCOLUMNS) FROM ACHANGE WHERE ZCHANGETYPE = 1") == [[.text("40")]]
        )
        #expect(try bench.number("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'CHANGE'") == 3)
        #expect(try bench.number("SELECT count(*) FROM ATRANSACTIONSTRING WHERE ZNAME = 'Ada'") == 1)
        #expect(try bench.store.currentTransactionNumber() == 3)
    }

    @Test func tokensExpireWhenHistoryIsDeleted() throws {
        let bench = try StoreBench(model(), options: Self.tracked)
        let context = bench.context()
        try context.performAndWait {
            for index in 0..<4 {
                NSEntityDescription.insertNewObject(forEntityName: "Item", into: context).setValue(
                    index, forKey: "count")
                try context.save()
            }
        }
        let all = try transactions(.fetchHistory(after: nil as NSPersistentHistoryToken?), bench)
        #expect(
            try transactions(.fetchHistory(after: all[1].token), bench).map(\.transactionNumber) == [3, 4])
        let filter = try #require(NSPersistentHistoryTransaction.fetchRequest)
        filter.predicate = NSPredicate(format: "transactionNumber > %@", 3)
        #expect(try transactions(.fetchHistory(withFetch: filter), bench).map(\.transactionNumber) == [4])
        _ = try bench.store.history(.deleteHistory(before: all[2].token))
        #expect(
            try transactions(.fetchHistory(after: all[1].token), bench).map(\.transactionNumber) == [3, 4])
        let error = #expect(throws: CocoaError.self) {
            try bench.store.history(.fetchHistory(after: all[0].token))
        }
        #expect(error?.code.rawValue == 134_301)
        _ = try bench.store.history(.deleteHistory(before: nil as NSPersistentHistoryToken?))
        #expect(try transactions(.fetchHistory(after: all[3].token), bench).isEmpty)
        #expect(throws: CocoaError.self) { try bench.store.history(.fetchHistory(after: all[2].token)) }
        #expect(try bench.number("SELECT count(*) FROM ACHANGE") == 0)
    }

    /// What is purged is older than the transaction that is named.
    @Test func purgingKeepsTheTransactionThatItNames() throws {
        let bench = try StoreBench(model(), options: Self.tracked)
        let context = bench.context()
        try context.performAndWait {
            for index in 0..<4 {
                NSEntityDescription.insertNewObject(forEntityName: "Item", into: context).setValue(
                    index, forKey: "count")
                try context.save()
            }
        }
        let all = try transactions(.fetchHistory(after: nil as NSPersistentHistoryToken?), bench)
        func purge(_ request: NSPersistentHistoryChangeRequest) throws -> [Int64] {
            try context.runAndWait { _ = try context.execute(request) }
            let left = try transactions(.fetchHistory(after: Date.distantPast), bench)
            #expect(left.allSatisfy { $0.changes?.count == 1 })
            return left.map(\.transactionNumber)
        }
        #expect(try purge(.deleteHistory(before: all[0])) == [1, 2, 3, 4])
        #expect(try purge(.deleteHistory(before: all[1])) == [2, 3, 4])
        #expect(try purge(.deleteHistory(before: all[2].token)) == [3, 4])
        #expect(try purge(.deleteHistory(before: all[3].timestamp)) == [4])
        #expect(try purge(.deleteHistory(before: all[3])) == [4])
    }

    @Test func predicatesCompareTokens() throws {
        let bench = try StoreBench(model(), options: Self.tracked)
        let context = bench.context()
        var tokens = [try #require(bench.coordinator.currentPersistentHistoryToken(fromStores: nil))]
        try context.runAndWait {
            for index in 0..<4 {
                NSEntityDescription.insertNewObject(forEntityName: "Item", into: context).setValue(
                    index, forKey: "count")
                try context.save()
                tokens.append(try #require(bench.coordinator.currentPersistentHistoryToken(fromStores: nil)))
            }
        }
        func found(_ format: String, _ arguments: Any...) throws -> [Int64] {
            let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
            fetch.predicate = NSPredicate(format: format, argumentArray: arguments)
            return try transactions(.fetchHistory(withFetch: fetch), bench).map(\.transactionNumber)
        }
        #expect(try found("token > %@", tokens[0]) == [1, 2, 3, 4])
        #expect(try found("token > %@", tokens[2]) == [3, 4])
        #expect(try found("token >= %@", tokens[2]) == [2, 3, 4])
        #expect(try found("token < %@", tokens[2]) == [1])
        #expect(try found("token <= %@", tokens[2]) == [1, 2])
        #expect(try found("token = %@", tokens[2]) == [2])
        #expect(try found("token != %@", tokens[2]) == [1, 3, 4])
        #expect(try found("token > %@ AND NOT token > %@", tokens[1], tokens[3]) == [2, 3])
        #expect(try found("token > %@", tokens[4]) == [])
        let changes = try #require(NSPersistentHistoryChange.fetchRequest)
        let item: NSEntityDescription = try #require(bench.model.entitiesByName["Item"])
        changes.predicate = NSPredicate(format: "changedEntity == %@", item)
        #expect(try transactions(.fetchHistory(withFetch: changes), bench).count == 4)
        _ = try bench.store.history(.deleteHistory(before: tokens[3]))
        let error = #expect(throws: CocoaError.self) { try found("token > %@", tokens[1]) }
        #expect(error?.code.rawValue == 134_301)
        #expect(try found("token > %@", tokens[2]) == [3, 4])
    }

    @Test func nothingIsKeptWithoutTheOption() throws {
        let bench = try StoreBench(model(), options: Self.tracked)
        try bench.reopen()
        let context = bench.context()
        try context.performAndWait {
            _ = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            try context.save()
        }
        #expect(try bench.number("SELECT count(*) FROM ATRANSACTION") == 0)
    }
}
