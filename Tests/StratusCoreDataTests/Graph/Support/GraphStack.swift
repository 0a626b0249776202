import Foundation
import StratusCoreData
import Testing

/// The stores that the graph's rules are tested over.
enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case dictionary, sqlite, memory

    var testDescription: String { rawValue }
}

/// A model, a store and contexts for one test.
final class GraphStack: @unchecked Sendable {
    // Used by one test; contexts guard themselves.
    let coordinator: NSPersistentStoreCoordinator
    let url: URL
    let kind: StoreKind
    let context: NSManagedObjectContext

    init(_ kind: StoreKind, model: NSManagedObjectModel = GraphModel.make(), at url: URL? = nil) throws {
        _ = DictionaryStore.registered
        self.kind = kind
        self.url =
            url ?? FileManager.default.temporaryDirectory.appendingPathComponent("graph-\(UUID().uuidString)")
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        switch kind {
        case .dictionary: try coordinator.addPersistentStore(type: DictionaryStore.storeType, at: self.url)
        case .sqlite: try coordinator.addPersistentStore(type: .sqlite, at: self.url)
        case .memory:
            try coordinator.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
        }
        context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        context.name = "first"
    }

    deinit {
        if kind == .dictionary { DictionaryStore.forget(url) }
        guard kind == .sqlite else { return }
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + end) }
    }

    /// Another context on the same stores.
    func another(_ name: String = "second") -> NSManagedObjectContext {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        context.name = name
        return context
    }

    /// A context whose parent is the first one, or another.
    func child(of parent: NSManagedObjectContext? = nil, _ name: String = "child") -> NSManagedObjectContext {
        let context = NSManagedObjectContext(.privateQueue)
        context.parent = parent ?? self.context
        context.name = name
        return context
    }

    /// Runs work with the first context on its queue.
    func run<Result>(_ work: (NSManagedObjectContext) throws -> Result) throws -> Result {
        try context.runAndWait { try work(context) }
    }

    var disk: DictionaryStore.Disk { DictionaryStore.disk(at: url) }

    /// Saves a course with lessons by another context, and gives its ID.
    func seed(_ title: String = "Swift", lessons: Int = 0) throws -> NSManagedObjectID {
        let other = another("seed")
        return try other.performAndWait {
            let course = Course(context: other)
            course.title = title
            for number in 0..<lessons {
                course.addToLessons(Lesson(title: "\(title) \(number)", number: number, in: other))
            }
            try other.save()
            return course.objectID
        }
    }
}

extension NSManagedObjectContext {
    /// The object of an ID as a class.
    func get<Object: NSManagedObject>(_ objectID: NSManagedObjectID, as type: Object.Type = Object.self)
        throws -> Object
    {
        try #require(object(with: objectID) as? Object)
    }

    /// The titles of the courses that a predicate finds, in order of title.
    func titles(_ predicate: NSPredicate? = nil) throws -> [String] {
        let request = NSFetchRequest<Course>(entityName: "Course")
        request.predicate = predicate
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        return try fetch(request).map { $0.title ?? "nil" }
    }

    func make(_ title: String) -> Course {
        let course = Course(context: self)
        course.title = title
        return course
    }
}

/// Notes notifications while it lives.
final class Observed: @unchecked Sendable {
    // Filled by the context's queue, which the test waits for.
    private(set) var all: [Notification] = []
    private var token: (any NSObjectProtocol)?

    init(_ name: Notification.Name, _ object: AnyObject?) {
        token = NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) {
            [weak self] in
            self?.all.append($0)
        }
    }

    deinit { if let token { NotificationCenter.default.removeObserver(token) } }

    func objects(_ key: String, at index: Int = 0) -> Set<NSManagedObject> {
        guard all.indices.contains(index) else { return [] }
        return all[index].userInfo?[key] as? Set<NSManagedObject> ?? []
    }
}

/// The code of the Cocoa error that some work throws; nil where it throws none.
func code(_ work: () throws -> Void) -> Int? {
    do {
        try work()
        return nil
    } catch let error as CocoaError {
        return error.errorCode
    } catch {
        return -1
    }
}
