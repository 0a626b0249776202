import CoreData
import Foundation

/// The chapters of one course as a live list: what a table view controller does, without a table view.
///
/// Belongs to the queue of its context.
final class ChapterList: NSObject, NSFetchedResultsControllerDelegate {
    let controller: NSFetchedResultsController<Lesson>
    private let tell: (ChapterListCall) -> Void

    /// - Parameters:
    ///   - courseId: which course.
    ///   - isAscending: the order of chapters and of the lessons in them.
    ///   - tell: is given each call of the controller, in order.
    init(
        courseId: Int, isAscending: Bool, context: NSManagedObjectContext, cacheName: String?,
        tell: @escaping (ChapterListCall) -> Void
    ) {
        // Grouped by the chapter's name while sorting by its number.
        controller = NSFetchedResultsController(
            fetchRequest: Lesson.request(courseId: courseId, isAscending: isAscending),
            managedObjectContext: context, sectionNameKeyPath: "chapterName", cacheName: cacheName)
        self.tell = tell
        super.init()
        controller.delegate = self
    }

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
        tell(.willChange)
    }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>,
        didChange sectionInfo: NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        tell(.section(type, index: sectionIndex, name: sectionInfo.name))
    }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        guard let lesson = anObject as? Lesson else { return }
        tell(.object(type, LessonRow(lesson), old: indexPath, new: newIndexPath))
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
        tell(.didChange)
    }
}
