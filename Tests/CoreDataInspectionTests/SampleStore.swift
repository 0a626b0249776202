import Foundation
import SQLiteAccess
import StratusCoreData
import TestSupport

/// A store of our own with inheritance, an ordered relationship, a many-to-many one, and every type of value.
struct SampleStore {
    let directory: TemporaryDirectory
    let url: URL

    /// - Parameter chapters: how many the first course has; each further one has one more.
    init(journal: String = "WAL", history: Bool = false, chapters: Int = 20) throws {
        directory = try TemporaryDirectory()
        url = URL(fileURLWithPath: directory.path + "/Sample.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        let store = try coordinator.addPersistentStore(
            type: .sqlite, at: url,
            options: [
                NSSQLitePragmasOption: ["journal_mode": journal], NSPersistentHistoryTrackingKey: history,
            ])
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            Self.fill(context, chapters)
            try context.save()
        }
        try coordinator.remove(store)
    }

    static func model() -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        let item = model.addEntity("Item", isAbstract: true)
        item.addAttribute("title", .string, isOptional: false, defaultValue: "")
        let course = model.addEntity("Course", parent: item)
        course.addAttribute("price", .decimal)
        course.addAttribute("begins", .date)
        course.addAttribute("code", .uuid)
        course.addAttribute("site", .uri)
        course.addAttribute("image", .binaryData)
        course.addAttribute("open", .boolean)
        course.addAttribute("rating", .double)
        course.addAttribute("notes", .transformable)
        let chapter = model.addEntity("Chapter", parent: item)
        chapter.addAttribute("number", .integer16, defaultValue: 0)
        let tag = model.addEntity("Tag")
        tag.addAttribute("name", .string)
        course.addToMany("chapters", chapter, isOrdered: true, deleteRule: .cascadeDeleteRule)
            .setInverse(chapter.addToOne("course", course))
        item.addToMany("tags", tag).setInverse(tag.addToMany("items", item))
        return model
    }

    private static func fill(_ context: NSManagedObjectContext, _ chapters: Int) {
        func make(_ name: String, _ values: [String: Any]) -> NSManagedObject {
            let object = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
            for (key, value) in values { object.setValue(value, forKey: key) }
            return object
        }
        let tags = (0..<3).map { make("Tag", ["name": "t\($0)"]) }
        for number in 0..<4 {
            let course = make(
                "Course",
                [
                    "title": "Course \(number)\nline", "price": NSDecimalNumber(string: "12.5"),
                    "begins": Date(timeIntervalSinceReferenceDate: Double(number) + 0.5), "code": UUID(),
                    "site": URL(string: "https://example.org/\(number)") as Any, "image": Data([1, 2, 3]),
                    "open": number.isMultiple(of: 2), "rating": 0.1 * Double(number),
                    "notes": ["a", number] as NSArray,
                ])
            let chapters = (0..<(number + chapters)).map { place in
                make("Chapter", ["title": "é\(place)", "number": place])
            }
            course.setValue(NSOrderedSet(array: chapters), forKey: "chapters")
            course.setValue(Set(tags.prefix(number)), forKey: "tags")
        }
        _ = make("Course", ["title": "empty"])
    }

    /// Changes the file behind Core Data's back.
    func execute(_ sql: String) throws {
        let connection = try SQLiteConnection(path: url.path)
        defer { connection.close() }
        try connection.execute(sql)
    }

    /// Everything in the folder, with its bytes.
    func contents() throws -> [String: Data] {
        var result: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            result[name] = FileManager.default.contents(atPath: directory.path + "/" + name)
        }
        return result
    }
}
