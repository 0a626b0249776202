import Foundation
import TestSupport

@testable import StratusCoreData

/// A lesson whose class computes a key.
final class LawLesson: NSManagedObject {
    override func value(forUndefinedKey key: String) -> Any? {
        guard key == "initial" else { return super.value(forUndefinedKey: key) }
        return (value(forKey: "title") as? String)?.first.map { String($0) }
    }

    override func offersUndefinedKey(_ key: String) -> Bool { key == "initial" }

    override func value(forKey key: String) -> Any? {
        guard key == "heading" else { return super.value(forKey: key) }
        return (value(forKey: "number") as? Int).map { $0 < 3 ? "early" : "late" }
    }
}

/// Courses, chapters and lessons in a store of their own.
final class CourseBench {
    let bench: StoreBench

    init(options: [AnyHashable: Any]? = nil, inverses: Bool = true) throws {
        bench = try StoreBench(Self.makeModel(inverses: inverses), options: options)
    }

    static func makeModel(inverses: Bool = true) -> NSManagedObjectModel {
        let course = entity(
            "LawCourse",
            [attribute("courseId", .integer64AttributeType), attribute("name", .stringAttributeType)])
        let chapter = entity(
            "LawChapter",
            [
                attribute("number", .integer32AttributeType), attribute("name", .stringAttributeType),
                attribute("note", .stringAttributeType),
            ])
        let lesson = entity(
            "LawLesson",
            [
                attribute("number", .integer32AttributeType), attribute("title", .stringAttributeType),
                attribute("rating", .doubleAttributeType), attribute("flag", .booleanAttributeType),
                attribute("day", .dateAttributeType),
                attribute("heading", .stringAttributeType) { $0.isTransient = true },
            ])
        lesson.managedObjectClassName = String(reflecting: LawLesson.self)
        let chapterOfLesson = relationship("chapter")
        let courseOfChapter = relationship("course")
        if inverses {
            let lessons = relationship("lessons", many: true)
            let chapters = relationship("chapters", many: true, rule: .cascadeDeleteRule)
            join(chapterOfLesson, of: lesson, lessons, of: chapter)
            join(courseOfChapter, of: chapter, chapters, of: course)
            chapter.properties += [lessons]
            course.properties += [chapters]
        } else {
            chapterOfLesson.destinationEntity = chapter
            courseOfChapter.destinationEntity = course
        }
        lesson.properties += [chapterOfLesson]
        chapter.properties += [courseOfChapter]
        return model([course, chapter, lesson])
    }

    func context(merging: Bool = true) -> NSManagedObjectContext {
        let context = bench.context()
        context.automaticallyMergesChangesFromParent = merging
        context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        return context
    }

    /// So many courses, chapters in each, and lessons in each of these; saved.
    func fill(courses: Int = 2, chapters: Int = 3, lessons: Int = 4) throws {
        let context = context(merging: false)
        try context.performAndWait {
            for course in 0..<courses {
                let courseObject = context.make(
                    "LawCourse", ["courseId": course, "name": "Course \(course)"])
                for chapter in 0..<chapters {
                    let chapterObject = context.make(
                        "LawChapter",
                        ["number": chapter, "name": "Chapter \(chapters - chapter)", "course": courseObject])
                    for lesson in 0..<lessons {
                        _ = context.make(
                            "LawLesson",
                            [
                                "number": lesson, "title": "lesson \(lesson)", "rating": 1.5,
                                "flag": lesson == 0,
                                "chapter": chapterObject,
                            ])
                    }
                }
            }
            try context.save()
        }
    }
}

extension NSManagedObjectContext {
    func make(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        object.setValuesForKeys(values)
        return object
    }

    func all(_ entity: String, _ format: String? = nil) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        if let format { request.predicate = NSPredicate(format: format) }
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        if entity == "LawCourse" { request.sortDescriptors = nil }
        return try fetch(request)
    }

    /// The lessons by chapter and number.
    func lessons(
        _ format: String? = nil, sections: String? = "chapter.name",
        sort: [String] = ["chapter.number", "number"],
        cache: String? = nil
    ) -> NSFetchedResultsController<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "LawLesson")
        request.sortDescriptors = sort.map { NSSortDescriptor(key: $0, ascending: true) }
        if let format { request.predicate = NSPredicate(format: format) }
        return NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: self, sectionNameKeyPath: sections, cacheName: cache)
    }
}

/// A list as text: section names with the numbers or titles of their objects.
func text(_ controller: NSFetchedResultsController<NSManagedObject>, _ key: String = "number") -> String {
    (controller.sections ?? []).map { section in
        let items = (section.objects ?? []).map { object in
            (object as? NSManagedObject)?.value(forKey: key).map { "\($0)" } ?? "-"
        }
        return "\(section.name)[\(items.joined(separator: " "))]"
    }.joined(separator: " ")
}
