import CoreData

/// A sectioned list as it is at one time, as a value.
struct ChapterSnapshot: Codable, Equatable, Sendable {
    struct Section: Codable, Equatable, Sendable {
        var name: String
        var rows: [LessonRow]
    }

    var sections: [Section]

    init(sections: [Section]) { self.sections = sections }

    /// What a controller shows now. Call it on the queue of the controller's context.
    init(_ controller: NSFetchedResultsController<Lesson>) {
        sections = (controller.sections ?? []).map { section in
            Section(
                name: section.name,
                rows: (section.objects ?? []).compactMap { $0 as? Lesson }.map(LessonRow.init))
        }
    }

    /// What a plain fetch finds, grouped by hand: the list without the controller, to compare it with.
    init(grouping lessons: [Lesson]) {
        sections = []
        for lesson in lessons {
            let name = lesson.chapterName ?? ""
            if let place = sections.firstIndex(where: { $0.name == name }) {
                sections[place].rows.append(LessonRow(lesson))
            } else {
                sections.append(Section(name: name, rows: [LessonRow(lesson)]))
            }
        }
    }

    /// A short name for what a reader sees, FNV-1a of 32 bits over the texts. The page computes it from its elements.
    var digest: String {
        var hash: UInt32 = 0x811c_9dc5
        func add(_ text: String) {
            for byte in text.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        }
        for section in sections {
            add("\(section.name)\n")
            for row in section.rows { add("\(row.title)\t\(row.duration)\n") }
        }
        return String(hash, radix: 16)
    }
}
