import Foundation
import TestSupport
import Testing

@testable import StratusCoreData

@Suite struct SectionCacheTests {
    /// Lists the lessons again, in a context that knows nothing, by a store that was opened again.
    private func list(_ bench: CourseBench, _ name: String, _ format: String? = nil) throws -> String {
        let context = bench.context(merging: false)
        return try context.performAndWait {
            let controller = context.lessons(format, cache: name)
            try controller.performFetch()
            return text(controller)
        }
    }

    @Test("A cache is used when nothing has changed, and only then")
    func trust() throws {
        let name = "test \(UUID().uuidString)/../x"
        let file = SectionCacheFiles.file(name)
        defer { NSFetchedResultsController<NSManagedObject>.deleteCache(withName: name) }
        let bench = try CourseBench()
        try bench.fill(courses: 1, chapters: 2, lessons: 2)
        let plain = "Chapter 2[0 1] Chapter 1[0 1]"
        #expect(try list(bench, name) == plain)
        let written = try String(contentsOf: file, encoding: .utf8)
        // What the cache says is what is shown: here it is made to say something else, with a right checksum.
        let marked = try Self.edited(written) { $0.names = ["Marked", "Other"] }
        try marked.write(to: file, atomically: true, encoding: .utf8)
        #expect(try list(bench, name) == "Marked[0 1] Other[0 1]")
        // Another request does not trust it.
        #expect(try list(bench, name, "number < 5") == plain)
        // Damage is noticed, and repaired.
        for damage in [
            String(marked.dropLast(9)), marked.replacingOccurrences(of: "Marked", with: "Marker"), "", "{}",
        ] {
            try damage.write(to: file, atomically: true, encoding: .utf8)
            #expect(try list(bench, name) == plain)
            #expect(try Self.names(String(contentsOf: file, encoding: .utf8)) == ["Chapter 2", "Chapter 1"])
        }
        // A save of anybody makes it worthless.
        try marked.write(to: file, atomically: true, encoding: .utf8)
        let other = bench.context(merging: false)
        try other.performAndWait {
            try other.all("LawChapter").first?.setValue("Renamed", forKey: "name")
            try other.save()
        }
        #expect(try list(bench, name) == "Renamed[0 1] Chapter 1[0 1]")
        NSFetchedResultsController<NSManagedObject>.deleteCache(withName: name)
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    private static func names(_ text: String) throws -> [String] {
        try JSONDecoder().decode(SectionCache.Content.self, from: Data(text.utf8)).names
    }

    private static func edited(
        _ text: String, _ edit: (inout SectionCache.Content) -> Void
    ) throws -> String {
        var content = try JSONDecoder().decode(SectionCache.Content.self, from: Data(text.utf8))
        edit(&content)
        content.checksum = content.expectedChecksum
        return String(decoding: try JSONEncoder().encode(content), as: UTF8.self)
    }
}
