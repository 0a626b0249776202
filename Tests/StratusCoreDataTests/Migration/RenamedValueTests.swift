import Foundation
import TestSupport
import Testing

@testable import StratusCoreData

/// Entities and attributes that a new version of the model renames, with the values that are not plain columns.
@Suite struct RenamedValueTests {
    final class ReversedTransformer: ValueTransformer, @unchecked Sendable {
        override func transformedValue(_ value: Any?) -> Any? {
            (value as? String).map { Data($0.utf8.reversed()) }
        }
        override func reverseTransformedValue(_ value: Any?) -> Any? {
            (value as? Data).map { String(decoding: $0.reversed(), as: UTF8.self) }
        }
    }

    private static func model(isNew: Bool, transformer: String) -> NSManagedObjectModel {
        let photo = entity(
            isNew ? "Picture" : "Photo",
            [
                attribute(isNew ? "bytes" : "data", .binaryDataAttributeType) {
                    $0.allowsExternalBinaryDataStorage = true
                    $0.renamingIdentifier = "data"
                },
                attribute(isNew ? "caption" : "note", .transformableAttributeType) {
                    $0.valueTransformerName = transformer
                    $0.renamingIdentifier = "note"
                },
            ])
        photo.renamingIdentifier = "Photo"
        if isNew { photo.properties += [attribute("stars", .integer16AttributeType) { $0.defaultValue = 3 }] }
        let album = entity("Album", [attribute("title", .stringAttributeType)])
        let (photos, back) = (
            relationship(isNew ? "pictures" : "photos", many: true, ordered: true), relationship("album")
        )
        photos.renamingIdentifier = "photos"
        join(photos, of: album, back, of: photo)
        album.properties += [photos]
        photo.properties += [back]
        let model = StratusCoreDataTests.model([photo, album])
        model.setEntities([photo, album], forConfigurationName: "Albums")
        return model
    }

    private static func context(_ model: NSManagedObjectModel, _ urls: [URL]) throws -> NSManagedObjectContext
    {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        for url in urls {
            try coordinator.addPersistentStore(
                type: .sqlite, configuration: "Albums", at: url,
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true,
                    NSInferMappingModelAutomaticallyOption: true,
                ])
        }
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// The transformer is the app's, and a migration may run before the app has registered it.
    @Test func largeAndTransformedValuesComeThroughWithoutTheirTransformer() throws {
        let folder = try TemporaryDirectory()
        let urls = ["a", "b"].map { folder.url.appendingPathComponent("\($0).sqlite") }
        let name = NSValueTransformerName("RenamedValueTests.Reversed")
        ValueTransformer.setValueTransformer(ReversedTransformer(), forName: name)
        defer { ValueTransformer.setValueTransformer(nil, forName: name) }
        let old = try Self.context(Self.model(isNew: false, transformer: name.rawValue), urls)
        try old.runAndWait {
            for (place, store) in try #require(old.persistentStoreCoordinator).persistentStores.enumerated() {
                let album = NSEntityDescription.insertNewObject(forEntityName: "Album", into: old)
                old.assign(album, to: store)
                album.setValue("album \(place)", forKey: "title")
                let photos = (0..<3).map { n in
                    let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: old)
                    old.assign(photo, to: store)
                    photo.setValue("note \(place) \(n)", forKey: "note")
                    photo.setValue(Data(repeating: UInt8(n + 1), count: n * 150_000 + 5), forKey: "data")
                    return photo
                }
                album.setValue(NSOrderedSet(array: photos.reversed()), forKey: "photos")
            }
            try old.save()
        }
        for store in old.persistentStoreCoordinator?.persistentStores ?? [] {
            try old.persistentStoreCoordinator?.remove(store)
        }
        ValueTransformer.setValueTransformer(nil, forName: name)
        let new = try Self.context(Self.model(isNew: true, transformer: name.rawValue), urls)
        ValueTransformer.setValueTransformer(ReversedTransformer(), forName: name)
        try new.runAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Album")
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            let albums = try new.fetch(request)
            #expect(albums.count == 2)
            for (place, album) in albums.enumerated() {
                let pictures =
                    (album.value(forKey: "pictures") as? NSOrderedSet)?.array as? [NSManagedObject] ?? []
                #expect(
                    pictures.map { $0.value(forKey: "caption") as? String }
                        == [2, 1, 0].map { "note \(place) \($0)" })
                #expect(
                    pictures.map { $0.value(forKey: "bytes") as? Data }
                        == [2, 1, 0].map { Data(repeating: UInt8($0 + 1), count: $0 * 150_000 + 5) })
                #expect(pictures.allSatisfy { $0.value(forKey: "stars") as? Int == 3 })
            }
            // A batch of the new names over both stores.
            let update = NSBatchUpdateRequest(entityName: "Picture")
            update.predicate = NSPredicate(format: "album.title == 'album 1'")
            update.propertiesToUpdate = ["bytes": Data(repeating: 9, count: 200_000), "stars": 5]
            update.resultType = .updatedObjectsCountResultType
            #expect((try new.execute(update) as? NSBatchUpdateResult)?.result as? Int == 3)
            new.refreshAllObjects()
            let five = NSFetchRequest<NSManagedObject>(entityName: "Picture")
            five.predicate = NSPredicate(format: "stars == 5")
            let found = try new.fetch(five)
            #expect(found.count == 3)
            #expect(found.allSatisfy { ($0.value(forKey: "bytes") as? Data)?.count == 200_000 })
            #expect(Set(found.compactMap { $0.value(forKey: "caption") as? String }).count == 3)
        }
    }
}
