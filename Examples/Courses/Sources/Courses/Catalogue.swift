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
        // The constraint on `contentId` finds what is there already; the policy says which values stay.
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

extension Catalogue {
    /// A small catalogue to look at.
    static let sample: Catalogue = {
        func date(_ day: Double) -> Date { Date(timeIntervalSince1970: 1_735_689_600 + day * 86_400) }
        let titles = [
            ("Your First App", ContentType.course, false), ("Swift Concurrency by Example", .course, false),
            ("What Is an Actor?", .episode, true), ("Lists That Do Not Flicker", .episode, true),
            ("Becoming a Server Developer", .learningPath, false),
            ("Sendable in Ten Minutes", .episode, false),
            ("Databases for App Developers", .course, false),
            ("From Storyboards to SwiftUI", .learningPath, false),
            ("Predicates, Deeply", .episode, true),
        ]
        let chapters: [(String, [(String, Int32)])] = [
            ("Getting Started", [("Introduction", 184), ("Tools", 312), ("A First Screen", 655)]),
            ("Zeroing In", [("Models", 540), ("Fetching", 721)]),
            ("A List That Lives", [("Sections", 602), ("Changes", 833), ("Moves", 471)]),
            ("Shipping", [("Tests", 690), ("Release", 345)]),
        ]
        return Catalogue(
            contents: titles.enumerated().map { place, entry in
                Item(
                    id: Int64(place + 1), title: entry.0, type: entry.1.rawValue, isFree: entry.2,
                    releasedAt: date(Double(place * 9)))
            },
            courses: [
                Course(
                    id: 7, title: "Core Data, Anywhere",
                    chapters: chapters.enumerated().map { number, chapter in
                        Chapter(
                            number: Int16(number + 1), name: chapter.0,
                            lessons: chapter.1.enumerated().map {
                                Chapter.Lesson(number: Int16($0 + 1), title: $1.0, seconds: $1.1)
                            })
                    })
            ])
    }()
}
