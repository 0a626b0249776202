import Foundation
import SQLiteAccess
import TestSupport
import Testing

@testable import StratusCoreData

@Suite("Saves write Apple's rows")
struct SavingTests {
    /// Authors with ordered books, books with tags, and pages that nobody leads back from.
    static func library() -> NSManagedObjectModel {
        let comic = entity("Comic", [attribute("colour", .stringAttributeType)])
        let book = entity(
            "Book", [attribute("title", .stringAttributeType), attribute("isbn", .stringAttributeType)],
            subentities: [comic])
        let author = entity("Author", [attribute("name", .stringAttributeType)])
        let tag = entity("Tag", [attribute("name", .stringAttributeType)])
        let page = entity("Page", [attribute("number", .integer32AttributeType)])
        let (writer, books) = (relationship("author"), relationship("books", many: true, ordered: true))
        join(writer, of: book, books, of: author)
        let (tags, tagged) = (relationship("tags", many: true), relationship("books", many: true))
        join(tags, of: book, tagged, of: tag)
        let pages = relationship("pages", many: true, rule: .cascadeDeleteRule)
        pages.destinationEntity = page
        let (favourite, liked) = (relationship("favourite"), relationship("likedBy", many: true))
        join(favourite, of: author, liked, of: book)
        book.properties += [writer, tags, pages, liked]
        author.properties += [books, favourite]
        tag.properties += [tagged]
        book.uniquenessConstraints = [["isbn"]]
        return model([book, author, tag, page])
    }

    private func make(_ name: String, _ context: NSManagedObjectContext) -> NSManagedObject {
        NSEntityDescription.insertNewObject(forEntityName: name, into: context)
    }

    @Test func rowsKeysOrdersAndJoins() throws {
        let bench = try StoreBench(Self.library())
        let context = bench.context()
        try context.runAndWait {
            let author = make("Author", context)
            author.setValue("Ada", forKey: "name")
            let books = (0..<3).map { index in
                let book = make(index == 2 ? "Comic" : "Book", context)
                book.setValue("Book \(index)", forKey: "title")
                return book
            }
            author.setValue(NSOrderedSet(array: books), forKey: "books")
            author.setValue(books[2], forKey: "favourite")
            let tag = make("Tag", context)
            tag.setValue(NSSet(array: [books[0], books[1]]), forKey: "books")
            let page = make("Page", context)
            books[0].setValue(NSSet(array: [page]), forKey: "pages")
            try context.save()
            // Author 1, Book 2, Comic 3, Page 4, Tag 5.
            #expect(try bench.number("SELECT count(*) FROM ZBOOK WHERE ZAUTHOR = 1 AND Z_OPT = 1") == 3)
            #expect(
                try bench.sql("SELECT Z_FOK_AUTHOR FROM ZBOOK ORDER BY ZTITLE").flatMap { $0 }
                    == [2_048, 3_072, 4_096].map(SQLiteValue.int))
            #expect(try bench.number("SELECT Z2_FAVOURITE FROM ZAUTHOR") == 3)
            #expect(try bench.number("SELECT count(*) FROM Z_2TAGS WHERE Z_5TAGS = 1") == 2)
            #expect(try bench.number("SELECT count(*) FROM ZPAGE WHERE Z2PAGES NOT NULL") == 1)
            #expect(try bench.number("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'") == 3)
            #expect(try bench.number("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Comic'") == 0)
            // A move to the front changes one number, and the version of nobody else.
            author.setValue(NSOrderedSet(array: [books[2], books[0], books[1]]), forKey: "books")
            try context.save()
            #expect(
                try bench.sql("SELECT Z_FOK_AUTHOR FROM ZBOOK ORDER BY ZTITLE").flatMap { $0 }
                    == [2_048, 3_072, 1_024].map(SQLiteValue.int))
            context.delete(books[0])
            try context.save()
            #expect(try bench.number("SELECT count(*) FROM Z_2TAGS") == 1)
            #expect(try bench.number("SELECT count(*) FROM ZPAGE") == 0)
        }
        #expect(try bench.isWhole())
    }

    @Test func otherContextsReadWhatWasSaved() throws {
        let bench = try StoreBench(Self.library())
        let context = bench.context()
        try context.performAndWait {
            let author = make("Author", context)
            let books = (0..<5).map { index in
                let book = make("Book", context)
                book.setValue("\(index)", forKey: "title")
                return book
            }
            author.setValue(NSOrderedSet(array: books.reversed()), forKey: "books")
            try context.save()
        }
        try bench.reopen()
        let other = bench.context()
        try other.performAndWait {
            let author = try #require(
                try other.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author")).first)
            let titles = (author.value(forKey: "books") as? NSOrderedSet)?.array.compactMap {
                ($0 as? NSManagedObject)?.value(forKey: "title") as? String
            }
            #expect(titles == ["4", "3", "2", "1", "0"])
        }
    }

    @Test func aStaleRowIsAConflictAndNothingIsWritten() throws {
        let bench = try StoreBench(Self.library())
        let (first, second) = (bench.context(), bench.context())
        let objectID = try first.performAndWait {
            let author = make("Author", first)
            author.setValue("Ada", forKey: "name")
            try first.save()
            return author.objectID
        }
        let held = try second.performAndWait {
            let author = try second.existingObject(with: objectID)
            _ = author.value(forKey: "name")
            return author
        }
        try first.performAndWait {
            first.object(with: objectID).setValue("Augusta", forKey: "name")
            try first.save()
        }
        second.runAndWait {
            held.setValue("Lovelace", forKey: "name")
            make("Tag", second).setValue("new", forKey: "name")
            let error = #expect(throws: CocoaError.self) { try second.save() }
            #expect(error?.code.rawValue == 133_020)
        }
        #expect(try bench.number("SELECT count(*) FROM ZTAG") == 0)
        #expect(
            try bench.sql("SELECT ZNAME, Z_OPT FROM ZAUTHOR") == [[.text("Augusta"), .int(2)]])
        try second.performAndWait {
            second.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
            try second.save()
        }
        #expect(
            try bench.sql("SELECT ZNAME, Z_OPT FROM ZAUTHOR") == [
                [.text("Lovelace"), .int(3)]
            ])
        #expect(try bench.number("SELECT count(*) FROM ZTAG") == 1)
    }

    @Test func uniqueValues() throws {
        let bench = try StoreBench(Self.library())
        let context = bench.context()
        try context.performAndWait {
            let (first, second) = (make("Book", context), make("Comic", context))
            first.setValue("1", forKey: "isbn")
            second.setValue("2", forKey: "isbn")
            try context.save()
            // Values may be exchanged in one save.
            first.setValue("2", forKey: "isbn")
            second.setValue("1", forKey: "isbn")
            try context.save()
            let third = make("Book", context)
            third.setValue("1", forKey: "isbn")
            let error = #expect(throws: CocoaError.self) { try context.save() }
            #expect(error?.code.rawValue == 133_021)
            third.setValue("3", forKey: "isbn")
            // And one that goes leaves its value to one that comes.
            context.delete(first)
            let fourth = make("Book", context)
            fourth.setValue("2", forKey: "isbn")
            try context.save()
            let (fifth, sixth) = (make("Book", context), make("Book", context))
            fifth.setValue("9", forKey: "isbn")
            sixth.setValue("9", forKey: "isbn")
            #expect(throws: CocoaError.self) { try context.save() }
        }
        #expect(
            try bench.sql("SELECT ZISBN FROM ZBOOK ORDER BY 1").flatMap { $0 }
                == ["1", "2", "3"].map(SQLiteValue.text))
        #expect(try bench.isWhole())
    }
}
