import CoreData
import Foundation

/// The chapters of one course as a live list: what a table view controller does, without a table view.
final class ChapterList: NSObject, NSFetchedResultsControllerDelegate {
    let controller: NSFetchedResultsController<Lesson>
    private let say: (String) -> Void

    /// - Parameters:
    ///   - courseId: which course.
    ///   - isAscending: the order of chapters and of the lessons in them.
    init(
        courseId: Int, isAscending: Bool, context: NSManagedObjectContext, cacheName: String?,
        say: @escaping (String) -> Void
    ) {
        let request = NSFetchRequest<Lesson>(entityName: "Lesson")
        request.predicate = NSPredicate(format: "section_course.courseId = %d", courseId)
        request.sortDescriptors = [
            NSSortDescriptor(key: "chapterNumber", ascending: isAscending),
            NSSortDescriptor(key: "lessonNumber", ascending: isAscending),
        ]
        // Grouped by the chapter's name while sorting by its number.
        controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "chapterName",
            cacheName: cacheName)
        self.say = say
        super.init()
        controller.delegate = self
    }

    // MARK: The table

    /// The sectioned list as text.
    var table: String {
        var lines: [String] = []
        for (number, section) in (controller.sections ?? []).enumerated() {
            lines.append("\(number)  \(section.name) (\(section.numberOfObjects))")
            for row in 0..<section.numberOfObjects {
                let lesson = controller.object(at: IndexPath(row: row, section: number))
                let title = (lesson.title ?? "").padding(toLength: 24, withPad: " ", startingAt: 0)
                lines.append("     \(number).\(row)  \(title) \(lesson.duration)")
            }
        }
        return lines.joined(separator: "\n")
    }

    // MARK: NSFetchedResultsControllerDelegate

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
        say("  will change")
    }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>,
        didChange sectionInfo: NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        say("    section \(sectionIndex) '\(sectionInfo.name)' \(type == .insert ? "inserted" : "deleted")")
    }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        let title = (anObject as? Lesson)?.title ?? "?"
        let old = indexPath.map { "\($0.section).\($0.row)" } ?? "–"
        let new = newIndexPath.map { "\($0.section).\($0.row)" } ?? "–"
        switch type {
        case .insert: say("    insert '\(title)'  \(old) → \(new)")
        case .delete: say("    delete '\(title)'  \(old) → \(new)")
        case .move: say("    move   '\(title)'  \(old) → \(new)")
        case .update: say("    update '\(title)'  \(old) → \(new)")
        @unknown default: break
        }
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
        say("  did change")
    }
}
