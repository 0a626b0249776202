import DataModel
import Foundation

@testable import ManagedObjectGeneration

/// Models as the editor writes them.
enum ModelFixtures {
    static let contents = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
            <entity name="Course" representedClassName=".Course" syncable="YES" codeGenerationType="class">
                <attribute name="title" optional="YES" attributeType="String"/>
                <attribute name="seats" attributeType="Integer 16" usesScalarValueType="YES"/>
                <attribute name="rating" optional="YES" attributeType="Float" usesScalarValueType="NO"/>
                <attribute name="isOpen" attributeType="Boolean" usesScalarValueType="YES"/>
                <attribute name="ends" attributeType="Date" usesScalarValueType="YES"/>
                <attribute name="fee" optional="YES" attributeType="Decimal"/>
                <attribute name="tags" optional="YES" attributeType="Transformable" customClassName="[String]"/>
                <attribute name="extra" optional="YES" attributeType="Transformable"/>
                <attribute name="default" optional="YES" attributeType="URI"/>
                <relationship name="lessons" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade"
                    destinationEntity="Lesson" inverseName="course" inverseEntity="Lesson"/>
                <relationship name="students" optional="YES" toMany="YES" deletionRule="Nullify"
                    destinationEntity="Person" inverseName="courses" inverseEntity="Person"/>
            </entity>
            <entity name="Seminar" representedClassName="Seminar" parentEntity="Course" codeGenerationType="class">
                <attribute name="room" optional="YES" attributeType="UUID" usesScalarValueType="NO"/>
            </entity>
            <entity name="Lesson" representedClassName="Lesson" codeGenerationType="category">
                <attribute name="topic" optional="YES" attributeType="String"/>
                <relationship name="course" optional="YES" maxCount="1" deletionRule="Nullify"
                    destinationEntity="Course" inverseName="lessons" inverseEntity="Course"/>
            </entity>
            <entity name="Person" representedClassName="School.Person">
                <attribute name="name" optional="YES" attributeType="String"/>
                <attribute name="initial" optional="YES" transient="YES" attributeType="String"/>
                <attribute name="mark" optional="YES" transient="YES" attributeType="String"/>
                <relationship name="courses" optional="YES" toMany="YES" deletionRule="Nullify"
                    destinationEntity="Course" inverseName="students" inverseEntity="Course"/>
            </entity>
            <entity name="Plain"><attribute name="a" optional="YES" attributeType="String"/></entity>
        </model>
        """

    static func file() throws -> ModelFile {
        ModelFile(
            name: "My Courses", path: "Courses.xcdatamodeld",
            versions: [
                .init(name: "Courses", contents: contents),
                .init(name: "Courses 2 \"\\(x)\"", contents: "é\n"),
            ],
            currentVersion: "Courses", document: try ModelDocument(xml: Data(contents.utf8)))
    }

    static let lesson = "import CoreData\npublic class Lesson: NSManagedObject {}\n"
    static let person = """
        import CoreData
        public class Person: NSManagedObject {
            @NSManaged public var name: String?
            @NSManaged public var primitiveName: String?
            @NSManaged public var courses: Set<Course>?
            @NSManaged public func addToCourses(_ value: Course)
            @NSManaged public var mark: String?
            static var initial: String { "of the type" }
            public var initial: String? {
                guard let name else { return nil }
                return String(name.prefix(1))
            }
            #if NEVER
            @NSManaged var never: Nothing
            #endif
        }
        """

    static let main = """
        import CoreData
        import Foundation

        let course = Seminar()
        course.values["seats"] = Int16(3)
        course.seats += 4
        course.title = "Swift"
        course.title? += "!"
        course.tags = ["a"]
        course.tags?.append("b")
        course.`default` = URL(string: "https://example.org")
        let lesson = Lesson()
        lesson.course = course
        course.addToLessons(lesson)
        course.insertIntoLessons(lesson, at: 2)
        course.replaceLessons(at: NSIndexSet(index: 1), with: [lesson])
        course.addToStudents(NSSet())
        let person = Person()
        person.name = "Ada"
        person.courses = [course]
        person.courses?.insert(Course())
        person.addToCourses(course)
        let paths = Dictionary(BundledModels.classes.flatMap { $0.keyPaths }) { first, _ in first }
        print(course.seats, course.title ?? "", course.tags ?? [], course.rating as Any, course.default as Any)
        print(course.values["log"] ?? "", lesson.course === course)
        print(person.primitiveName ?? "", person.courses?.count ?? 0, person.values["log"] ?? "")
        print(paths[\\Person.name] ?? "", paths[\\Course.title] ?? "", paths[\\Lesson.course] ?? "")
        let none: AnyKeyPath = \\String.count
        let request: NSFetchRequest<Seminar> = Seminar.fetchRequest()
        print(paths[none] as Any, request.entityName, course.id == ObjectIdentifier(course))
        for getter in _ManagedClasses_School.getters {
            print(getter.type, getter.key, (person as Any)[keyPath: getter.path] as? String ?? "nil")
        }
        for model in BundledModels.models {
            print(model.name, model.currentVersion, model.versions.map(\\.name), model.versions.map { "\\($0.contents)".utf8.count })
            print(model.classes.moduleName, model.classes.classes.map { "\\($0)=\\($1)" }.sorted())
        }
        """
}
