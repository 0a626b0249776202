import Foundation
import TestSupport
import Testing

@testable import StratusCoreData

/// The cost of a change in a long list. A debug build measures too: both sides of the comparison are slowed alike.
@Suite struct ControllerSpeedTests {
    /// `STRATUS_SPEED_LESSONS=100000` for the list of the requirement.
    static let lessons =
        ProcessInfo.processInfo.environment["STRATUS_SPEED_LESSONS"].flatMap(Int.init) ?? 20_000

    @Test(
        "A change costs far less than fetching again, and so does one of a related object that is not on a path"
    )
    func oneChange() throws {
        let bench = try CourseBench()
        try bench.fill(courses: 1, chapters: 500, lessons: Self.lessons / 500)
        let context = bench.context()
        try context.performAndWait {
            let delegate = CountingDelegate()
            let controller = context.lessons("chapter.course.courseId = 0")
            controller.delegate = delegate
            let fetch = try processorSeconds { try controller.performFetch() }
            let lesson = controller.object(at: IndexPath(item: 3, section: 250))
            let chapter = try #require(lesson.value(forKey: "chapter") as? NSManagedObject)
            let course = try #require(chapter.value(forKey: "course") as? NSManagedObject)
            func measure(_ change: (Int) throws -> Void) throws -> Double {
                var times: [Double] = []
                for round in 0..<7 { times.append(try processorSeconds { try change(round) }) }
                return times.sorted()[3]
            }
            let update = try measure { round in
                lesson.setValue("title \(round)", forKey: "title")
                try context.save()
            }
            let move = try measure { round in
                lesson.setValue(round * 7, forKey: "number")
                try context.save()
            }
            let note = try measure { round in
                chapter.setValue("note \(round)", forKey: "note")
                course.setValue("name \(round)", forKey: "name")
                try context.save()
            }
            #expect(delegate.transactions == 14)
            print("processor seconds: fetch \(fetch), update \(update), move \(move), related \(note)")
            #expect(update * 10 < fetch)
            #expect(move * 10 < fetch)
            #expect(note * 10 < fetch)
        }
    }
}

final class CountingDelegate: NSFetchedResultsControllerDelegate {
    var transactions = 0

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        transactions += 1
    }
}
