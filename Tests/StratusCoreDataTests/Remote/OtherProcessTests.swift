import Foundation
import SQLiteAccess
import TestSupport
import Testing

@testable import StratusCoreData

/// Changes of another process arrive in contexts and controllers of this one.
@Suite(.serialized) struct OtherProcessTests {
    private static let isChild = ProcessInfo.processInfo.environment[OtherProcess.variable] != nil
    private static var options: [AnyHashable: Any] {
        [
            NSPersistentHistoryTrackingKey: true,
            NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
        ]
    }

    @Test(.enabled(if: isChild)) func child() throws {
        try OtherProcess.run(in: try #require(ProcessInfo.processInfo.environment[OtherProcess.variable]))
    }

    @Test("A controller hears each save of another process once, soon", .enabled(if: !isChild))
    func hears() throws {
        let course = try CourseBench(options: Self.options)
        try course.fill(courses: 1, chapters: 2, lessons: 2)
        let context = course.context()
        let delegate = try context.performAndWait { try TableDelegate(context.lessons()) }
        let other = try OtherProcess(course.bench)
        let heard = Heard(.NSPersistentStoreRemoteChange, from: course.bench.coordinator)
        var done = 0
        func expect(
            _ command: String, _ list: String, _ log: [String]? = nil,
            at place: SourceLocation = #_sourceLocation
        ) throws {
            try other.send(command)
            done += 1
            #expect(
                waits { context.runAndWait { delegate.transactions >= done } }, "\(command)",
                sourceLocation: place)
            context.runAndWait {
                #expect(text(delegate.controller) == list, sourceLocation: place)
                if let log { #expect(delegate.log == log, sourceLocation: place) }
                #expect(delegate.problems == [], sourceLocation: place)
            }
        }
        try expect("insert 0 5", "Chapter 2[0 1 5] Chapter 1[0 1]", ["insert - 0.2"])
        try expect("title 0 0", "Chapter 2[0 1 5] Chapter 1[0 1]", ["update 0.0 0.0"])
        try expect("number 0 0 9", "Chapter 2[1 5 9] Chapter 1[0 1]", ["move 0.0 0.2"])
        try expect("delete 1 0", "Chapter 2[1 5 9] Chapter 1[1]", ["delete 1.0 -"])
        // Nobody here has saved since the log was emptied, and so started over.
        try SQLiteConnection(path: course.bench.url.path).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try expect("chapter 0 5 1", "Chapter 2[1 9] Chapter 1[1 5]", ["move 0.1 1.1"])
        try expect("rename 1", "Chapter 2[1 9] Renamed[1 5]")
        usleep(700_000)
        #expect(context.runAndWait { delegate.transactions } == done)
        #expect(heard.count == done)
        #expect(
            heard.keys
                == [NSStoreUUIDKey, NSPersistentStoreURLKey, NSPersistentHistoryTokenKey].sorted())
        let titles = try context.performAndWait {
            try context.all("LawLesson", "title = 'other title'").map { $0.value(forKey: "number") as? Int }
        }
        #expect(titles == [9])
    }

    @Test("Two processes that save at once", .enabled(if: !isChild), arguments: Seed.some(3))
    func together(_ seed: Seed) throws {
        var random = seed.random
        let course = try CourseBench(options: Self.options)
        try course.fill(courses: 1, chapters: 3, lessons: 5)
        let context = course.context()
        let delegate = try context.performAndWait { try TableDelegate(context.lessons()) }
        let other = try OtherProcess(course.bench)
        let editor = course.context()
        try other.start("random 60 \(seed.value / 2)")
        for _ in 0..<60 { try editor.runAndWait { try RemoteEdit.random(editor, &random) } }
        try other.acknowledge(within: 60)
        let fresh = course.context(merging: false)
        let expected = try fresh.performAndWait {
            let controller = fresh.lessons()
            try controller.performFetch()
            return text(controller)
        }
        #expect(
            waits { context.runAndWait { text(delegate.controller) == expected } },
            "\(seed.testDescription)")
        context.runAndWait {
            #expect(text(delegate.controller) == expected, "\(seed.testDescription)")
            #expect(delegate.problems == [], "\(seed.testDescription)")
        }
    }
}
