import Foundation
import Synchronization
import Testing

@testable import StratusCoreData

/// What a coordinator does one at a time, and what it tells.
@Suite struct CoordinatorTests {
    private final class Log: Sendable {
        let entries = Mutex<[String]>([])

        func add(_ entry: String) { entries.withLock { $0.append(entry) } }
    }

    @Test func workExcludesContextsAndKeepsItsOrder() throws {
        let stack = try GraphStack(.sqlite)
        let (log, coordinator, context) = (Log(), stack.coordinator, stack.another())
        let begun = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        coordinator.perform {
            begun.signal()
            mayEnd.wait()
            log.add("work")
        }
        begun.wait()
        context.perform {
            _ = try? context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Course"))
            log.add("fetch")
        }
        // Long enough for a fetch that nothing held back.
        Thread.sleep(forTimeInterval: 0.2)
        #expect(log.entries.withLock { $0 } == [])
        mayEnd.signal()
        context.performAndWait {}
        #expect(log.entries.withLock { $0 } == ["work", "fetch"])
        for number in 0..<50 { coordinator.perform { log.add("\(number)") } }
        coordinator.performAndWait { log.add("last") }
        #expect(log.entries.withLock { Array($0.dropFirst(2)) } == (0..<50).map(String.init) + ["last"])
    }

    @Test func workMayBeNested() throws {
        let stack = try GraphStack(.memory)
        let coordinator = stack.coordinator
        let count = try coordinator.performAndWait {
            try coordinator.performAndWait {
                try stack.run { try $0.count(for: NSFetchRequest<NSManagedObject>(entityName: "Course")) }
            }
        }
        #expect(count == 0)
        let done = DispatchSemaphore(value: 0)
        coordinator.perform {
            coordinator.performAndWait { coordinator.perform { done.signal() } }
        }
        #expect(done.wait(timeout: .now() + 10) == .success)
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
        description.type = NSInMemoryStoreType
        description.shouldAddStoreAsynchronously = true
        coordinator.addPersistentStore(with: description) { _, error in
            #expect(error == nil)
            coordinator.performAndWait { _ = done.signal() }
        }
        #expect(done.wait(timeout: .now() + 10) == .success)
        #expect(throws: CocoaError.self) {
            try coordinator.performAndWait { throw CocoaError(.fileNoSuchFile) }
        }
    }

    /// Many threads by all ways in: nothing overlaps, and nothing waits for ever.
    @Test func threadsTakeTurns() throws {
        let stack = try GraphStack(.sqlite)
        let coordinator = stack.coordinator
        let inside = Mutex(0)
        let total = Atomic<Int>(0)
        let turn: @Sendable () -> Void = {
            let others = inside.withLock { count -> Int in
                count += 1
                return count
            }
            #expect(others == 1)
            inside.withLock { $0 -= 1 }
            total.add(1, ordering: .relaxed)
        }
        DispatchQueue.concurrentPerform(iterations: 8) { number in
            let context = stack.another("\(number)")
            for step in 0..<25 {
                switch (number + step) % 3 {
                case 0: coordinator.perform(turn)
                case 1: coordinator.performAndWait(turn)
                default:
                    context.performAndWait {
                        _ = context.make("\(number)-\(step)")
                        #expect(throws: Never.self) { try context.save() }
                        coordinator.performAndWait(turn)
                    }
                }
            }
        }
        coordinator.performAndWait {}
        #expect(total.load(ordering: .relaxed) == 200)
    }

    @Test func notificationsOfStores() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: GraphModel.make())
        let willChange = Observed(.NSPersistentStoreCoordinatorStoresWillChange, coordinator)
        let didChange = Observed(.NSPersistentStoreCoordinatorStoresDidChange, coordinator)
        let store = try coordinator.addPersistentStore(
            type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
        let willRemove = Observed(.NSPersistentStoreCoordinatorWillRemoveStore, nil)
        try coordinator.remove(store)
        #expect(willChange.all.isEmpty)
        #expect(didChange.all.count == 2)
        #expect(didChange.all.first?.userInfo?[NSAddedPersistentStoresKey] as? [NSPersistentStore] == [store])
        #expect(
            didChange.all.last?.userInfo?[NSRemovedPersistentStoresKey] as? [NSPersistentStore] == [store])
        let own = willRemove.all.filter { $0.object as? NSPersistentStore === store }
        #expect(own.count == 1 && own.first?.userInfo == nil)
    }

    @Test func savesTellTheGeneration() throws {
        let stack = try GraphStack(.sqlite)
        try stack.run { context in
            let saved = Observed(NSManagedObjectContext.didSaveObjectsNotification, context)
            let key = NSManagedObjectContext.NotificationKey.queryGeneration.rawValue
            _ = context.make("A")
            try context.save()
            try context.setQueryGenerationFrom(.current)
            _ = context.make("B")
            try context.save()
            #expect(saved.all.count == 2 && saved.all[0].userInfo?[key] == nil)
            let token = saved.all[1].userInfo?[key] as? NSQueryGenerationToken
            #expect(token != nil && token === context.queryGenerationToken)
        }
    }

    /// Keys of an app's store: paths, addresses, texts of any kind.
    @Test(arguments: ["a/b", "https://example.org/1?x=%2F#y", "100%", "ü/ ", "..", "/"])
    func anyKeyOfAStoreOfTheAppIsFoundByItsAddress(_ key: String) throws {
        let stack = try GraphStack(.dictionary)
        let store = try #require(stack.coordinator.persistentStores.first as? NSIncrementalStore)
        let entity = try #require(stack.coordinator.managedObjectModel.entitiesByName["Course"])
        let objectID = store.newObjectID(for: entity, referenceObject: key)
        let found = stack.coordinator.managedObjectID(forURIRepresentation: objectID.uriRepresentation())
        #expect(found == objectID)
        #expect(found.map { store.referenceObject(for: $0) as? String } == key)
    }
}
