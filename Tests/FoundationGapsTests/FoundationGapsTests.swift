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
        #expect(defaults.value(forKey: "a") as? Int == 5)
        defaults.setValuesForKeys(["b": "x", "a": NSNull()])
        let values = defaults.dictionaryWithValues(forKeys: ["a", "b"])
        #expect(values["a"] is NSNull && values["b"] as? String == "x")
        defaults.setValue(nil, forKey: "b")
        #expect(defaults.object(forKey: "a") == nil && defaults.value(forKey: "b") == nil)
    }

    @Test func `Lists and dictionaries of archives have the classes that were asked for`() throws {
        let list = try NSKeyedArchiver.archivedData(
            withRootObject: NSArray(array: [NSString(string: "a"), NSString(string: "b")]),
            requiringSecureCoding: true)
        #expect(
            try NSKeyedUnarchiver.unarchivedArrayOfObjects(ofClass: NSString.self, from: list) == ["a", "b"])
        #expect(throws: (any Error).self) {
            try NSKeyedUnarchiver.unarchivedArrayOfObjects(ofClass: NSDate.self, from: list)
        }
        #expect(
            try NSKeyedUnarchiver.unarchivedArrayOfObjects(ofClasses: [NSString.self], from: list)?.count == 2
        )
        let keyed = try NSKeyedArchiver.archivedData(
            withRootObject: NSDictionary(dictionary: [NSString(string: "a"): NSNumber(value: 1)]),
            requiringSecureCoding: true)
        #expect(
            try NSKeyedUnarchiver.unarchivedDictionary(
                ofKeyClass: NSString.self, objectClass: NSNumber.self, from: keyed) == ["a": 1])
        #expect(throws: (any Error).self) {
            try NSKeyedUnarchiver.unarchivedArrayOfObjects(ofClass: NSString.self, from: Data([1, 2, 3]))
        }
    }

    @Test func `Data is written by the older name of atomic`() throws {
        let directory = try TemporaryDirectory()
        let file = URL(fileURLWithPath: directory.path).appendingPathComponent("file")
        try Data("a".utf8).write(to: file, options: [.atomicWrite])
        #expect(try Data(contentsOf: file) == Data("a".utf8))
    }

    @Test func `A text is looked up with placeholders for its values`() throws {
        let directory = try TemporaryDirectory()
        let folder = URL(fileURLWithPath: directory.path).appendingPathComponent("Texts.bundle")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let strings = """
            "Save" = "Sichern";
            "%lld of %@" = "%2$@: %1$lld";
            "100%% of %@" = "%@ zu 100%%";
            "greeting" = "Hallo, %@!";
            """
        try Data(strings.utf8).write(to: folder.appendingPathComponent("Localizable.strings"))
        let bundle = try #require(Bundle(path: folder.path))
        #expect(String(localized: "Save", bundle: bundle, comment: "a button") == "Sichern")
        #expect(String(localized: "\(3) of \("Ada")", bundle: bundle) == "Ada: 3")
        #expect(String(localized: "100% of \("Ada")", bundle: bundle) == "Ada zu 100%")
        #expect(String(localized: "greeting", defaultValue: "Hi, \("Ada")!", bundle: bundle) == "Hallo, Ada!")
        #expect(String(localized: "unknown", defaultValue: "Hi, \("%@")!", bundle: bundle) == "Hi, %@!")
        #expect(
            String(localized: "No entry, \(2.5) \(Character("x"))", bundle: bundle) == "No entry, 2.500000 x")
        #expect(String(localized: "50% off") == "50% off")
        #expect(String(localized: String.LocalizationValue("a %@ \(7)")) == "a %@ 7")
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
