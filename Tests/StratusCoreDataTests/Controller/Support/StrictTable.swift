import Foundation

@testable import StratusCoreData

/// What a table view shows, and how it takes a batch of a controller's calls: as strictly as UIKit does, and a little
/// more.
struct StrictTable: Equatable {
    struct Section: Equatable {
        var name: String
        var items: [NSManagedObject]

        static func == (left: Section, right: Section) -> Bool {
            Array(left.name.utf8) == Array(right.name.utf8)
                && left.items.elementsEqual(right.items) { $0 === $1 }
        }
    }

    /// One call of a delegate.
    enum Call {
        case section(Int, name: String, NSFetchedResultsChangeType)
        case object(NSManagedObject, IndexPath?, NSFetchedResultsChangeType, IndexPath?)
    }

    /// What UIKit raises an exception for.
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    var sections: [Section] = []

    init(_ controller: NSFetchedResultsController<NSManagedObject>) {
        sections = (controller.sections ?? []).map { section in
            Section(name: section.name, items: (section.objects ?? []).compactMap { $0 as? NSManagedObject })
        }
    }

    var items: [NSManagedObject] { sections.flatMap(\.items) }

    mutating func apply(_ calls: [Call], allowsCrossing: Bool = false) throws {
        var gone: [Int: String] = [:]
        var come: [Int: String] = [:]
        var leaving: [IndexPath: NSManagedObject] = [:]
        var arriving: [IndexPath: NSManagedObject] = [:]
        var updates: [(NSManagedObject, IndexPath, IndexPath)] = []
        var seesObjects = false
        for call in calls {
            switch call {
            case .section(let index, let name, let type):
                try check(!seesObjects, "a section after an object")
                try check(
                    type == .insert || type == .delete, "a section that is neither inserted nor deleted")
                if type == .insert {
                    try check(come.updateValue(name, forKey: index) == nil, "section \(index) inserted twice")
                } else {
                    try check(gone.updateValue(name, forKey: index) == nil, "section \(index) deleted twice")
                }
            case .object(let object, let old, let type, let new):
                seesObjects = true
                try check((old == nil) == (type == .insert), "an old index path with \(type)")
                try check((new == nil) == (type == .delete), "a new index path with \(type)")
                if let old, let new, type == .move { try check(old != new, "a move to where it was") }
                if type == .update, let old, let new {
                    updates.append((object, old, new))
                    continue
                }
                if let old { try check(leaving.updateValue(object, forKey: old) == nil, "\(old) twice") }
                if let new { try check(arriving.updateValue(object, forKey: new) == nil, "\(new) twice") }
                if type == .move, !allowsCrossing, let old, let new {
                    try check(gone[old.section] == nil, "cannot move a row from a deleted section")
                    try check(come[new.section] == nil, "cannot move a row into a newly inserted section")
                }
            }
        }
        try take(gone, leaving, updates)
        try put(come, arriving, updates)
    }

    private mutating func take(
        _ gone: [Int: String], _ leaving: [IndexPath: NSManagedObject],
        _ updates: [(NSManagedObject, IndexPath, IndexPath)]
    ) throws {
        for (path, object) in leaving { try check(item(path) === object, "another object left \(path)") }
        for (object, path, _) in updates {
            try check(item(path) === object, "another object was updated at \(path)")
            try check(gone[path.section] == nil && leaving[path] == nil, "an update of what is gone")
        }
        for (index, name) in gone {
            try check(
                sections.indices.contains(index) && sections[index].name == name,
                "no section \(index) \(name)")
        }
        var rest: [Section] = []
        for (index, section) in sections.enumerated() {
            let items = section.items.indices.filter { leaving[IndexPath(item: $0, section: index)] == nil }
            if gone[index] != nil {
                try check(items.isEmpty, "a deleted section keeps items")
            } else {
                rest.append(Section(name: section.name, items: items.map { section.items[$0] }))
            }
        }
        sections = rest
    }

    private mutating func put(
        _ come: [Int: String], _ arriving: [IndexPath: NSManagedObject],
        _ updates: [(NSManagedObject, IndexPath, IndexPath)]
    ) throws {
        for (index, name) in come.sorted(by: { $0.key < $1.key }) {
            try check(index <= sections.count, "section \(index) beyond the end")
            sections.insert(Section(name: name, items: []), at: index)
        }
        for (path, object) in arriving.sorted(by: { $0.key < $1.key }) {
            try check(sections.indices.contains(path.section), "no section for \(path)")
            try check(path.item <= sections[path.section].items.count, "\(path) is beyond the end")
            sections[path.section].items.insert(object, at: path.item)
        }
        for (object, _, path) in updates {
            try check(item(path) === object, "an updated object is not at \(path)")
        }
    }

    private func item(_ path: IndexPath) -> NSManagedObject? {
        guard sections.indices.contains(path.section) else { return nil }
        let items = sections[path.section].items
        return items.indices.contains(path.item) ? items[path.item] : nil
    }

    private func check(_ condition: Bool, _ text: @autoclosure () -> String) throws {
        if !condition { throw Refusal(description: text()) }
    }
}

/// A delegate that shows a controller's list in a table and notes everything that a table view would refuse.
final class TableDelegate: NSFetchedResultsControllerDelegate {
    let controller: NSFetchedResultsController<NSManagedObject>
    var table: StrictTable
    var calls: [StrictTable.Call] = []
    var problems: [String] = []
    var transactions = 0
    var isOpen = false
    /// The calls of the last transaction as text.
    var log: [String] = []
    /// Runs inside of a transaction.
    var meddle: ((Any) -> Void)?

    init(_ controller: NSFetchedResultsController<NSManagedObject>) throws {
        self.controller = controller
        table = StrictTable(controller)
        controller.delegate = self
        try controller.performFetch()
        table = StrictTable(controller)
    }

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        if isOpen { problems.append("a transaction inside of another") }
        isOpen = true
        calls = []
        log = []
        if controller != self.controller { problems.append("the view is not equal to the controller") }
        if StrictTable(self.controller) != table {
            problems.append("the controller showed the new list too early")
        }
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        if !isOpen { problems.append("a call outside of a transaction") }
        calls.append(.section(sectionIndex, name: sectionInfo.name, type))
        log.append("\(type) section \(sectionIndex) \(sectionInfo.name)")
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        if !isOpen { problems.append("a call outside of a transaction") }
        guard let object = anObject as? NSManagedObject else { return problems.append("no managed object") }
        calls.append(.object(object, indexPath, type, newIndexPath))
        let places = [indexPath, newIndexPath].map { $0.map { "\($0.section).\($0.item)" } ?? "-" }
        log.append("\(type) \(places.joined(separator: " "))")
        meddle?(anObject)
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        isOpen = false
        transactions += 1
        do {
            try table.apply(calls, allowsCrossing: self.controller.movesAcrossChangedSections)
        } catch {
            problems.append("\(error): \(log)")
        }
        if table != StrictTable(self.controller) {
            problems.append("the calls do not lead to the new list: \(log)")
        }
        if calls.isEmpty { problems.append("a transaction without changes") }
    }
}
