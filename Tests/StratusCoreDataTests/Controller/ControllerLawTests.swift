import Foundation
import SQLiteAccess
import TestSupport
import Testing

@testable import StratusCoreData

/// Random edits in several contexts, checked against a strict table view and against fetching again.
@Suite struct ControllerLawTests {
    /// How many edits each seed makes: `STRATUS_LAW_EDITS=500000` makes a long run of it.
    static let edits = ProcessInfo.processInfo.environment["STRATUS_LAW_EDITS"].flatMap(Int.init) ?? 2_500

    @Test(
        "The calls lead to the new list, which is what a fetch finds",
        arguments: Seed.some(6, failed: [6_852_002_822_426_243_696]))
    func table(_ seed: Seed) throws {
        var random = seed.random
        var done = 0
        while done < Self.edits {
            let world = try LawWorld(&random)
            for _ in 0..<random.int(10...60) {
                done += try world.step(&random)
                try world.check()
                if !world.problems.isEmpty { break }
            }
            try #require(
                world.problems.isEmpty,
                "\(world.problems.prefix(3)) \(world.history.suffix(world.isTraced ? 400 : 25))")
        }
    }
}

/// A context, the controllers of it, and what tables show of them.
final class LawPlace {
    let name: String
    let context: NSManagedObjectContext
    var delegates: [TableDelegate] = []

    init(_ name: String, _ context: NSManagedObjectContext) {
        self.name = name
        self.context = context
    }

    func addController(_ random: inout Random) throws {
        let request: NSFetchRequest<NSManagedObject>
        let sections: [String?]
        let sorts: [String]
        if random.oneIn(3) {
            request = NSFetchRequest(entityName: "LawChapter")
            var predicates = [
                nil, "number < 3", "course.courseId = 1", "course != nil AND course.name CONTAINS 'a'",
            ]
            if NSEntityDescription.entity(forEntityName: "LawChapter", in: context)?.relationshipsByName[
                "lessons"] != nil
            {
                predicates += [
                    "ANY lessons.rating > 1", "lessons.@count > 1",
                    "SUBQUERY(lessons, $l, $l.flag == YES).@count > 0",
                ]
            }
            request.predicate = random.pick(predicates, else: nil).map { NSPredicate(format: $0) }
            sections = [nil, "name", "number", "course.name"]
            sorts = ["number", "name", "course.name", "course.courseId"]
        } else {
            request = NSFetchRequest(entityName: "LawLesson")
            request.predicate = random.pick(
                [
                    nil, nil, "number < 4", "chapter.course.courseId = 1", "chapter.number > 1",
                    "chapter == nil",
                    "flag == YES AND chapter.course != nil", "title BEGINSWITH[cd] 'a'",
                    "chapter.name == 'b' OR rating > 2", "NOT (chapter.course.name == 'a')",
                ], else: nil
            ).map { NSPredicate(format: $0) }
            sections = [
                nil, "chapter.name", "chapter.number", "flag", "title", "chapter.course.name", "heading",
                "initial", "rating",
            ]
            sorts = [
                "number", "title", "rating", "flag", "chapter.number", "chapter.name", "chapter.course.name",
            ]
        }
        request.sortDescriptors = (0..<random.int(1...3)).map { _ in
            NSSortDescriptor(
                key: random.pick(sorts, else: "number"), ascending: !random.oneIn(3))
        }
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context,
            sectionNameKeyPath: random.pick(sections, else: nil), cacheName: nil)
        controller.movesAcrossChangedSections = random.oneIn(4)
        delegates.append(try TableDelegate(controller))
    }

    /// What is wrong with the controllers of this context.
    func problems() throws -> [String] {
        var found: [String] = []
        for delegate in delegates {
            let controller = delegate.controller
            let request = controller.fetchRequest
            let predicate = request.predicate.flatMap { try? PredicateTree($0) }.map { "\($0)" }
            let what =
                "\(name): \(request.entityName ?? "") \(predicate ?? "all") by "
                + "\((request.sortDescriptors ?? []).map { "\($0.key ?? "") \($0.ascending)" }) in "
                + "\(controller.sectionNameKeyPath ?? "one")"
            found += delegate.problems.map { "\(what): \($0)" }
            if delegate.isOpen { found.append("\(what): a transaction without an end") }
            let other = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context,
                sectionNameKeyPath: controller.sectionNameKeyPath, cacheName: nil)
            try other.performFetch()
            let fresh = StrictTable(other)
            if fresh != delegate.table {
                found.append("\(what): shows \(Self.text(delegate.table)), a fetch finds \(Self.text(fresh))")
            }
            for (section, content) in delegate.table.sections.enumerated() {
                for (item, object) in content.items.enumerated() {
                    let path = IndexPath(item: item, section: section)
                    if controller.indexPath(forObject: object) != path
                        || controller.object(at: path) !== object
                    {
                        found.append("\(what): \(path) is not found")
                    }
                }
            }
            if controller.fetchedObjects ?? [] != delegate.table.items {
                found.append("\(what): fetchedObjects")
            }
        }
        return found
    }

    static func text(_ table: StrictTable) -> String {
        table.sections.map { section in "\(section.name)\(section.items.map(text))" }.joined(separator: " ")
    }

    static func state(_ object: NSManagedObject) -> String {
        guard let slot = object.layout.slots["lessons"] else { return "" }
        func names(_ objects: [NSManagedObject]) -> String {
            objects.map { "\($0.objectID.description.suffix(4))" }.sorted().joined(separator: " ")
        }
        switch object.relation(slot) {
        case .unknown: return "?"
        case .many(let all): return "{\(names(all.objects))}"
        case .pending(let added, let removed): return "{+\(names(added)) -\(names(removed))}"
        default: return ""
        }
    }

    static func text(_ object: NSManagedObject) -> String {
        var parts: [String] = []
        var next: NSManagedObject? = object
        while let current = next {
            parts.append("\(current.objectID.description.suffix(5))")
            let key = current.entity.name == "LawLesson" ? "chapter" : "course"
            if current.entity.name == "LawCourse" {
                parts.append("\(current.value(forKey: "name") ?? "nil")")
            }
            next = current.entity.relationshipsByName[key].flatMap { _ in
                current.value(forKey: key) as? NSManagedObject
            }
        }
        return parts.joined(separator: ">")
    }
}

/// A store and contexts that work on it.
final class LawWorld {
    /// Whether each step notes what both contexts and the store hold: `TRACE=1` beside a seed that failed.
    let isTraced = ProcessInfo.processInfo.environment["TRACE"] != nil
    let bench: CourseBench
    var places: [LawPlace] = []
    var problems: [String] = []
    var history: [String] = []

    init(_ random: inout Random) throws {
        bench = try CourseBench(inverses: !random.oneIn(6))
        try bench.fill(courses: random.int(0...2), chapters: random.int(1...3), lessons: random.int(0...4))
        for name in ["main", "background"] {
            let context = bench.context()
            places.append(LawPlace(name, context))
        }
        for place in places {
            try place.context.runAndWait {
                for _ in 0..<random.int(1...4) { try place.addController(&random) }
            }
        }
    }

    /// Some edits in one context.
    func step(_ random: inout Random) throws -> Int {
        let place = random.pick(places, else: places[0])
        let context = place.context
        var count = random.int(1...random.pick([1, 3, 12], else: 1))
        try context.runAndWait {
            for _ in 0..<count { history.append("\(place.name): \(try edit(context, &random))") }
            switch random.int(1...12) {
            case 1...4:
                do { try context.save() } catch {
                    history.append("\(place.name): save failed")
                    context.rollback()
                }
                history.append("\(place.name): save")
            case 5:
                context.rollback()
                history.append("\(place.name): rollback")
            case 8 where !context.hasChanges:
                context.refreshAllObjects()
                history.append("\(place.name): refreshAllObjects")
            case 9:
                let inserted = context.insertedObjects.sorted { "\($0.objectID)" < "\($1.objectID)" }
                let some = inserted.filter { _ in random.oneIn(2) }
                try context.obtainPermanentIDs(for: some)
                history.append("\(place.name): permanent IDs for \(some.count) of \(inserted.count)")
            default: break
            }
        }
        count += 1
        return count
    }

    private func edit(_ context: NSManagedObjectContext, _ random: inout Random) throws -> String {
        func some(_ entity: String) throws -> NSManagedObject? {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            let all = try context.fetch(request)
            return all.sorted { "\($0.objectID)" < "\($1.objectID)" }.randomElement(using: &random)
        }
        let name = random.pick(["a", "b", "c", "B", "aé", "ä"], else: "a")
        switch random.int(1...14) {
        case 1...3:
            let lesson = context.make(
                "LawLesson",
                [
                    "number": random.int(0...6), "title": name, "rating": Double(random.int(0...3)),
                    "flag": random.oneIn(2),
                ])
            if !random.oneIn(4) { lesson.setValue(try some("LawChapter"), forKey: "chapter") }
            return "new lesson \(LawPlace.text(lesson))"
        case 4:
            let chapter = context.make("LawChapter", ["number": random.int(0...4), "name": name])
            chapter.setValue(try some("LawCourse"), forKey: "course")
            return "new chapter \(LawPlace.text(chapter))"
        case 5:
            _ = context.make("LawCourse", ["courseId": random.int(0...2), "name": name])
            return "new course"
        case 6...8:
            guard let lesson = try some("LawLesson") else { return "-" }
            switch random.int(0...5) {
            case 0: lesson.setValue(random.int(0...6), forKey: "number")
            case 1: lesson.setValue(random.oneIn(5) ? nil : name, forKey: "title")
            case 2: lesson.setValue(random.oneIn(5) ? nil : Double(random.int(0...3)), forKey: "rating")
            case 3: lesson.setValue(random.oneIn(2), forKey: "flag")
            default: lesson.setValue(random.oneIn(4) ? nil : try some("LawChapter"), forKey: "chapter")
            }
            return "change lesson \(LawPlace.text(lesson)) \(lesson.changedValues().keys.sorted())"
        case 9...10:
            guard let chapter = try some("LawChapter") else { return "-" }
            switch random.int(0...3) {
            case 0: chapter.setValue(random.int(0...4), forKey: "number")
            case 1: chapter.setValue(random.oneIn(5) ? nil : name, forKey: "name")
            case 2: chapter.setValue(name, forKey: "note")
            default: chapter.setValue(random.oneIn(4) ? nil : try some("LawCourse"), forKey: "course")
            }
            return "change chapter \(LawPlace.text(chapter)) \(chapter.changedValues().keys.sorted())"
        case 11:
            guard let course = try some("LawCourse") else { return "-" }
            if random.oneIn(2) {
                course.setValue(random.int(0...2), forKey: "courseId")
            } else {
                course.setValue(name, forKey: "name")
            }
            return "change course \(LawPlace.text(course)) \(course.changedValues().keys.sorted())"
        case 12, 13:
            guard let object = try some(random.pick(["LawLesson", "LawLesson", "LawChapter"], else: ""))
            else { return "-" }
            // Without an inverse nothing says that what points at the object is to be emptied.
            guard object.entity.name == "LawLesson" || object.entity.relationshipsByName["lessons"] != nil
            else { return "-" }
            context.delete(object)
            return "delete \(LawPlace.text(object))"
        default:
            guard let object = try some("LawLesson"), !object.hasChanges else { return "-" }
            context.refresh(object, mergeChanges: random.oneIn(2))
            return "refresh \(LawPlace.text(object))"
        }
    }

    func check() throws {
        // Merges are work on the contexts' queues; what one of them causes is done by the second round.
        for _ in 0..<2 { for place in places { place.context.performAndWait {} } }
        if isTraced {
            for place in places {
                place.context.runAndWait {
                    let chapters = place.context.registeredObjects.filter {
                        $0.entity.name == "LawChapter" && $0.managedObjectContext != nil && !$0.isFault
                    }
                    history.append(
                        "    \(place.name) "
                            + chapters.map {
                                "\(LawPlace.text($0))\($0.isDeleted ? "D" : "")\($0.hasChanges ? "*" : "") \(LawPlace.state($0))"
                            }.sorted().joined(separator: ", "))
                }
            }
            history.append(
                "    lessons \(try bench.bench.sql("select z_pk, zchapter from zlawlesson order by 1").map { "\($0[0])>\($0[1])" })"
            )
            history.append(
                "    db \(try bench.bench.sql("select z_pk, zcourse from zlawchapter order by 1").map { "\($0[0])>\($0[1])" })"
            )
        }
        for place in places {
            problems += try place.context.runAndWait { try place.problems() }
        }
    }
}
