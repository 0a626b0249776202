import CoreData
import Foundation
import TestSupport
import Testing

@testable import Courses

@Suite("The chapter list of the example")
struct ChapterListLawTests {
    /// Every batch of calls, applied to a plain list as a page applies it, gives what a plain fetch finds.
    @Test("Calls lead from list to list, in either direction", arguments: Seed.some(8), [true, false])
    func calls(_ seed: Seed, _ isAscending: Bool) async throws {
        let container = try await NSPersistentContainer.courses(at: nil)
        try await container.performBackgroundTask { try Catalogue.sample.store(in: $0) }
        let page = try await Page(container, isAscending)
        var random = seed.random
        for _ in 0..<120 {
            random = try await container.performBackgroundTask { [random] context in
                var random = random
                try CourseEdit.random.apply(toCourse: 7, in: context, using: &random)
                try context.save()
                return random
            }
            let (shown, held, places) = try await page.compare()
            try #require(shown == held)
            // No two lessons have one place, and the numbers do not grow for ever.
            try #require(Set(places).count == places.count)
            try #require(places.joined().allSatisfy { $0 > 0 && $0 < 100 })
        }
    }

    @Test("A digest is what the page's script computes for the same texts")
    func digest() {
        let empty = ChapterSnapshot(sections: [])
        #expect(empty.digest == "811c9dc5")
        // FNV-1a's own example for 32 bits: "a" is e40c292c, and the line break follows.
        let one = ChapterSnapshot(sections: [.init(name: "a", rows: [])])
        #expect(one.digest == String((0xe40c_292c ^ 0x0a) &* UInt32(0x0100_0193), radix: 16))
    }
}

/// A list that hears of changes and keeps nothing but values. Used on its context's queue only.
private final class Page: @unchecked Sendable {
    private let context: NSManagedObjectContext
    private let isAscending: Bool
    private var list: ChapterList?
    private var sections: [ChapterSnapshot.Section] = []
    private var batch: [ChapterListCall] = []

    init(_ container: NSPersistentContainer, _ isAscending: Bool) async throws {
        context = container.newBackgroundContext()
        context.automaticallyMergesChangesFromParent = true
        self.isAscending = isAscending
        try await context.perform { [self] in
            let list = ChapterList(courseId: 7, isAscending: isAscending, context: context, cacheName: nil) {
                [unowned self] call in
                batch.append(call)
                guard case .didChange = call else { return }
                sections = applied(batch, to: sections)
                batch = []
            }
            try list.controller.performFetch()
            sections = ChapterSnapshot(list.controller).sections
            self.list = list
        }
    }

    /// What the calls have led to, what a fetch finds, and the numbers of the chapters and lessons.
    func compare() async throws -> ([ChapterSnapshot.Section], [ChapterSnapshot.Section], [[Int16]]) {
        try await context.perform(schedule: .enqueued) { [self] in
            let lessons = try context.fetch(Lesson.request(courseId: 7, isAscending: isAscending))
            return (
                sections, ChapterSnapshot(grouping: lessons).sections,
                lessons.map { [$0.chapterNumber, $0.lessonNumber] }
            )
        }
    }
}

/// What a table view does between `beginUpdates` and `endUpdates`.
private func applied(
    _ calls: [ChapterListCall], to old: [ChapterSnapshot.Section]
) -> [ChapterSnapshot.Section] {
    var sections = old.map { (name: $0.name, rows: $0.rows.map(Optional.some)) }
    var deleted: [Int] = []
    var inserted: [(index: Int, name: String)] = []
    var arriving: [(path: IndexPath, row: LessonRow)] = []
    for call in calls {
        switch call {
        case .willChange, .didChange: break
        case .section(.insert, let index, let name): inserted.append((index, name))
        case .section(_, let index, _): deleted.append(index)
        case .object(let type, let row, let old, let new):
            if type != .insert, let old { sections[old.section].rows[old.row] = type == .update ? row : nil }
            if type == .insert || type == .move, let new { arriving.append((new, row)) }
        }
    }
    for index in deleted.sorted(by: >) { sections.remove(at: index) }
    for section in inserted.sorted(by: { $0.index < $1.index }) {
        sections.insert((section.name, []), at: section.index)
    }
    var result = sections.map { ChapterSnapshot.Section(name: $0.name, rows: $0.rows.compactMap { $0 }) }
    for (path, row) in arriving.sorted(by: { $0.path < $1.path }) {
        result[path.section].rows.insert(row, at: path.row)
    }
    return result
}
