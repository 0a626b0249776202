import CoreData
import Foundation

/// What the catalogue's HTTP endpoint answers.
struct Catalogue: Codable, Sendable {
    struct Item: Codable, Sendable {
        var id: Int64
        var title: String
        var type: Int16
        var isFree: Bool
        var releasedAt: Date
    }

    struct Chapter: Codable, Sendable {
        var number: Int16
        var name: String
        var lessons: [Lesson]

        struct Lesson: Codable, Sendable {
            var number: Int16
            var title: String
            var seconds: Int32
        }
    }

    struct Course: Codable, Sendable {
        var id: Int64
        var title: String
        var chapters: [Chapter]
    }

    var contents: [Item]
    var courses: [Course]
}

extension Catalogue {
    /// Keeps the catalogue in a context, and saves. Contents that are known already are only updated.
    func store(in context: NSManagedObjectContext) throws {
        // The constraint on `contentId` finds what already exists; the policy says which values stay.
        context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        for item in contents {
            let content = Content(context: context)
            content.contentId = item.id
            content.title = item.title
            content.type = item.type
            content.isFree = item.isFree
            content.releasedAt = item.releasedAt
        }
        for course in courses { try store(course, in: context) }
        try context.save()
    }

    private func store(_ course: Course, in context: NSManagedObjectContext) throws {
        let request: NSFetchRequest<Courses.Course> = Courses.Course.fetchRequest()
        request.predicate = NSPredicate(format: "courseId = %lld", course.id)
        guard try context.count(for: request) == 0 else { return }
        let kept = Courses.Course(context: context)
        kept.courseId = course.id
        kept.title = course.title
        for chapter in course.chapters {
            for lesson in chapter.lessons {
                let object = Courses.Lesson(context: context)
                object.chapterNumber = chapter.number
                object.chapterName = chapter.name
                object.lessonNumber = lesson.number
                object.title = lesson.title
                object.seconds = lesson.seconds
                object.section_course = kept
            }
        }
    }
}
