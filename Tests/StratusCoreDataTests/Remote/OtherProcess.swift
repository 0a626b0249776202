import Foundation
import Synchronization
import TestSupport

@testable import StratusCoreData

#if canImport(Glibc)
import Glibc
#endif

/// Another process that edits the store of a ``CourseBench``: a single test of this program, told what to do line by line.
final class OtherProcess {
    static let variable = "STRATUS_OTHER_WRITER"
    private let process = Process()
    private let input = Pipe()
    private let told: String
    private var sent = 0

    init(_ bench: StoreBench) throws {
        told = bench.directory.path + "/told"
        try Data().write(to: URL(fileURLWithPath: told))
        process.executableURL = URL(
            fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        process.arguments = ["--testing-library", "swift-testing", "--filter", "OtherProcessTests/child"]
        process.environment = ProcessInfo.processInfo.environment.merging([
            Self.variable: bench.directory.path
        ]) { $1 }
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        try acknowledge(within: 30)
    }

    deinit {
        _ = Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Has the process do something, and waits until it is saved.
    func send(_ command: String) throws {
        try start(command)
        try acknowledge(within: 30)
    }

    /// Has the process do something meanwhile.
    func start(_ command: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
    }

    struct Silent: Error {}

    func acknowledge(within seconds: Double) throws {
        sent += 1
        let end = Date().addingTimeInterval(seconds)
        while try Data(contentsOf: URL(fileURLWithPath: told)).count < sent {
            guard Date() < end, process.isRunning else { throw Silent() }
            usleep(500)
        }
    }

    // MARK: In the other process

    /// Does what is told until the input ends.
    static func run(in folder: String) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: CourseBench.makeModel())
        try coordinator.addPersistentStore(
            type: .sqlite, at: URL(fileURLWithPath: folder + "/Test.sqlite"),
            options: [NSPersistentHistoryTrackingKey: true])
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        guard let told = FileHandle(forWritingAtPath: folder + "/told") else { return }
        try told.write(contentsOf: Data([1]))
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            try context.performAndWait {
                context.reset()
                try RemoteEdit.run(words, context)
            }
            try told.write(contentsOf: Data([1]))
        }
    }
}

/// What the other process can be told.
enum RemoteEdit {
    static func run(_ words: [String], _ context: NSManagedObjectContext) throws {
        let numbers = words.dropFirst().compactMap { Int($0) }
        let chapter = try context.all("LawChapter", "number = \(numbers[0])").first
        let lesson =
            numbers.count < 2
            ? nil
            : try context.all("LawLesson", "chapter.number = \(numbers[0]) AND number = \(numbers[1])").first
        switch words[0] {
        case "insert":
            _ = context.make(
                "LawLesson", ["number": numbers[1], "title": "new", "chapter": chapter ?? NSNull()])
        case "title": lesson?.setValue("other title", forKey: "title")
        case "number": lesson?.setValue(numbers[2], forKey: "number")
        case "chapter":
            lesson?.setValue(try context.all("LawChapter", "number = \(numbers[2])").first, forKey: "chapter")
        case "delete": lesson.map(context.delete)
        case "rename": chapter?.setValue("Renamed", forKey: "name")
        case "random":
            var random = Random(seed: UInt64(numbers[1]))
            for _ in 0..<numbers[0] { try RemoteEdit.random(context, &random) }
        default: throw CocoaError(.featureUnsupported)
        }
        try context.save()
    }

    /// One save of a few random edits, or none where another process was in the way.
    static func random(_ context: NSManagedObjectContext, _ random: inout some RandomNumberGenerator) throws {
        let chapters = try context.all("LawChapter")
        let lessons = try context.all("LawLesson")
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            guard let chapter = chapters.randomElement(using: &random) else { return }
            let lesson = lessons.randomElement(using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                _ = context.make(
                    "LawLesson",
                    ["number": Int.random(in: 0..<20, using: &random), "title": "new", "chapter": chapter])
            case 2: lesson?.setValue(Int.random(in: 0..<20, using: &random), forKey: "number")
            case 3: lesson?.setValue(chapter, forKey: "chapter")
            case 4: lesson?.setValue("title \(Int.random(in: 0..<9, using: &random))", forKey: "title")
            default: if let lesson, !lesson.isDeleted { context.delete(lesson) }
            }
        }
        do { try context.save() } catch { context.rollback() }
    }
}

/// Counts notifications, and keeps the last one's information.
final class Heard: Sendable {
    private let state = Mutex<(count: Int, keys: [String])>((0, []))
    // The centre gives it, and takes it back from any thread.
    nonisolated(unsafe) private var token: (any NSObjectProtocol)?

    init(_ name: Notification.Name, from object: AnyObject) {
        token = NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) {
            [weak self] notification in
            let keys = (notification.userInfo ?? [:]).keys.compactMap { $0 as? String }.sorted()
            self?.state.withLock { $0 = ($0.count + 1, keys) }
        }
    }

    deinit { if let token { NotificationCenter.default.removeObserver(token) } }

    var count: Int { state.withLock { $0.count } }
    var keys: [String] { state.withLock { $0.keys } }
}

/// Waits until something is so.
func waits(_ seconds: Double = 60, until condition: () throws -> Bool) rethrows -> Bool {
    let end = Date().addingTimeInterval(seconds)
    while Date() < end {
        if try condition() { return true }
        usleep(2_000)
    }
    return try condition()
}
