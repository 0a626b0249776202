import Foundation
import FoundationGaps
import Synchronization
import TestSupport
import Testing

@Suite struct FoundationGapsTests {
    private struct Stop: Error {}

    @Test func `autoreleasepool gives what its closure gives, and throws what it throws`() {
        #expect(autoreleasepool { 7 } == 7)
        #expect(throws: Stop.self) { try autoreleasepool { () throws(Stop) in throw Stop() } }
    }

    @Test func `Defaults are set by key-value coding`() throws {
        let name = "stratus-gaps-\(UUID().uuidString)"
        let defaults = try #require(UserDefaults(suiteName: name))
        defer { defaults.removePersistentDomain(forName: name) }
        defaults.setValue(5, forKey: "a")
        #expect(defaults.integer(forKey: "a") == 5)
        defaults.setValue(nil, forKey: "a")
        #expect(defaults.object(forKey: "a") == nil)
    }

    @Test func `A group's folder is made, and no other folder is reached`() throws {
        let identifier = "group.test.\(UUID().uuidString)"
        let folder = try #require(
            FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: identifier))
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(folder.lastPathComponent == identifier)
        #expect(FileManager.default.fileExists(atPath: folder.path))
        for identifier in ["", ".", "..", "a/b", "../a", "a\0b"] {
            #expect(
                FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: identifier) == nil)
        }
    }

    @Test func `Writers exclude everybody, also of a folder around; readers share`() throws {
        let directory = try TemporaryDirectory()
        let folder = URL(fileURLWithPath: directory.path)
        let file = folder.appendingPathComponent("file")
        try Data("0".utf8).write(to: file)
        let failures = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 40) { number in
            let coordinator = NSFileCoordinator(filePresenter: nil)
            var error: NSError?
            if number.isMultiple(of: 4) {
                coordinator.coordinate(readingItemAt: folder, error: &error) { folder in
                    let text = try? String(contentsOf: folder.appendingPathComponent("file"), encoding: .utf8)
                    if text.flatMap(Int.init) == nil { failures.add(1, ordering: .relaxed) }
                }
            } else {
                coordinator.coordinate(writingItemAt: file, error: &error) { file in
                    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
                    try? Data("".utf8).write(to: file)
                    usleep(200)
                    try? Data("\((Int(text) ?? -1_000) + 1)".utf8).write(to: file)
                }
            }
            if error != nil { failures.add(1, ordering: .relaxed) }
        }
        #expect(failures.load(ordering: .relaxed) == 0)
        #expect(try String(contentsOf: file, encoding: .utf8) == "30")
    }

    @Test func `A coordinator does not wait for itself, and one that is cancelled waits for nobody`() throws {
        let url = URL(fileURLWithPath: "/tmp/stratus-\(UUID().uuidString)")
        let coordinator = NSFileCoordinator()
        var isReached = false
        coordinator.coordinate(writingItemAt: url, error: nil) { url in
            coordinator.coordinate(readingItemAt: url, error: nil) { _ in isReached = true }
            let other = NSFileCoordinator()
            var error: NSError?
            let canceller = Thread {
                usleep(20_000)
                other.cancel()
            }
            canceller.start()
            other.coordinate(readingItemAt: url, error: &error) { _ in Issue.record("It is being written.") }
            #expect(error?.code == CocoaError.Code.userCancelled.rawValue)
        }
        #expect(isReached)
    }
}
