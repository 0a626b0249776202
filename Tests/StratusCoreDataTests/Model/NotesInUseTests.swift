import Foundation
import Testing

@testable import StratusCoreData

/// The app's own notes in a model that is in use.
@Suite struct NotesInUseTests {
    /// As CoreDataPlus does: what a fetched property finds follows its notes.
    @Test func notesOfAFetchedPropertyCanBeChanged() throws {
        let favourites = NSFetchedPropertyDescription()
        favourites.name = "favourites"
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Note")
        request.predicate = NSPredicate(format: "text CONTAINS $FETCHED_PROPERTY.userInfo.search")
        favourites.fetchRequest = request
        favourites.userInfo = ["search": "great"]
        let model = GraphModel.make { entities in
            guard let tag = entities["Tag"] else { return }
            tag.properties.append(favourites)
        }
        try GraphStack(.sqlite, model: model).run { context in
            for text in ["great", "so great", "interesting"] {
                NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)["text"] = text
            }
            let tag = Tag(context: context)
            try context.save()
            #expect((tag.value(forKey: "favourites") as? [NSManagedObject])?.count == 2)
            let inUse = try #require(
                tag.entity.properties.first { $0.name == "favourites" } as? NSFetchedPropertyDescription)
            inUse.userInfo?["search"] = "interesting"
            #expect((tag.value(forKey: "favourites") as? [NSManagedObject])?.count == 1)
            tag.entity.userInfo = ["a": 1]
            #expect(tag.entity.userInfo?["a"] as? Int == 1)
        }
    }

    /// Many threads at once: notes are read and written whole.
    @Test func notesAreReadAndWrittenWhole() async throws {
        let stack = try GraphStack(.memory)
        let entity = try #require(stack.coordinator.managedObjectModel.entitiesByName["Course"])
        entity.userInfo = ["x": 0, "y": 0]
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                group.addTask {
                    (0..<200).allSatisfy { _ in
                        entity.userInfo = ["x": number, "y": number]
                        let notes = entity.userInfo
                        return notes?["x"] as? Int == notes?["y"] as? Int
                    }
                }
            }
            for await isWhole in group { #expect(isWhole) }
        }
    }
}
