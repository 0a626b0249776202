import SectionedLists

/// What a table view shows, and how it takes a batch of changes: as strictly as UIKit does, and a little more.
struct TableView: Equatable {
    struct Section: Equatable {
        var name: String?
        var items: [Int]

        static func == (left: Section, right: Section) -> Bool {
            left.name.map { Array($0.utf8) } == right.name.map { Array($0.utf8) } && left.items == right.items
        }
    }

    /// What UIKit raises an exception for.
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    var sections: [Section]

    init(sections: [Section]) { self.sections = sections }

    init(_ snapshot: SectionedSnapshot<Int>) {
        sections = snapshot.sections.map { Section(name: $0.name, items: $0.items) }
    }

    var items: [Int] { sections.flatMap(\.items) }

    /// Takes the changes. `allowsCrossing` accepts moves out of deleted sections and into inserted ones, as only
    /// code that is not a view does.
    mutating func apply(_ changes: SectionedChanges<Int>, allowsCrossing: Bool = false) throws {
        let gone = Set(changes.sectionDeletes.map(\.index))
        let come = Set(changes.sectionInserts.map(\.index))
        try checkOnce(changes, gone, come)
        for section in changes.sectionDeletes {
            try check(sections.indices.contains(section.index), "no section \(section.index)")
            try check(
                sections[section.index] == Section(name: section.name, items: sections[section.index].items),
                "section \(section.index) has another name")
            let mentioned = changes.deletes.filter { $0.position.section == section.index }.count
            let moved = changes.moves.filter { $0.old.section == section.index }.count
            try check(moved == 0 || allowsCrossing, "cannot move a row from a deleted section")
            try check(
                mentioned + moved == sections[section.index].items.count, "a deleted section keeps items")
        }
        for move in changes.moves {
            try check(move.old != move.new, "a move to where it was")
            try check(
                !come.contains(move.new.section) || allowsCrossing,
                "cannot move a row into a newly inserted section")
        }
        var rest: [Section] = []
        var leaving: Set<ListPosition> = []
        for (item, position) in changes.deletes.map({ ($0.item, $0.position) })
            + changes.moves.map({ ($0.item, $0.old) })
        {
            try check(self.item(at: position) == item, "\(item) was not at \(position)")
            leaving.insert(position)
        }
        for update in changes.updates {
            try check(item(at: update.old) == update.item, "\(update.item) was not at \(update.old)")
            try check(!gone.contains(update.old.section), "an update in a deleted section")
        }
        for (index, section) in sections.enumerated() where !gone.contains(index) {
            var section = section
            section.items = section.items.enumerated().filter {
                !leaving.contains(ListPosition(section: index, item: $0.offset))
            }
            .map(\.element)
            rest.append(section)
        }
        for insert in changes.sectionInserts {
            try check(insert.index <= rest.count, "section \(insert.index) beyond the end")
            rest.insert(Section(name: insert.name, items: []), at: insert.index)
        }
        let arriving =
            (changes.inserts.map { ($0.item, $0.position) } + changes.moves.map { ($0.item, $0.new) })
            .sorted { $0.1 < $1.1 }
        for (item, position) in arriving {
            try check(rest.indices.contains(position.section), "no section for \(position)")
            try check(position.item <= rest[position.section].items.count, "\(position) is beyond the end")
            rest[position.section].items.insert(item, at: position.item)
        }
        sections = rest
        for update in changes.updates {
            try check(item(at: update.new) == update.item, "\(update.item) is not at \(update.new)")
        }
    }

    private func checkOnce(
        _ changes: SectionedChanges<Int>, _ gone: Set<Int>, _ come: Set<Int>
    ) throws {
        try check(gone.count == changes.sectionDeletes.count, "a section is deleted twice")
        try check(come.count == changes.sectionInserts.count, "a section is inserted twice")
        let old = changes.deletes.map(\.position) + changes.moves.map(\.old) + changes.updates.map(\.old)
        try check(Set(old).count == old.count, "an old position is mentioned twice")
        let new = changes.inserts.map(\.position) + changes.moves.map(\.new) + changes.updates.map(\.new)
        try check(Set(new).count == new.count, "a new position is mentioned twice")
        try check(
            changes.sectionDeletes.map(\.index) == gone.sorted(by: >)
                && changes.sectionInserts.map(\.index) == come.sorted(), "sections are out of order")
        try check(
            changes.deletes.map(\.position) == changes.deletes.map(\.position).sorted(by: >)
                && changes.inserts.map(\.position) == changes.inserts.map(\.position).sorted()
                && changes.moves.map(\.new) == changes.moves.map(\.new).sorted()
                && changes.updates.map(\.old) == changes.updates.map(\.old).sorted(), "items are out of order"
        )
        for insert in changes.inserts {
            let deleted = changes.deletes.first { $0.item == insert.item }?.position
            try check(deleted == insert.previous, "\(insert.item) came from \(String(describing: deleted))")
        }
    }

    private func item(at position: ListPosition) -> Int? {
        guard sections.indices.contains(position.section) else { return nil }
        let items = sections[position.section].items
        return items.indices.contains(position.item) ? items[position.item] : nil
    }

    private func check(_ condition: Bool, _ text: @autoclosure () -> String) throws {
        if !condition { throw Refusal(description: text()) }
    }
}
