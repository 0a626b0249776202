import Foundation
import SQLiteAccess
import TestSupport
import Testing

@testable import StratusCoreData

@Suite("Large values live in files")
struct ExternalDataTests {
    private func bench() throws -> StoreBench {
        try StoreBench(
            model(
                [
                    entity(
                        "Photo",
                        [
                            attribute("bytes", .binaryDataAttributeType) {
                                $0.allowsExternalBinaryDataStorage = true
                            },
                            attribute("code", .stringAttributeType),
                        ])
                ].map {
                    $0.uniquenessConstraints = [["code"]]
                    return $0
                }))
    }

    @Test func filesComeAndGo() throws {
        let bench = try bench()
        let context = bench.context()
        let large = Data((0..<150_000).map { UInt8(truncatingIfNeeded: $0) })
        try context.runAndWait {
            let (small, big) = (
                NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context),
                NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
            )
            small.setValue(Data([9]), forKey: "bytes")
            big.setValue(large, forKey: "bytes")
            try context.save()
            #expect(try bench.number("SELECT count(*) FROM ZPHOTO WHERE hex(ZBYTES) = '0109'") == 1)
            let names = try FilesOnDisk.names(bench)
            #expect(names.count == 1)
            #expect(try FilesOnDisk.named(bench, bench.model) == names)
            let name = try #require(names.first)
            #expect(
                try Data(contentsOf: URL(fileURLWithPath: FilesOnDisk.folder(bench) + "/" + name)) == large)
            let other = bench.context()
            try other.runAndWait {
                let photo = try #require(try other.existingObject(with: big.objectID) as NSManagedObject?)
                #expect(photo.value(forKey: "bytes") as? Data == large)
            }
            big.setValue(large + large, forKey: "bytes")
            try context.save()
            #expect(try FilesOnDisk.names(bench).count == 1)
            #expect(try FilesOnDisk.names(bench) != names)
            context.delete(big)
            try context.save()
            #expect(try FilesOnDisk.names(bench).isEmpty)
        }
    }

    @Test func aRefusedSaveLeavesNoFile() throws {
        let bench = try bench()
        let context = bench.context()
        context.performAndWait {
            for _ in 0..<2 {
                let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
                photo.setValue("same", forKey: "code")
                photo.setValue(Data(count: 200_000), forKey: "bytes")
            }
            #expect(throws: CocoaError.self) { try context.save() }
        }
        #expect(try FilesOnDisk.names(bench).isEmpty)
    }

    @Test func filesThatNoRowNamesAreSwept() throws {
        let bench = try bench()
        let context = bench.context()
        try context.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
                .setValue(Data(count: 200_000), forKey: "bytes")
            try context.save()
        }
        let kept = try FilesOnDisk.names(bench)
        let orphan = FilesOnDisk.folder(bench) + "/" + UUID().uuidString
        try Data([1]).write(to: URL(fileURLWithPath: orphan))
        let old = Date(timeIntervalSinceNow: -7_200)
        for name in kept {
            try FileManager.default.setAttributes(
                [.modificationDate: old], ofItemAtPath: FilesOnDisk.folder(bench) + "/" + name)
        }
        // A young file may belong to a save that is under way.
        try bench.reopen()
        #expect(FileManager.default.fileExists(atPath: orphan))
        try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: orphan)
        try bench.reopen()
        #expect(try FilesOnDisk.names(bench) == kept)
    }
}

@Suite("Derived attributes")
struct DerivedAttributeTests {
    @Test func valuesFollowTheirSources() throws {
        let shelf = entity(
            "Shelf",
            [
                attribute("name", .stringAttributeType),
                derived("booksCount", .integer64AttributeType, "books.@count"),
                derived("total", .integer64AttributeType, "books.@sum.pages"),
                derived("plain", .stringAttributeType, "canonical:(name)"),
            ])
        let book = entity(
            "Book",
            [
                attribute("pages", .integer32AttributeType),
                derived("shelfName", .stringAttributeType, "shelf.name"),
            ])
        let (books, onShelf) = (relationship("books", many: true), relationship("shelf"))
        join(books, of: shelf, onShelf, of: book)
        shelf.properties += [books]
        book.properties += [onShelf]
        let bench = try StoreBench(model([shelf, book]))
        let context = bench.context()
        try context.runAndWait {
            let shelf = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
            let other = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
            shelf.setValue("Grün", forKey: "name")
            let books = (1...3).map { index in
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                book.setValue(index * 100, forKey: "pages")
                book.setValue(shelf, forKey: "shelf")
                return book
            }
            try context.save()
            #expect(shelf.value(forKey: "booksCount") as? Int == 3)
            #expect(shelf.value(forKey: "total") as? Int == 600)
            #expect(shelf.value(forKey: "plain") as? String == "grun")
            #expect(books[0].value(forKey: "shelfName") as? String == "Grün")
            books[0].setValue(other, forKey: "shelf")
            books[1].setValue(5, forKey: "pages")
            shelf.setValue("Rot", forKey: "name")
            try context.save()
            #expect(
                try bench.sql("SELECT ZBOOKSCOUNT, ZTOTAL FROM ZSHELF ORDER BY Z_PK").map {
                    $0.compactMap { if case .int(let number) = $0 { Int(number) } else { nil } }
                }
                .sorted { $0.lexicographicallyPrecedes($1) } == [[1, 100], [2, 305]])
            #expect(try bench.number("SELECT count(*) FROM ZBOOK WHERE ZSHELFNAME = 'Rot'") == 2)
            context.delete(books[2])
            try context.save()
            context.refresh(shelf, mergeChanges: false)
            #expect(shelf.value(forKey: "booksCount") as? Int == 1)
        }
    }
}
