import CoreData
import Foundation
import Hummingbird

extension CourseEdit {
    /// Makes the edit in a context, without saving it.
    ///
    /// - Throws: a status of 404 or 409 that says why it cannot be made.
    func apply(
        toCourse courseId: Int, in context: NSManagedObjectContext,
        using generator: inout some RandomNumberGenerator
    ) throws {
        let syllabus = try Syllabus(courseId: courseId, in: context)
        switch self {
        case .add(let title, let chapter):
            let lesson = try syllabus.newLesson(
                title: title, seconds: .random(in: 60...900, using: &generator))
            syllabus.append(lesson, toChapter: chapter)
        case .rename(let id, let title):
            try syllabus.lesson(id).title = title
        case .step(let id, let distance):
            let place = try syllabus.place(of: id)
            var lessons = syllabus.chapters[place.chapter].lessons
            guard lessons.indices.contains(place.lesson + distance) else { return }
            lessons.swapAt(place.lesson, place.lesson + distance)
            syllabus.number(lessons)
        case .put(let id, let chapter):
            syllabus.append(try syllabus.lesson(id), toChapter: chapter)
        case .delete(let id):
            context.delete(try syllabus.lesson(id))
        case .renameChapter(let name, let newName):
            guard let chapter = syllabus.chapters.first(where: { $0.name == name }) else {
                throw HTTPError(.notFound, message: "There is no chapter '\(name)' any more.")
            }
            guard name == newName || !syllabus.chapters.contains(where: { $0.name == newName }) else {
                throw HTTPError(.conflict, message: "There is a chapter '\(newName)' already.")
            }
            for lesson in chapter.lessons { lesson.chapterName = newName }
        case .random:
            try Self.random(in: syllabus, using: &generator)
                .apply(toCourse: courseId, in: context, using: &generator)
        }
    }

    /// An edit that can be made; courses stay between 4 and 24 lessons.
    private static func random(
        in syllabus: Syllabus, using generator: inout some RandomNumberGenerator
    ) -> CourseEdit {
        let lessons = syllabus.lessons
        let chapters = syllabus.chapters.map(\.name)
        let name =
            "\(words.randomElement(using: &generator) ?? "") \(Int.random(in: 1...99, using: &generator))"
        guard let lesson = lessons.randomElement(using: &generator),
            let chapter = chapters.randomElement(using: &generator),
            lessons.count >= 4
        else { return .add(title: name, chapter: chapters.first ?? name) }
        let id = LessonRow(lesson).id
        switch Int.random(in: 0..<10, using: &generator) {
        case 0 where lessons.count < 24: return .add(title: name, chapter: chapter)
        case 1 where lessons.count < 24: return .add(title: name, chapter: name)
        case 2 where lessons.count > 4: return .delete(lesson: id)
        case 3: return .rename(lesson: id, title: name)
        case 4 where !chapters.contains(name): return .renameChapter(chapter, to: name)
        case 5, 6: return .put(lesson: id, chapter: chapter)
        case 7: return .put(lesson: id, chapter: name)
        case 8: return .step(lesson: id, by: -1)
        default: return .step(lesson: id, by: 1)
        }
    }

    private static let words = [
        "Actors", "Caches", "Faults", "Fetching", "Indexes", "Merging", "Models", "Moves", "Predicates",
        "Queues",
        "Saving", "Sections", "Sorting", "Streams", "Testing", "Undo",
    ]
}
