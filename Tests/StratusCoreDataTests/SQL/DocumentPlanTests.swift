import Foundation
import SQLiteAccess
import Testing

@testable import CoreDataSQLiteStore
@testable import StratusCoreData

/// The fetches of the courses document, with the tables and indexes that the store makes for its model.
@Suite struct DocumentPlanTests {
    private let model = NSManagedObjectModel()
    private let layout: StoreLayout
    private let database: SQLiteConnection

    init() throws {
        func attribute(_ name: String, _ type: NSAttributeType, indexed: Bool = true)
            -> NSAttributeDescription
        {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isIndexed = indexed
            return attribute
        }
        let course = NSEntityDescription()
        course.name = "Course"
        course.properties = [attribute("courseId", .integer64AttributeType)]
        let lesson = NSEntityDescription()
        lesson.name = "Lesson"
        lesson.properties = [
            attribute("watchLaterAt", .dateAttributeType), attribute("type", .integer16AttributeType),
            attribute("lastPlayedAt", .dateAttributeType), attribute("number", .integer32AttributeType),
            attribute("progress", .doubleAttributeType, indexed: false),
        ]
        let toCourse = NSRelationshipDescription()
        let toLessons = NSRelationshipDescription()
        (toCourse.name, toCourse.destinationEntity, toCourse.maxCount) = ("section_course", course, 1)
        (toLessons.name, toLessons.destinationEntity) = ("lessons", lesson)
        (toCourse.inverseRelationship, toLessons.inverseRelationship) = (toLessons, toCourse)
        lesson.properties += [toCourse]
        course.properties += [toLessons]
        model.entities = [course, lesson]
        layout = try LayoutBuilder.layout(model, configuration: nil)
        database = try SQLiteConnection(path: ":memory:")
        let statements = layout.createStatements
        for text in statements { try database.execute(text) }
    }

    private func plan(
        _ format: String, _ arguments: [Any?] = [], sort: [StoreSort] = [], limit: Int = 0
    ) throws -> String {
        let lesson = try #require(model.entitiesByName["Lesson"])
        var fetch = StoreFetch(
            entity: lesson, predicate: try PredicateTree(parsing: format, arguments: arguments))
        fetch.sort = sort
        fetch.limit = limit
        let text = try FetchCompiler(layout: layout).ids(fetch)
        // Bound values do not matter to the plan; unbound ones are null.
        let lines = try database.makeStatement("EXPLAIN QUERY PLAN \(text.sql)")
        var details: [String] = []
        while try lines.step() { details.append(lines.text(3)) }
        return details.joined(separator: "\n")
    }

    @Test func watchedLater() throws {
        let plan = try plan(
            "watchLaterAt != nil", sort: [StoreSort(path: ["watchLaterAt"], ascending: false)])
        #expect(plan.contains("SEARCH t0 USING INDEX"), "\(plan)")
    }

    @Test func ofAType() throws {
        #expect(try plan("type == %i", [2]).contains("SEARCH t0 USING INDEX"))
    }

    @Test func lastPlayed() throws {
        let plan = try plan(
            "%K != nil && progress != 0", ["lastPlayedAt"],
            sort: [StoreSort(path: ["lastPlayedAt"], ascending: false)], limit: 10)
        #expect(plan.contains("SEARCH t0 USING INDEX"), "\(plan)")
        #expect(!plan.contains("TEMP B-TREE FOR ORDER BY"), "\(plan)")
    }

    @Test func ofACourse() throws {
        let plan = try plan("section_course.courseId = %d", [7], sort: [StoreSort(path: ["number"])])
        #expect(plan.contains("SEARCH t0 USING INDEX") && plan.contains("SEARCH t1 USING"), "\(plan)")
        #expect(!plan.contains("SCAN t0"), "\(plan)")
    }
}
