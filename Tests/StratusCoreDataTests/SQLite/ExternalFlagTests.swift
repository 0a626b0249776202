import Foundation
import TestSupport
import Testing

@testable import CoreDataSQLiteStore
@testable import StratusCoreData

/// 'Allows External Storage' is no part of a model's version, and no change of it may change a value.
@Suite("External storage switched on and off")
struct ExternalFlagTests {
    private typealias Models = LibraryModels

    /// Pictures with bytes, an archived value and a composite one, with external storage or without.
    private func pictures(
        _ isExternal: Bool, more: Bool = false, required: Bool = false
    ) -> NSManagedObjectModel {
        func external(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
            let attribute = Models.attribute(name, type)
            attribute.allowsExternalBinaryDataStorage = isExternal
            attribute.preservesValueInHistoryOnDeletion = name == "bytes"
            return attribute
        }
        let frame = NSCompositeAttributeDescription()
        frame.name = "frame"
        frame.elements = [external("edge", .binaryDataAttributeType)]
        let filled = external("filled", .binaryDataAttributeType)
        if required {
            filled.isOptional = false
            filled.defaultValue = Data([1, 2, 3])
        }
        var properties = [
            Models.attribute("number", .integer64AttributeType), external("bytes", .binaryDataAttributeType),
            external("archived", .transformableAttributeType), frame, filled,
        ]
        if more { properties.append(Models.attribute("more", .stringAttributeType)) }
        let picture = Models.entity("Picture", properties)
        let drawing = Models.entity("Drawing", [external("own", .binaryDataAttributeType)])
        picture.subentities = [drawing]
        return Models.model([picture, drawing])
    }

    /// Every first byte, small and large, and bytes that look like a mark.
    private static let values: [Data] = {
        var result: [Data] = [Data(), Data([1]), Data([2]), Data([1, 1]), Data([1, 2])]
        for first in 0...255 { result.append(Data([UInt8(first), 7, 9])) }
        for first in [0, 1, 2, 0x89] {
            result.append(Data([UInt8(first)]) + Data(repeating: 5, count: 120_000))
        }
        let reference = Data([2]) + Data("6B29FC40-CA47-1067-B31D-00DD010662DA".utf8) + Data([0])
        result += [reference, Data([1]) + reference, Data([1, 1]) + reference]
        return result
    }()

    private func fill(_ context: NSManagedObjectContext) throws {
        for (number, value) in Self.values.enumerated() {
            let picture = NSEntityDescription.insertNewObject(
                forEntityName: number % 2 == 0 ? "Picture" : "Drawing", into: context)
            picture.setValue(number, forKey: "number")
            picture.setValue(value, forKey: "bytes")
            picture.setValue(value, forKey: "archived")
            picture.setValue(["edge": value], forKey: "frame")
            if number % 2 == 1 { picture.setValue(value, forKey: "own") }
        }
        try context.save()
    }

    private func check(_ context: NSManagedObjectContext, _ note: Comment) throws {
        let pictures = try Models.fetch("Picture", by: "number", context)
        #expect(pictures.count == Self.values.count, note)
        for (picture, value) in zip(pictures, Self.values) {
            #expect(picture.value(forKey: "bytes") as? Data == value, note)
            #expect(picture.value(forKey: "archived") as? Data == value, note)
            #expect((picture.value(forKey: "frame") as? [String: Any])?["edge"] as? Data == value, note)
            if picture.entity.name == "Drawing" {
                #expect(picture.value(forKey: "own") as? Data == value, note)
            }
        }
        let request = NSFetchRequest<NSDictionary>(entityName: "Picture")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["bytes"]
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        #expect(
            try context.fetch(request).map { $0["bytes"] as? Data } == Self.values.map(Optional.some), note)
    }

    /// Writes each value again, so that every row gets what the model that is open now makes of it.
    private func rewrite(_ context: NSManagedObjectContext) throws {
        for picture in try Models.fetch("Picture", by: "number", context) {
            for key in ["bytes", "archived", "frame"] {
                let value = picture.value(forKey: key)
                picture.setValue(nil, forKey: key)
                picture.setValue(value, forKey: key)
            }
        }
        try context.save()
        context.reset()
    }

    @Test(arguments: [true, false]) func valuesStayWithoutAMigration(_ wasExternal: Bool) throws {
        let directory = try TemporaryDirectory()
        let url = directory.url.appendingPathComponent("Pictures.sqlite")
        try Models.using(pictures(wasExternal), url) { try fill($0) }
        for isExternal in [!wasExternal, wasExternal, !wasExternal] {
            try Models.using(pictures(isExternal), url) { context in
                try check(context, "opened")
                try rewrite(context)
                try check(context, "written again")
                let update = NSBatchUpdateRequest(entityName: "Picture")
                update.predicate = NSPredicate(format: "number == 3")
                update.propertiesToUpdate = ["bytes": Self.values[3], "archived": Self.values[3]]
                try context.execute(update)
                context.reset()
                try check(context, "updated at once")
            }
            try Models.using(
                pictures(isExternal), url, [NSReadOnlyPersistentStoreOption: NSNumber(value: true)]
            ) {
                try check($0, "read only")
            }
        }
    }

    @Test(arguments: [true, false], [true, false])
    func valuesStayInAMigration(_ wasExternal: Bool, _ isSwitchedBefore: Bool) throws {
        let directory = try TemporaryDirectory()
        let url = directory.url.appendingPathComponent("Pictures.sqlite")
        try Models.using(pictures(wasExternal), url) { try fill($0) }
        if isSwitchedBefore { try Models.using(pictures(!wasExternal), url) { try rewrite($0) } }
        let newer = pictures(!wasExternal, more: true, required: true)
        try Models.using(newer, url, Models.automatic) { context in
            try check(context, "migrated")
            for picture in try Models.fetch("Picture", by: "number", context) {
                #expect(picture.value(forKey: "filled") as? Data == Data([1, 2, 3]))
            }
            try rewrite(context)
            try check(context, "written again")
        }
        try Models.using(pictures(wasExternal, more: true, required: true), url) {
            try check($0, "switched back")
        }
    }

    @Test(arguments: [true, false]) func valuesStayInAStage(_ wasExternal: Bool) throws {
        let directory = try TemporaryDirectory()
        let url = directory.url.appendingPathComponent("Pictures.sqlite")
        try Models.using(pictures(wasExternal), url) { try fill($0) }
        // The app's older version has the newer flag by now.
        let (older, newer) = (pictures(!wasExternal), pictures(!wasExternal, more: true))
        let stage = NSCustomMigrationStage(
            migratingFrom: .init(model: older, versionChecksum: older.versionChecksum),
            to: .init(model: newer, versionChecksum: newer.versionChecksum))
        stage.didMigrateHandler = { manager, _ in
            let context = try #require(manager.container?.newBackgroundContext())
            try context.performAndWait { try check(context, "in the handler") }
        }
        var options = Models.automatic
        options[NSPersistentStoreStagedMigrationManagerOptionKey] = NSStagedMigrationManager([stage])
        try Models.using(newer, url, options) { try check($0, "after the stage") }
    }

    /// The files' times are old, as they are in an app; the new store is beside the old one meanwhile.
    @Test func valuesStayInAMappedMigration() throws {
        let directory = try TemporaryDirectory()
        let url = directory.url.appendingPathComponent("Pictures.sqlite")
        try Models.using(pictures(true), url) { try fill($0) }
        let folder = ExternalFiles(store: url)
        let old = [FileAttributeKey.modificationDate: Date(timeIntervalSinceNow: -7_200)]
        for name in folder.names {
            let file = folder.folder.appendingPathComponent(name).path
            try FileManager.default.setAttributes(old, ofItemAtPath: file)
        }
        let newer = pictures(true, more: true)
        newer.entitiesByName["Picture"]?.versionHashModifier = "mapped"
        let mapping = try NSMappingModel.inferredMappingModel(
            forSourceModel: pictures(true), destinationModel: newer)
        mapping.entityMappings?.first?.userInfo = ["by": "hand"]
        NSMappingModel.register(mapping, forSourceModel: pictures(true), destinationModel: newer)
        try Models.using(newer, url, Models.automatic) { try check($0, "mapped") }
        try Models.using(newer, url) { try check($0, "opened again") }
    }

    @Test func whatTheHistoryKeepsOfDeletedObjectsStays() throws {
        let directory = try TemporaryDirectory()
        let url = directory.url.appendingPathComponent("Pictures.sqlite")
        let tracked: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: NSNumber(value: true)]
        let kept = [Data([1, 2]), Data([9]), Data([2, 2])]
        func tombstones(_ context: NSManagedObjectContext) throws -> [Data?] {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(
                after: nil as NSPersistentHistoryToken?)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
            return transactions.flatMap { $0.changes ?? [] }.filter { $0.changeType == .delete }
                .map { $0.tombstone?["bytes"] as? Data }
        }
        try Models.using(pictures(true), url, tracked) { context in
            for data in kept {
                let picture = NSEntityDescription.insertNewObject(forEntityName: "Picture", into: context)
                picture.setValue(data, forKey: "bytes")
                try context.save()
                context.delete(picture)
                try context.save()
            }
            #expect(try tombstones(context) == kept)
        }
        var isExternal = true
        for more in [true, false, true] {
            isExternal.toggle()
            try Models.using(pictures(isExternal), url, tracked.merging(Models.automatic) { $1 }) {
                (context) throws in
                let found = try tombstones(context)
                #expect(found == kept)
            }
            try Models.using(
                pictures(isExternal, more: more), url, tracked.merging(Models.automatic) { $1 }
            ) { (context) throws in
                let found = try tombstones(context)
                #expect(found == kept)
            }
        }
    }

    @Test func aHistoryGoesOnWithoutItsOption() throws {
        let directory = try TemporaryDirectory()
        let url = directory.url.appendingPathComponent("Pictures.sqlite")
        let tracked: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: NSNumber(value: true)]
        for options in [tracked, [:], [NSPersistentHistoryTrackingKey: NSNumber(value: false)], tracked] {
            try Models.using(pictures(true), url, options) { context in
                _ = NSEntityDescription.insertNewObject(forEntityName: "Picture", into: context)
                try context.save()
            }
        }
        try Models.using(pictures(true), url, tracked) { context in
            let request = NSPersistentHistoryChangeRequest.fetchHistory(
                after: nil as NSPersistentHistoryToken?)
            request.resultType = .count
            let result = try context.execute(request) as? NSPersistentHistoryResult
            #expect(result?.result as? Int == 4)
        }
    }

    // MARK: Batches

    @Test func batchesWriteLargeValuesToFilesOfTheirOwn() throws {
        let directory = try TemporaryDirectory()
        let url = directory.url.appendingPathComponent("Pictures.sqlite")
        let large = Data(repeating: 4, count: 250_000)
        let files = ExternalFiles(store: url)
        try Models.using(pictures(true), url) { context in
            let insert = NSBatchInsertRequest(
                entityName: "Picture",
                objects: (0..<3).map {
                    ["number": $0, "bytes": large, "archived": large, "frame": ["edge": large]]
                })
            try context.execute(insert)
            #expect(files.names.count == 9)
            func values() throws -> [Data?] {
                context.reset()
                return try Models.fetch("Picture", by: "number", context).flatMap {
                    [
                        $0.value(forKey: "bytes") as? Data, $0.value(forKey: "archived") as? Data,
                        ($0.value(forKey: "frame") as? [String: Any])?["edge"] as? Data,
                    ]
                }
            }
            #expect(try values() == Array(repeating: large, count: 9))
            let other = Data(repeating: 1, count: 200_000)
            let update = NSBatchUpdateRequest(entityName: "Picture")
            update.propertiesToUpdate = ["bytes": other, "archived": other, "frame": ["edge": other]]
            try context.execute(update)
            #expect(files.names.count == 9)
            #expect(try values() == Array(repeating: other, count: 9))
            // Each row has files of its own: one object's go with it, the others' stay.
            context.delete(try #require(try Models.fetch("Picture", by: "number", context).first))
            try context.save()
            #expect(files.names.count == 6)
            #expect(try values() == Array(repeating: other, count: 6))
            update.propertiesToUpdate = [
                "bytes": Data([1]), "archived": Data([2]), "frame": ["edge": Data([3])],
            ]
            try context.execute(update)
            #expect(files.names.isEmpty)
            #expect(try values() == [Data([1]), Data([2]), Data([3]), Data([1]), Data([2]), Data([3])])
        }
    }

    @Test func aCopyWithAnotherEndingKeepsItsLargeValues() throws {
        let directory = try TemporaryDirectory()
        let url = directory.url.appendingPathComponent("Pictures.sqlite")
        let copy = directory.url.appendingPathComponent("Pictures.backup")
        try Models.using(pictures(true), url) { try fill($0) }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: pictures(true))
        try coordinator.replacePersistentStore(at: copy, withPersistentStoreFrom: url, type: .sqlite)
        try Models.using(pictures(true), url) { context in
            for picture in try Models.fetch("Picture", by: "number", context) { context.delete(picture) }
            try context.save()
        }
        try Models.using(pictures(true), copy) { try check($0, "after the objects were deleted") }
        try coordinator.destroyPersistentStore(at: url, type: .sqlite)
        try Models.using(pictures(true), copy) { try check($0, "after the store was destroyed") }
    }

    @Test func aKeptOlderStoreKeepsItsLargeValues() throws {
        let directory = try TemporaryDirectory()
        let url = directory.url.appendingPathComponent("Pictures.sqlite")
        try Models.using(pictures(true), url) { try fill($0) }
        let newer = pictures(true, more: true)
        try NSPersistentStoreCoordinator.migrateStore(at: url, to: newer, keepsOldStore: true)
        try Models.using(newer, url) { context in
            for picture in try Models.fetch("Picture", by: "number", context) { context.delete(picture) }
            try context.save()
        }
        try Models.using(pictures(true), url.appendingPathExtension("before-migration")) {
            try check($0, "the older store")
        }
    }

    @Test func aStoreBehindALinkMigratesWithItsLargeValues() throws {
        let directory = try TemporaryDirectory()
        let real = directory.url.appendingPathComponent("real")
        try FileManager.default.createDirectory(at: real, withIntermediateDirectories: false)
        let url = real.appendingPathComponent("Pictures.sqlite")
        let link = directory.url.appendingPathComponent("Link.sqlite")
        try Models.using(pictures(true), url) { try fill($0) }
        #expect(symlink(url.path, link.path) == 0)
        try Models.using(pictures(true), link) { try check($0, "through the link") }
        try Models.using(pictures(false, more: true), link, Models.automatic) { try check($0, "migrated") }
        #expect(RegularFile.kind(link.path) == .link)
    }
}
