import Foundation
import SQLiteAccess
import TestSupport
import Testing

@testable import CoreDataSQLiteStore
@testable import StratusCoreData

/// How a store follows commits of others; another coordinator of this process stands for them.
@Suite struct RemoteChangeTests {
    private static func options(_ more: [AnyHashable: Any] = [:]) -> [AnyHashable: Any] {
        more.merging([
            NSPersistentHistoryTrackingKey: true,
            NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
        ]) { own, _ in own }
    }

    /// Another coordinator with the same file.
    private func second(_ course: CourseBench, _ options: [AnyHashable: Any]) throws -> NSManagedObjectContext
    {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: course.bench.model)
        try coordinator.addPersistentStore(type: .sqlite, at: course.bench.url, options: options)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func add(_ context: NSManagedObjectContext) throws {
        try context.performAndWait {
            _ = context.make("LawCourse", ["courseId": 1])
            try context.save()
        }
    }

    @Test("Own saves are told of once, and merged once")
    func ownSaves() throws {
        let course = try CourseBench(options: Self.options())
        let watcher = course.context()
        let editor = course.context()
        let posted = Heard(.NSPersistentStoreRemoteChange, from: course.bench.coordinator)
        let merged = Heard(NSManagedObjectContext.didMergeChangesObjectIDsNotification, from: watcher)
        for _ in 0..<5 { try add(editor) }
        // Others that save make the history be read, in which the own saves stand too.
        try add(try second(course, Self.options()))
        #expect(waits { posted.count == 6 && merged.count == 6 })
        usleep(700_000)
        #expect(posted.count == 6)
        #expect(merged.count == 6)
    }

    @Test("A rolled back save leaves its number to others")
    func rolledBack() throws {
        let course = try CourseBench(options: Self.options())
        let posted = Heard(.NSPersistentStoreRemoteChange, from: course.bench.coordinator)
        let open = try course.bench.store.opened()
        struct Full: Error {}
        #expect(throws: Full.self) {
            try open.connection.transaction {
                _ = try open.history?.begin(contextName: nil, author: nil)
                throw Full()
            }
        }
        try add(try second(course, Self.options()))
        #expect(waits { posted.count == 1 })
    }

    @Test(
        "Without the log, and by looking each second",
        arguments: [(true, false), (false, true), (true, true)])
    func otherWays(_ withoutLog: Bool, _ polls: Bool) throws {
        let pragmas: [AnyHashable: Any] =
            withoutLog ? [NSSQLitePragmasOption: ["journal_mode": "DELETE"]] : [:]
        let course = try CourseBench(options: Self.options(pragmas))
        if polls {
            try course.bench.store.opened().monitor = nil
            try course.bench.store.followOthers(polls: true)
        }
        let context = course.context()
        let posted = Heard(.NSPersistentStoreRemoteChange, from: course.bench.coordinator)
        let merged = Heard(NSManagedObjectContext.didMergeChangesObjectIDsNotification, from: context)
        let other = try second(course, Self.options(pragmas))
        for count in 1...3 {
            try add(other)
            #expect(waits { posted.count == count && merged.count == count })
        }
    }

    @Test("A store that was removed, or did not ask, is not followed")
    func stops() throws {
        let course = try CourseBench(options: Self.options())
        let coordinator = course.bench.coordinator
        let other = try second(course, Self.options())
        let posted = Heard(.NSPersistentStoreRemoteChange, from: coordinator)
        weak let monitor = try course.bench.store.opened().monitor
        #expect(monitor != nil)
        try course.bench.close()
        #expect(waits { monitor == nil })
        try add(other)
        usleep(200_000)
        #expect(posted.count == 0)
        #expect(try CourseBench().bench.store.opened().monitor == nil)
        let asksOnly = [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true]
        #expect(try CourseBench(options: asksOnly).bench.store.opened().monitor == nil)
    }
}

/// Processes that share a store rely on SQLite's locks.
@Suite struct StoreLockTests {
    /// `F_OFD_GETLK` of Linux.
    private static let getLock: Int32 = 36

    @Test("Looking at the state of a store's file leaves the locks on it alone")
    func locksStay() throws {
        let course = try CourseBench()
        try course.fill(courses: 1, chapters: 1, lessons: 1)
        // Asked as another open file would be, which sees the locks that this process holds. The files stay open to
        // the end: closing one would drop the locks by itself, which is what the test is about.
        let descriptors = ["", "-shm"].map { open(course.bench.url.path + $0, O_RDWR) }
        defer { for descriptor in descriptors { close(descriptor) } }
        func locks() -> [Bool] {
            descriptors.map { descriptor in
                var lock = flock()
                lock.l_type = Int16(F_WRLCK)
                lock.l_whence = Int16(SEEK_SET)
                return fcntl(descriptor, Self.getLock, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
            }
        }
        let before = locks()
        #expect(before.contains(true))
        let state = try #require(StoreFileState.read(try course.bench.store))
        #expect(locks() == before)
        #expect(StoreFileState.read(try course.bench.store) == state)
        try course.fill(courses: 1, chapters: 1, lessons: 1)
        #expect(StoreFileState.read(try course.bench.store) != state)
    }
}
