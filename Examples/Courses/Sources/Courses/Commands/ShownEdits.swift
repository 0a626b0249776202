import CoreData
import Foundation

/// An edit of a course, as someone else's context makes it.
struct ShownEdit: Sendable {
    let title: String
    let change: @Sendable ([Lesson], NSManagedObjectContext) -> Void

    /// Makes the edit, and saves. A course that others have nearly emptied is left alone.
    func apply(in context: NSManagedObjectContext) throws {
        let lessons = try context.fetch(Lesson.request(courseId: 7))
        guard lessons.count > 2 else { return }
        change(lessons, context)
        try context.save()
    }

    static let all = [
        ShownEdit(title: "A lesson gets another title:") { lessons, _ in lessons[1].title = "Tools, and Why"
        },
        ShownEdit(title: "A lesson moves to the end of its chapter:") { lessons, _ in
            lessons[0].lessonNumber = 9
        },
        ShownEdit(title: "A lesson moves to another chapter:") { lessons, _ in
            let last = lessons[lessons.count - 1]
            lessons[2].chapterNumber = last.chapterNumber
            lessons[2].chapterName = last.chapterName
        },
        ShownEdit(title: "A chapter with one lesson comes, in front of all others:") { lessons, context in
            let lesson = Lesson(context: context)
            lesson.title = "Read Me First"
            lesson.chapterName = "Preface"
            lesson.chapterNumber = 0
            lesson.lessonNumber = 1
            lesson.seconds = 61
            lesson.section_course = lessons.first?.section_course
        },
        ShownEdit(title: "A chapter goes, with its lessons:") { lessons, context in
            for lesson in lessons where lesson.chapterName == "Zeroing In" { context.delete(lesson) }
        },
        ShownEdit(title: "A chapter is renamed:") { lessons, _ in
            for lesson in lessons where lesson.chapterName == "Shipping" {
                lesson.chapterName = "Out of the Door"
            }
        },
    ]
}
