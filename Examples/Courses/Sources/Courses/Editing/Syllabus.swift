import CoreData
import Foundation
import Hummingbird

/// A course as an editor sees it: chapters in order, each with its lessons in order.
struct Syllabus {
    let course: Course
    private(set) var chapters: [(name: String, lessons: [Lesson])] = []
    private let context: NSManagedObjectContext

    /// Reads a course.
    ///
    /// - Throws: a status of 404 where there is none.
    init(courseId: Int, in context: NSManagedObjectContext) throws {
        guard let course = try Course.find(courseId, in: context) else {
            throw HTTPError(.notFound, message: "There is no course \(courseId).")
        }
        self.course = course
        self.context = context
        for lesson in try context.fetch(Lesson.request(courseId: courseId)) {
            let name = lesson.chapterName ?? ""
            if let place = chapters.firstIndex(where: { $0.name == name }) {
                chapters[place].lessons.append(lesson)
            } else {
                chapters.append((name, [lesson]))
            }
        }
    }

    var lessons: [Lesson] { chapters.flatMap(\.lessons) }

    /// Where a lesson of the course is.
    ///
    /// - Throws: a status of 404 where it is gone, or never was.
    func place(of id: String) throws(HTTPError) -> (chapter: Int, lesson: Int) {
        for (number, chapter) in chapters.enumerated() {
            if let place = chapter.lessons.firstIndex(where: { LessonRow($0).id == id }) {
                return (number, place)
            }
        }
        throw HTTPError(.notFound, message: "The lesson is not in this course any more.")
    }

    func lesson(_ id: String) throws(HTTPError) -> Lesson {
        let place = try place(of: id)
        return chapters[place.chapter].lessons[place.lesson]
    }

    /// Puts lessons into the order of a chapter: they are numbered from 1, and only those that change are touched.
    func number(_ lessons: [Lesson]) {
        for (place, lesson) in lessons.enumerated() where lesson.lessonNumber != Int16(place + 1) {
            lesson.lessonNumber = Int16(place + 1)
        }
    }

    /// Puts a lesson at the end of a chapter; a new chapter comes after all others.
    func append(_ lesson: Lesson, toChapter name: String) {
        var others = chapters.map { ($0.name, $0.lessons.filter { $0 !== lesson }) }
        others.removeAll { $0.1.isEmpty && $0.0 != name }
        if !others.contains(where: { $0.0 == name }) { others.append((name, [])) }
        for (number, chapter) in others.enumerated() {
            let members = chapter.0 == name ? chapter.1 + [lesson] : chapter.1
            // Chapters that have gone leave gaps; closing them here keeps the numbers small for ever.
            for member in members where member.chapterNumber != Int16(number + 1) {
                member.chapterNumber = Int16(number + 1)
            }
            if chapter.0 == name {
                if lesson.chapterName != name { lesson.chapterName = name }
                self.number(members)
            }
        }
    }

    /// A new lesson, which is in no chapter yet.
    func newLesson(title: String, seconds: Int32) throws(HTTPError) -> Lesson {
        guard lessons.count < CourseEdit.maximumLessons else {
            throw HTTPError(
                .conflict, message: "A course has \(CourseEdit.maximumLessons) lessons at most.")
        }
        let lesson = Lesson(context: context)
        lesson.title = title
        lesson.seconds = seconds
        lesson.section_course = course
        return lesson
    }
}
