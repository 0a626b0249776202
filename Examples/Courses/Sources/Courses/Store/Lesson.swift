import CoreData
import Foundation

// A class written by hand, as in an app for Apple's platforms. The generator supplies what `@NSManaged`
// promises; `Content` and `Course` it writes whole, as Xcode would.

public final class Lesson: NSManagedObject {
    @NSManaged public var title: String?
    @NSManaged public var chapterName: String?
    @NSManaged public var chapterNumber: Int16
    @NSManaged public var lessonNumber: Int16
    @NSManaged public var seconds: Int32
    @NSManaged public var section_course: Course?
}

extension Lesson {
    /// `12:05`
    var duration: String { String(format: "%d:%02d", Int(seconds) / 60, Int(seconds) % 60) }

    /// The lessons of a course, by chapter and then by lesson, in either direction.
    static func request(courseId: Int, isAscending: Bool = true) -> NSFetchRequest<Lesson> {
        let request = NSFetchRequest<Lesson>(entityName: "Lesson")
        request.predicate = NSPredicate(format: "section_course.courseId = %d", courseId)
        request.sortDescriptors = [
            NSSortDescriptor(key: "chapterNumber", ascending: isAscending),
            NSSortDescriptor(key: "lessonNumber", ascending: isAscending),
        ]
        return request
    }
}

extension Course {
    /// The course with a number, or nil.
    static func find(_ courseId: Int, in context: NSManagedObjectContext) throws -> Course? {
        let request: NSFetchRequest<Course> = Course.fetchRequest()
        request.predicate = NSPredicate(format: "courseId = %lld", Int64(courseId))
        request.fetchLimit = 1
        return try context.fetch(request).first
    }
}
