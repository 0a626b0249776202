import Foundation
import TestSupport
import Testing

@testable import StratusCoreData

@Suite struct PlanTests {
    @Test func aPlanCountsWhatIsLostAndChangesNothing() throws {
        let directory = try TemporaryDirectory()
        let url = URL(fileURLWithPath: directory.path + "/Library.sqlite")
        try LibraryModels.makeStore(url, books: 30)
        let before = try Data(contentsOf: url)
        let plan = try NSPersistentStoreCoordinator(managedObjectModel: LibraryModels.second()).migrationPlan(
            forStoreAt: url)
        #expect(plan.status == .lightweight)
        #expect(plan.objects == ["Author": 3, "Book": 30])
        #expect(
            plan.losses == [
                .init(entity: "Book", property: "notes", count: 15, reason: "the values are removed")
            ])
        #expect(plan.statements.contains { $0.contains("INSERT INTO ZBOOK") })
        #expect(plan.bytes > 0)
        let text = "\(plan)"
        for line in [
            "33 objects", "Book.name: was 'title'", "Book.notes: 15 objects, the values are removed",
            "Aisle: new",
        ] {
            #expect(text.contains(line), "\(line) in \(text)")
        }
        let coded = try JSONDecoder().decode(MigrationPlan.self, from: JSONEncoder().encode(plan))
        #expect(coded == plan)
        #expect(try Data(contentsOf: url) == before)
        let same = try NSPersistentStoreCoordinator.migrationPlan(forStoreAt: url, to: LibraryModels.first())
        #expect(same.status == .notNeeded)
        #expect("\(same)".contains("nothing to do"))
    }

    @Test func aRemovedEntityCountsItsObjects() throws {
        let directory = try TemporaryDirectory()
        let url = URL(fileURLWithPath: directory.path + "/Library.sqlite")
        try LibraryModels.makeStore(url, books: 30)
        let book = LibraryModels.entity("Book", [LibraryModels.attribute("title", .stringAttributeType)])
        let plan = try NSPersistentStoreCoordinator.migrationPlan(
            forStoreAt: url, to: LibraryModels.model([book]))
        let losses = Dictionary(plan.losses.map { ($0.entity + "." + ($0.property ?? ""), $0.count) }) {
            first, _ in first
        }
        #expect(losses == ["Author.": 3, "Book.author": 30, "Book.notes": 15, "Book.pages": 30])
    }

    @Test func whatIsNoStoreIsAnError() throws {
        let directory = try TemporaryDirectory()
        let url = URL(fileURLWithPath: directory.path + "/None.sqlite")
        #expect(throws: CocoaError.self) {
            try NSPersistentStoreCoordinator.migrationPlan(forStoreAt: url, to: LibraryModels.first())
        }
        try Data("no database".utf8).write(to: url)
        #expect(throws: CocoaError.self) {
            try NSPersistentStoreCoordinator.migrationPlan(forStoreAt: url, to: LibraryModels.first())
        }
    }
}
