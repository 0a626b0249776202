import Foundation
import Predicates
import Testing

@testable import StratusCoreData

@Suite("Models in code")
struct ModelInCodeTests {
    private let model = NSManagedObjectModel()
    private let item: NSEntityDescription
    private let course: NSEntityDescription
    private let chapter: NSEntityDescription

    init() {
        item = model.addEntity("Item", isAbstract: true)
        item.addAttribute("title", .string, isOptional: false, defaultValue: "Untitled")
        course = model.addEntity("Course", parent: item)
        course.addAttribute("price", .decimal, defaultValue: Decimal(string: "9.99"))
        chapter = model.addEntity("Chapter", parent: item)
        chapter.addAttribute("number", .integer16, defaultValue: 1)
        course.addToMany("chapters", chapter, isOrdered: true, deleteRule: .cascadeDeleteRule)
            .setInverse(chapter.addToOne("course", course, isOptional: false))
    }

    private func text(_ predicate: NSPredicate) -> String { predicate.tree?.description ?? "" }

    @Test("Subentities have their parent's properties and their own")
    func inheritance() {
        #expect(Set(course.propertiesByName.keys) == ["title", "price", "chapters"])
        #expect(course.attributesByName["title"] === item.attributesByName["title"])
        #expect(course.attributesByName["title"]?.entity === item)
        #expect(chapter.isKindOf(entity: item) && !item.isKindOf(entity: chapter))
        #expect(item.subentitiesByName["Course"] === course)
        #expect(course.relationships(forDestination: chapter).map(\.name) == ["chapters"])
        #expect(course.relationshipsByName["chapters"]?.inverseRelationship?.entity === chapter)
        #expect(model.entitiesByName["Chapter"]?.managedObjectModel === model)
    }

    @Test("Setting all properties leaves the inherited ones to the parent")
    func setProperties() {
        let extra = NSAttributeDescription()
        extra.name = "extra"
        course.properties += [extra]
        #expect(course.ownProperties.map(\.name) == ["price", "chapters", "extra"])
        #expect(extra.entity === course)
    }

    @Test("Types and defaults are written as documents have them")
    func defaults() throws {
        chapter.addAttribute("done", .boolean, defaultValue: true)
        chapter.addAttribute("seconds", .double, defaultValue: 2)
        chapter.addAttribute("site", .uri, defaultValue: URL(string: "https://example.org"))
        chapter.addAttribute("tags", .transformable, defaultValue: ["a", "b"] as NSArray)
        let again = NSManagedObjectModel(document: model.document)
        #expect(again == model)
        let attributes = try #require(again.entitiesByName["Chapter"]).attributesByName
        #expect(attributes["number"]?.defaultValue as? Int == 1)
        #expect(attributes["done"]?.defaultValue as? Bool == true)
        #expect(attributes["seconds"]?.defaultValue as? Double == 2)
        #expect(attributes["site"]?.defaultValue as? URL == URL(string: "https://example.org"))
        #expect(attributes["tags"]?.defaultValue as? NSArray == ["a", "b"] as NSArray)
        let price = again.entitiesByName["Course"]?.attributesByName["price"]?.defaultValue
        #expect((price as? NSDecimalNumber)?.decimalValue == Decimal(string: "9.99"))
    }

    @Test("A new default replaces the one of the file")
    func newDefault() throws {
        let read = NSManagedObjectModel(document: model.document)
        let number = try #require(read.entitiesByName["Chapter"]?.attributesByName["number"])
        number.defaultValue = 7
        let again = NSManagedObjectModel(document: read.document)
        #expect(again.entitiesByName["Chapter"]?.attributesByName["number"]?.defaultValue as? Int == 7)
        #expect(again != model)
    }

    @Test("Composite attributes keep their elements, two of one name apart")
    func composites() throws {
        for (entity, parts) in [(course, ["street", "city"]), (chapter, ["x", "y"])] {
            let composite = NSCompositeAttributeDescription()
            composite.name = "place"
            composite.elements = parts.map { name in
                let element = NSAttributeDescription()
                element.name = name
                element.type = .string
                return element
            }
            entity.ownProperties.append(composite)
        }
        let again = NSManagedObjectModel(document: model.document)
        #expect(again == model)
        let place =
            again.entitiesByName["Chapter"]?.attributesByName["place"] as? NSCompositeAttributeDescription
        #expect(place?.elements.map(\.name) == ["x", "y"])
    }

    @Test("Validation predicates keep their warnings, and replace bounds of a file")
    func validation() throws {
        let title = try #require(item.attributesByName["title"])
        title.bounds.minimumLength = 3
        title.bounds.pattern = "[a-z]+"
        #expect(title.validationPredicates.map(text) == ["length >= 3", "SELF MATCHES \"[a-z]+\""])
        #expect(title.validationWarnings.compactMap { $0 as? Int } == [1670, 1680])
        title.setValidationPredicates(
            [NSPredicate(format: "length < 9"), NSPredicate(format: "SELF != 'x'")],
            withValidationWarnings: ["too long", "not x"])
        #expect(title.validationPredicates.count == 2 && !title.bounds.isSet)
        let again = NSManagedObjectModel(document: model.document)
        let read = try #require(again.entitiesByName["Item"]?.attributesByName["title"])
        #expect(read.validationPredicates.map(text) == ["length < 9", "SELF != \"x\""])
        #expect(read.validationWarnings.map { "\($0)" } == ["too long", "not x"])
    }

    @Test("Dates are bounded by dates")
    func dateBounds() {
        let date = course.addAttribute("begins", .date)
        date.bounds.minimum = 86_400
        #expect(
            date.validationPredicates.first?.evaluate(with: Date(timeIntervalSinceReferenceDate: 86_400))
                == true)
        #expect(
            date.validationPredicates.first?.evaluate(with: Date(timeIntervalSinceReferenceDate: 1)) == false)
        #expect(date.validationWarnings.first as? Int == 1640)
    }

    @Test("Templates are copied and filled")
    func templates() throws {
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Chapter")
        request.predicate = NSPredicate(format: "number > $LEAST AND title BEGINSWITH $START")
        request.fetchLimit = 5
        model.setFetchRequestTemplate(request, forName: "later")
        let filled = try #require(
            model.fetchRequestFromTemplate(
                withName: "later", substitutionVariables: ["LEAST": 3, "START": "A\"b"]))
        #expect(filled.predicate.map(text) == "number > 3 AND title BEGINSWITH \"A\\\"b\"")
        #expect(filled.entityName == "Chapter" && filled.fetchLimit == 5 && filled !== request)
        #expect(request.predicate.map(text) == "number > $LEAST AND title BEGINSWITH $START")
        #expect(model.fetchRequestFromTemplate(withName: "other", substitutionVariables: [:]) == nil)
        let again = NSManagedObjectModel(document: model.document)
        #expect(again.fetchRequestTemplate(forName: "later")?.entity === again.entitiesByName["Chapter"])
        model.setFetchRequestTemplate(nil, forName: "later")
        #expect(model.fetchRequestTemplatesByName.isEmpty)
    }

    @Test("An entity's copy has its properties and stands alone")
    func entityCopy() throws {
        chapter.addIndex("byNumber", ["number", "title"])
        let copy = try #require(chapter.copy() as? NSEntityDescription)
        #expect(copy.managedObjectModel == nil && copy.superentity == nil)
        #expect(Set(copy.propertiesByName.keys) == ["number", "course"])
        #expect(copy.indexes.first?.elements.first?.property === copy.propertiesByName["number"])
        #expect(copy.relationshipsByName["course"]?.destinationEntity === course)
        copy.name = "Other"
        #expect(chapter.name == "Chapter")
    }

    @Test("Models with different entities of one name do not merge")
    func contradiction() throws {
        let other = NSManagedObjectModel()
        other.addEntity("Course")
        #expect(NSManagedObjectModel(byMerging: [model, other]) == nil)
        let third = NSManagedObjectModel()
        third.addEntity("Third")
        third.versionIdentifiers = ["3"]
        let merged = try #require(NSManagedObjectModel(byMerging: [model, third]))
        #expect(Set(merged.entitiesByName.keys) == ["Item", "Course", "Chapter", "Third"])
        #expect(merged.versionIdentifiers == ["3"])
        #expect(merged.entitiesByName["Course"]?.superentity === merged.entitiesByName["Item"])
    }

    @Test("Configurations hold entities of their own")
    func configurations() {
        model.setEntities([chapter], forConfigurationName: "Local")
        let copy = model.copy() as? NSManagedObjectModel
        #expect(copy?.configurations == ["Local"])
        #expect(copy?.entities(forConfigurationName: "Local")?.first === copy?.entitiesByName["Chapter"])
        #expect(model.entities(forConfigurationName: nil)?.count == 3)
        #expect(model.entities(forConfigurationName: "None") == nil)
    }
}
