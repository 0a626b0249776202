import Foundation
import Testing

@testable import Predicates
@testable import StratusCoreData

/// Predicates that are kept over the save of the objects they name.
@Suite struct PredicateIdentityTests {
    /// A predicate that names unsaved objects, and whether it holds for the lesson that is tested.
    static let forms: [(name: String, make: @Sendable (Course, Lesson, Course) -> NSPredicate, holds: Bool)] =
        [
            ("course ==", { a, _, _ in NSPredicate(format: "course == %@", a) }, true),
            ("course !=", { a, _, _ in NSPredicate(format: "course != %@", a) }, false),
            ("another course", { _, _, c in NSPredicate(format: "course == %@", c) }, false),
            ("ID", { a, _, _ in NSPredicate(format: "course == %@", a.objectID) }, true),
            ("objectID", { _, b, _ in NSPredicate(format: "objectID == %@", b.objectID) }, true),
            ("SELF", { _, b, _ in NSPredicate(format: "SELF == %@", b) }, true),
            ("SELF, left", { _, b, _ in NSPredicate(format: "%@ == SELF", b) }, true),
            ("SELF IN array", { _, b, _ in NSPredicate(format: "SELF IN %@", [b]) }, true),
            ("SELF IN IDs", { _, b, _ in NSPredicate(format: "SELF IN %@", [b.objectID]) }, true),
            ("SELF IN NSArray", { _, b, _ in NSPredicate(format: "SELF IN %@", NSArray(array: [b])) }, true),
            (
                "SELF IN NSOrderedSet",
                { _, b, _ in NSPredicate(format: "SELF IN %@", NSOrderedSet(array: [b])) }, true
            ),
            ("course IN Set", { a, _, c in NSPredicate(format: "course IN %@", Set([a, c])) }, true),
            (
                "course IN NSSet", { a, _, c in NSPredicate(format: "course IN %@", NSSet(array: [a, c])) },
                true
            ),
            ("not in another set", { _, _, c in NSPredicate(format: "course IN %@", Set([c])) }, false),
            ("NOT IN", { a, _, _ in NSPredicate(format: "NOT course IN %@", [a]) }, false),
            ("AND", { a, b, _ in NSPredicate(format: "course == %@ AND SELF == %@", a, b) }, true),
            ("OR", { a, _, c in NSPredicate(format: "course == %@ OR course == %@", c, a) }, true),
            ("aggregate", { a, _, c in NSPredicate(format: "course IN {%@, %@}", c, a) }, true),
            ("ANY", { _, b, _ in NSPredicate(format: "ANY course.lessons == %@", b) }, true),
            ("ALL", { _, b, _ in NSPredicate(format: "ALL course.lessons == %@", b) }, true),
            ("NONE", { _, b, _ in NSPredicate(format: "NONE course.lessons == %@", b) }, false),
            ("CONTAINS", { _, b, _ in NSPredicate(format: "course.lessons CONTAINS %@", b) }, true),
            ("equal sets", { _, b, _ in NSPredicate(format: "course.lessons == %@", Set([b])) }, true),
            (
                "SUBQUERY",
                { _, b, _ in NSPredicate(format: "SUBQUERY(course.lessons, $x, $x == %@).@count == 1", b) },
                true
            ),
            (
                "UNION",
                { _, b, _ in
                    NSPredicate(
                        NSPredicate(format: "%@ IN SELF", b).rewritten {
                            .setOperation(.intersect, .keyPath(["course", "lessons"]), $0)
                        })
                }, true
            ),
            (
                "compound",
                { a, b, _ in
                    NSCompoundPredicate(andPredicateWithSubpredicates: [
                        NSPredicate(format: "course == %@", a), NSPredicate(format: "SELF == %@", b),
                    ])
                }, true
            ),
            (
                "variable",
                { a, _, _ in
                    NSPredicate(format: "course == $c").withSubstitutionVariables(["c": a])
                }, true
            ),
            (
                "constant expression",
                { a, _, _ in
                    Predicates.NSComparisonPredicate(
                        leftExpression: Predicates.NSExpression(forKeyPath: "course"),
                        rightExpression: Predicates.NSExpression(forConstantValue: a), modifier: .direct,
                        type: .equalTo)
                }, true
            ),
        ]

    @Test(arguments: forms.map(\.name)) func holdsBeforeAndAfterTheSave(_ name: String) throws {
        let form = try #require(Self.forms.first { $0.name == name })
        try GraphStack(.sqlite).run { context in
            let course = context.make("A")
            let other = context.make("B")
            let lesson = Lesson(title: "1", number: 1, in: context)
            lesson.course = course
            let predicate = form.make(course, lesson, other)
            func found() -> [Bool] {
                [
                    predicate.evaluate(with: lesson),
                    NSArray(array: [lesson]).filtered(using: predicate).count == 1,
                    predicate.evaluate(with: lesson, substitutionVariables: [:]),
                ]
            }
            #expect(found() == Array(repeating: form.holds, count: 3), "before the save")
            try context.save()
            #expect(!lesson.objectID.isTemporaryID)
            #expect(found() == Array(repeating: form.holds, count: 3), "after the save")
        }
    }

    /// The IDs themselves stay what they are: sets and dictionaries keep them under the hash they had.
    @Test func temporaryIDsKeepTheirHash() throws {
        try GraphStack(.sqlite).run { context in
            let course = context.make("A")
            let temporary = course.objectID
            let known = [temporary: "A"]
            let hash = temporary.hash
            try context.save()
            #expect(known[temporary] == "A" && temporary.hash == hash && temporary.isTemporaryID)
            #expect(course.objectID != temporary && known[course.objectID] == nil)
            #expect(context.object(with: temporary) === course)
            #expect(context.registeredObject(for: temporary) === course)
            #expect(try context.existingObject(with: temporary) === course)
            let predicate = NSPredicate(format: "SELF == %@", course)
            #expect(predicate == NSPredicate(format: "SELF == %@", course))
        }
    }

    /// Two objects that were never the same stay different.
    @Test func differentObjectsStayDifferent() throws {
        try GraphStack(.sqlite).run { context in
            let courses = (0..<20).map { context.make("\($0)") }
            let predicates = courses.map { NSPredicate(format: "SELF == %@", $0) }
            try context.save()
            for (place, predicate) in predicates.enumerated() {
                #expect(courses.indices.filter { predicate.evaluate(with: courses[$0]) } == [place])
            }
        }
    }

    @Test func batchRequestsTakeObjectsThatWereUnsaved() throws {
        try GraphStack(.sqlite).run { context in
            let course = context.make("A")
            let lesson = Lesson(title: "1", number: 1, in: context)
            let update = NSBatchUpdateRequest(entityName: "Lesson")
            update.predicate = NSPredicate(format: "SELF IN %@", [lesson])
            update.propertiesToUpdate = ["course": course.objectID, "title": "2"]
            let delete = NSFetchRequest<any NSFetchRequestResult>(entityName: "Lesson")
            delete.predicate = NSPredicate(format: "course == %@", course)
            try context.save()
            try context.execute(update)
            context.refreshAllObjects()
            #expect(lesson.title == "2" && lesson.course === course)
            try context.execute(NSBatchDeleteRequest(fetchRequest: delete))
            #expect(try context.count(for: NSFetchRequest<Lesson>(entityName: "Lesson")) == 0)
        }
    }
}

extension NSPredicate {
    /// The tree of a comparison with another right side, made of the constant at the left.
    fileprivate func rewritten(_ change: (ExpressionTree) -> ExpressionTree) -> PredicateTree {
        guard case .comparison(var comparison)? = try? PredicateTree(self) else { return .constant(false) }
        comparison.right = change(.aggregate([comparison.left]))
        return .comparison(comparison)
    }
}
