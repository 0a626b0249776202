import Foundation
import SQLiteAccess
import TestSupport
import Testing

@testable import CoreDataSQLiteStore
@testable import StratusCoreData

@Suite("Batch requests")
struct BatchTests {
    private func bench() throws -> StoreBench {
        try StoreBench(SavingTests.library(), options: [NSPersistentHistoryTrackingKey: true])
    }

    private func insert(_ rows: [[String: Any]], _ bench: StoreBench, _ policy: NSMergePolicy = .error) throws
        -> [NSManagedObjectID]
    {
        let context = bench.context()
        context.mergePolicy = policy
        let request = NSBatchInsertRequest(entityName: "Book", objects: rows)
        request.resultType = .objectIDs
        let result = try context.runAndWait { try context.execute(request) } as? NSBatchInsertResult
        return try #require(result?.result as? [NSManagedObjectID])
    }

    @Test func insertsByPolicy() throws {
        let bench = try bench()
        #expect(
            try insert([["title": "a", "isbn": "1"], ["title": "b", "isbn": "2"]], bench).compactMap(\.rowKey)
                == [1, 2])
        let error = #expect(throws: CocoaError.self) { try insert([["isbn": "3"], ["isbn": "2"]], bench) }
        #expect(error?.code.rawValue == 133_021)
        #expect(try bench.number("SELECT count(*) FROM ZBOOK") == 2)
        #expect(try insert([["isbn": "2", "title": "kept"]], bench, .mergeByPropertyStoreTrump).isEmpty)
        #expect(
            try insert([["isbn": "2", "title": "new"]], bench, .mergeByPropertyObjectTrump).compactMap(
                \.rowKey) == [2])
        #expect(
            try bench.sql("SELECT Z_PK, Z_OPT, ZTITLE FROM ZBOOK ORDER BY 1")
                == [
                    [.int(1), .int(1), .text("a")],
                    [.int(2), .int(2), .text("new")],
                ])
        #expect(try bench.number("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'") == 2)
        #expect(throws: CocoaError.self) { try insert([["nothing": 1]], bench) }
        #expect(throws: CocoaError.self) { try insert([["title": 1]], bench) }
        #expect(try bench.number("SELECT count(*) FROM ACHANGE") == 3)
    }

    @Test func childContextsKeepTheAuthor() throws {
        let bench = try bench()
        let parent = bench.context()
        parent.name = "parent"
        parent.transactionAuthor = "Ada"
        for author in [nil, "Ben"] {
            let child = NSManagedObjectContext(.privateQueue)
            child.parent = parent
            child.transactionAuthor = author
            try child.performAndWait {
                _ = try child.execute(NSBatchInsertRequest(entityName: "Book", objects: [["title": "a"]]))
                _ = try child.execute(NSBatchUpdateRequest(entityName: "Book"))
                _ = try child.execute(
                    NSBatchDeleteRequest(
                        fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")))
            }
        }
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let found = try #require(try bench.store.history(request).result as? [NSPersistentHistoryTransaction])
        #expect(found.map(\.author) == ["Ada", "Ada", "Ben", "Ben"])
        #expect(found.allSatisfy { $0.contextName == "parent" })
    }

    @Test func handlersEndWithTrue() throws {
        let bench = try bench()
        let context = bench.context()
        var left = 3
        let request = NSBatchInsertRequest(entityName: "Book") { (dictionary: NSMutableDictionary) in
            left -= 1
            dictionary["title"] = "\(left)"
            return left < 0
        }
        request.resultType = .count
        let byDictionary = try context.runAndWait { try context.execute(request) } as? NSBatchInsertResult
        #expect(byDictionary?.result as? Int == 3)
        var more = 2
        let objects = NSBatchInsertRequest(entityName: "Comic") { (object: NSManagedObject) in
            more -= 1
            object.setValue("red", forKey: "colour")
            return more < 0
        }
        _ = try context.runAndWait { try context.execute(objects) }
        #expect(try bench.number("SELECT count(*) FROM ZBOOK WHERE ZCOLOUR = 'red' AND Z_ENT = 3") == 2)
    }

    /// A row that is there keeps what the object of a handler leaves empty, as it keeps what a dictionary leaves out.
    @Test(arguments: [NSMergePolicy.mergeByPropertyObjectTrump, .overwrite])
    func handlersLeaveWhatTheyDoNotSet(_ policy: NSMergePolicy) throws {
        let story = entity(
            "Story",
            [
                attribute("url", .stringAttributeType), attribute("title", .stringAttributeType),
                attribute("note", .stringAttributeType), attribute("read", .dateAttributeType),
                attribute("isFavorite", .booleanAttributeType) { $0.defaultValue = false },
                relationship("source"),
            ])
        story.uniquenessConstraints = [["url"]]
        let source = entity("Source", [relationship("stories", many: true)])
        guard let from = story.relationshipsByName["source"], let to = source.relationshipsByName["stories"]
        else { return }
        join(from, of: story, to, of: source)
        let bench = try StoreBench(model([story, source]))
        let context = bench.context()
        context.mergePolicy = policy
        try context.runAndWait {
            let first = NSEntityDescription.insertNewObject(forEntityName: "Story", into: context)
            first.setValuesForKeys([
                "url": "u1", "title": "old", "note": "mine", "isFavorite": true, "read": Date(),
            ])
            first["source"] = NSEntityDescription.insertNewObject(forEntityName: "Source", into: context)
            try context.save()
            var urls = ["u1", "u2"]
            let request = NSBatchInsertRequest(
                entityName: "Story",
                managedObjectHandler: { object in
                    guard !urls.isEmpty else { return true }
                    object["url"] = urls.removeFirst()
                    object["title"] = "new"
                    return false
                })
            try context.execute(request)
        }
        #expect(
            try bench.sql(
                "SELECT ZTITLE, ZNOTE, ZREAD IS NULL, ZSOURCE, ZISFAVORITE FROM ZSTORY ORDER BY ZURL")
                == [
                    // A default counts as a value.
                    [.text("new"), .text("mine"), .int(0), .int(1), .int(0)],
                    [.text("new"), .null, .int(1), .null, .int(0)],
                ])
    }

    @Test func updatesWithValuesAndExpressions() throws {
        let bench = try bench()
        _ = try insert((0..<5).map { ["title": "t\($0)", "isbn": "\($0)"] }, bench)
        let context = bench.context()
        let request = NSBatchUpdateRequest(entityName: "Book")
        request.predicate = NSPredicate(format: "isbn > %@", "2")
        request.propertiesToUpdate = ["title": NSExpression(forKeyPath: "isbn")]
        request.resultType = .updatedObjectsCountResultType
        let result = try context.runAndWait { try context.execute(request) } as? NSBatchUpdateResult
        #expect(result?.result as? Int == 2)
        #expect(
            try bench.sql("SELECT ZTITLE FROM ZBOOK ORDER BY Z_PK").flatMap { $0 }
                == ["t0", "t1", "t2", "3", "4"].map(SQLiteValue.text))
        #expect(try bench.number("SELECT count(*) FROM ZBOOK WHERE Z_OPT = 2") == 2)
        request.propertiesToUpdate = ["isbn": "same"]
        request.predicate = nil
        let error = #expect(throws: CocoaError.self) {
            try context.runAndWait { try context.execute(request) }
        }
        #expect(error?.code.rawValue == 133_021)
        #expect(try bench.number("SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = 1") == 2)
    }

    @Test func deletesFollowRules() throws {
        let bench = try bench()
        let context = bench.context()
        try context.performAndWait {
            let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
            let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
            let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
            let page = NSEntityDescription.insertNewObject(forEntityName: "Page", into: context)
            book.setValue(author, forKey: "author")
            author.setValue(book, forKey: "favourite")
            book.setValue(NSSet(object: tag), forKey: "tags")
            book.setValue(NSSet(object: page), forKey: "pages")
            try context.save()
            let request = NSBatchDeleteRequest(
                fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Book"))
            request.resultType = .resultTypeObjectIDs
            let result = try context.execute(request) as? NSBatchDeleteResult
            #expect(
                Set(try #require(result?.result as? [NSManagedObjectID])) == [book.objectID, page.objectID])
        }
        #expect(try bench.number("SELECT count(*) FROM ZBOOK") == 0)
        #expect(try bench.number("SELECT count(*) FROM ZPAGE") == 0)
        #expect(try bench.number("SELECT count(*) FROM Z_2TAGS") == 0)
        #expect(
            try bench.number("SELECT count(*) FROM ZAUTHOR WHERE ZFAVOURITE IS NULL AND Z2_FAVOURITE IS NULL")
                == 1)
        #expect(try bench.number("SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = 2") == 2)
        #expect(try bench.isWhole())
    }
}
