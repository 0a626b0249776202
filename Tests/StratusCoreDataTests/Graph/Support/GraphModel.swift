import Foundation
import Predicates
import StratusCoreData

/// A course; notes which of its hooks were called.
final class Course: NSManagedObject {
    var calls: [String] = []
    /// What the hooks do beside noting their call.
    static var hooks: Hooks {
        let dictionary = Thread.current.threadDictionary
        if let known = dictionary["hooks"] as? Hooks { return known }
        let hooks = Hooks()
        dictionary["hooks"] = hooks
        return hooks
    }

    final class Hooks {
        var willSave: ((Course) -> Void)?
        var didSave: ((Course) -> Void)?
        var awakeFromInsert: ((Course) -> Void)?
        var awakeFromFetch: ((Course) -> Void)?
        var prepareForDeletion: ((Course) -> Void)?
        var validateTitle: ((String?) throws -> String?)?
        func clear() {
            willSave = nil
            didSave = nil
            awakeFromInsert = nil
            awakeFromFetch = nil
            prepareForDeletion = nil
            validateTitle = nil
        }
    }

    var title: String? {
        get { managedValue("title") }
        set { setManagedValue("title", newValue) }
    }
    var credits: Int16 {
        get { managedValue("credits") }
        set { setManagedValue("credits", newValue) }
    }
    var rating: Double {
        get { managedValue("rating") }
        set { setManagedValue("rating", newValue) }
    }
    var price: NSDecimalNumber {
        get { managedValue("price") }
        set { setManagedValue("price", newValue) }
    }
    var teacher: Teacher? {
        get { managedValue("teacher") }
        set { setManagedValue("teacher", newValue) }
    }
    var lessons: Set<Lesson> {
        get { managedValue("lessons") }
        set { setManagedValue("lessons", newValue) }
    }
    var tags: Set<Tag> {
        get { managedValue("tags") }
        set { setManagedValue("tags", newValue) }
    }
    var chapters: NSOrderedSet {
        get { managedValue("chapters") }
        set { setManagedValue("chapters", newValue) }
    }
    var previous: Course? {
        get { managedValue("previous") }
        set { setManagedValue("previous", newValue) }
    }
    var following: Set<Course> {
        get { managedValue("following") }
        set { setManagedValue("following", newValue) }
    }
    func addToLessons(_ lesson: Lesson) { addManagedObject("lessons", lesson) }
    func removeFromLessons(_ lesson: Lesson) { removeManagedObject("lessons", lesson) }

    override func awakeFromInsert() {
        super.awakeFromInsert()
        calls.append("awakeFromInsert")
        Self.hooks.awakeFromInsert?(self)
    }
    override func awakeFromFetch() {
        super.awakeFromFetch()
        calls.append("awakeFromFetch")
        Self.hooks.awakeFromFetch?(self)
    }
    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
        super.awake(fromSnapshotEvents: flags)
        calls.append("awakeFromSnapshot \(flags.rawValue)")
    }
    override func willSave() {
        super.willSave()
        calls.append(isDeleted ? "willSave deleted" : "willSave")
        Self.hooks.willSave?(self)
    }
    override func didSave() {
        super.didSave()
        calls.append("didSave")
        Self.hooks.didSave?(self)
    }
    override func prepareForDeletion() {
        super.prepareForDeletion()
        calls.append("prepareForDeletion")
        Self.hooks.prepareForDeletion?(self)
    }
    override func willTurnIntoFault() {
        super.willTurnIntoFault()
        calls.append("willTurnIntoFault")
    }
    override func didTurnIntoFault() {
        super.didTurnIntoFault()
        calls.append("didTurnIntoFault")
    }
    override func validateValue(
        _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
    ) throws {
        if key == "title", let rule = Self.hooks.validateTitle {
            let old = value.pointee as? NSString
            let new = try rule(old.map { "\($0)" })
            if new != old.map({ "\($0)" }) { value.pointee = new.map { NSString(string: $0) } }
        }
        try super.validateValue(value, forKey: key)
    }
}

/// A lesson, with the initializers that users write.
final class Lesson: NSManagedObject {
    var wasMadeByDesignatedInit = false

    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        wasMadeByDesignatedInit = true
    }

    convenience init(title: String, number: Int, in context: NSManagedObjectContext) {
        self.init(context: context)
        self.title = title
        self.number = number
    }

    var title: String? {
        get { managedValue("title") }
        set { setManagedValue("title", newValue) }
    }
    var number: Int {
        get { managedValue("number") }
        set { setManagedValue("number", newValue) }
    }
    var course: Course? {
        get { managedValue("course") }
        set { setManagedValue("course", newValue) }
    }
}

class Person: NSManagedObject {
    var name: String? {
        get { managedValue("name") }
        set { setManagedValue("name", newValue) }
    }
}

final class Teacher: Person {
    var courses: Set<Course> {
        get { managedValue("courses") }
        set { setManagedValue("courses", newValue) }
    }
    var desk: Desk? {
        get { managedValue("desk") }
        set { setManagedValue("desk", newValue) }
    }
}

final class Desk: NSManagedObject {
    var owner: Teacher? {
        get { managedValue("owner") }
        set { setManagedValue("owner", newValue) }
    }
}

final class Tag: NSManagedObject {
    var name: String? {
        get { managedValue("name") }
        set { setManagedValue("name", newValue) }
    }
    var courses: Set<Course> {
        get { managedValue("courses") }
        set { setManagedValue("courses", newValue) }
    }
}

/// The model of the graph's tests: every kind of relationship.
enum GraphModel {
    static func make(_ change: ([String: NSEntityDescription]) -> Void = { _ in }) -> NSManagedObjectModel {
        let course = entity("Course", "StratusCoreDataTests.Course")
        let lesson = entity("Lesson", "StratusCoreDataTests.Lesson")
        let person = entity("Person", "StratusCoreDataTests.Person")
        let teacher = entity("Teacher", "StratusCoreDataTests.Teacher")
        let student = entity("Student", "StratusCoreDataTests.Person")
        let desk = entity("Desk", "StratusCoreDataTests.Desk")
        let tag = entity("Tag", "StratusCoreDataTests.Tag")
        let chapter = entity("Chapter", "NSManagedObject")
        let note = entity("Note", "NSManagedObject")
        person.subentities = [teacher, student]
        let lessons = many("lessons", lesson, .cascadeDeleteRule)
        let inCourse = one("course", course)
        let tags = many("tags", tag)
        let tagged = many("courses", course)
        let taughtBy = one("teacher", teacher)
        let teaches = many("courses", course, .denyDeleteRule)
        let ownDesk = one("desk", desk, .cascadeDeleteRule)
        let owner = one("owner", teacher)
        let chapters = many("chapters", chapter, .cascadeDeleteRule, isOrdered: true)
        let ofCourse = one("course", course)
        let previous = one("previous", course)
        let following = many("following", course, .cascadeDeleteRule)
        join(lessons, inCourse)
        join(tags, tagged)
        join(taughtBy, teaches)
        join(ownDesk, owner)
        join(chapters, ofCourse)
        join(previous, following)
        let secret = attribute("secret", .stringAttributeType)
        secret.isTransient = true
        let price = attribute("price", .decimalAttributeType)
        course.properties = [
            attribute("title", .stringAttributeType), attribute("credits", .integer16AttributeType, 0),
            attribute("rating", .doubleAttributeType), attribute("start", .dateAttributeType), price, secret,
            lessons, tags, taughtBy, chapters, previous, following,
        ]
        lesson.properties = [
            attribute("title", .stringAttributeType), attribute("number", .integer64AttributeType, 0),
            inCourse,
        ]
        person.properties = [attribute("name", .stringAttributeType)]
        teacher.properties = [teaches, ownDesk]
        student.properties = [attribute("year", .integer32AttributeType, 1)]
        desk.properties = [attribute("place", .stringAttributeType), owner]
        tag.properties = [attribute("name", .stringAttributeType), tagged]
        chapter.properties = [attribute("name", .stringAttributeType), ofCourse]
        let subject = one("subject", course)
        let seeAlso = many("seeAlso", course)
        note.properties = [attribute("text", .stringAttributeType), subject, seeAlso]
        let all = [course, lesson, person, teacher, student, desk, tag, chapter, note]
        change(Dictionary(uniqueKeysWithValues: all.map { ($0.name ?? "", $0) }))
        let model = NSManagedObjectModel()
        model.entities = all
        return model
    }

    static func entity(_ name: String, _ className: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = className
        return entity
    }

    static func attribute(_ name: String, _ type: NSAttributeType, _ value: Any? = nil)
        -> NSAttributeDescription
    {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.defaultValue = value
        return attribute
    }

    static func one(
        _ name: String, _ destination: NSEntityDescription, _ rule: NSDeleteRule = .nullifyDeleteRule
    ) -> NSRelationshipDescription {
        let relationship = many(name, destination, rule)
        relationship.maxCount = 1
        return relationship
    }

    static func many(
        _ name: String, _ destination: NSEntityDescription, _ rule: NSDeleteRule = .nullifyDeleteRule,
        isOrdered: Bool = false
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.deleteRule = rule
        relationship.isOrdered = isOrdered
        return relationship
    }

    static func join(_ first: NSRelationshipDescription, _ second: NSRelationshipDescription) {
        first.inverseRelationship = second
        second.inverseRelationship = first
    }
}
