import CoreData
import Foundation

// A class written by hand, as it stands in an app for Apple's platforms. The generator supplies what `@NSManaged`
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
}
