import CoreData
import Foundation

/// One call of the controller to its delegate, as a value: `show` prints it, `serve` sends it to the page.
enum ChapterListCall: Sendable {
    case willChange
    case section(NSFetchedResultsChangeType, index: Int, name: String)
    case object(NSFetchedResultsChangeType, LessonRow, old: IndexPath?, new: IndexPath?)
    case didChange
}

/// What a row shows.
struct LessonRow: Codable, Equatable, Sendable {
    /// The object's ID as a URI.
    var id: String
    var title: String
    var duration: String

    init(_ lesson: Lesson) {
        id = lesson.objectID.uriRepresentation().absoluteString
        title = lesson.title ?? ""
        duration = lesson.duration
    }
}

extension NSFetchedResultsChangeType {
    /// The case's name.
    var name: String {
        switch self {
        case .insert: "insert"
        case .delete: "delete"
        case .move: "move"
        case .update: "update"
        @unknown default: "unknown"
        }
    }
}

extension ChapterListCall: CustomStringConvertible {
    var description: String {
        switch self {
        case .willChange: return "  will change"
        case .section(let type, let index, let name):
            return "    section \(index) '\(name)' \(type.name == "insert" ? "inserted" : "deleted")"
        case .object(let type, let row, let old, let new):
            let type = type.name.padding(toLength: 6, withPad: " ", startingAt: 0)
            let old = old.map { "\($0.section).\($0.row)" } ?? "–"
            let new = new.map { "\($0.section).\($0.row)" } ?? "–"
            return "    \(type) '\(row.title)'  \(old) → \(new)"
        case .didChange: return "  did change"
        }
    }
}
