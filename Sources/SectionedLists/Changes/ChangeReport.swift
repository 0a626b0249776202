/// FairQueue what is known about two states of a list into the changes that lead from one to the other.
///
/// Its time depends on what was touched, and on the items of the sections that must be deleted and inserted, not on
/// the length of the list.
@usableFromInline struct ChangeReport<Item: Hashable & Sendable> {
    /// An item that an edit touched.
    @usableFromInline struct Touched {
        @usableFromInline let item: Item
        /// Where it was, or nil when it was not in the list.
        @usableFromInline var old: ListPosition?
        /// Where it is, or nil when it is not in the list any more.
        @usableFromInline var new: ListPosition?
        /// Whether it may have another position among the others than before. The items for which this is false, and
        /// those that are not touched at all, stand in the same order before and after.
        @usableFromInline var mayMove: Bool
        @usableFromInline var isInSameSection: Bool
        /// Whether a move must say that the content changed.
        @usableFromInline var contentChanged: Bool
        /// Whether it is an update when it stays.
        @usableFromInline var isUpdateIfStaying: Bool

        @inlinable
        init(
            item: Item, old: ListPosition? = nil, new: ListPosition? = nil, mayMove: Bool = true,
            isInSameSection: Bool = false, contentChanged: Bool = false, isUpdateIfStaying: Bool = false
        ) {
            self.item = item
            self.old = old
            self.new = new
            self.mayMove = mayMove
            self.isInSameSection = isInSameSection
            self.contentChanged = contentChanged
            self.isUpdateIfStaying = isUpdateIfStaying
        }
    }

    /// A section of which an edit changed the items.
    @usableFromInline struct TouchedSection {
        @usableFromInline let name: SectionName
        @usableFromInline var old: Int?
        @usableFromInline var new: Int?

        @inlinable
        init(name: SectionName, old: Int? = nil, new: Int? = nil) {
            self.name = name
            self.old = old
            self.new = new
        }
    }

    @usableFromInline let before: SectionTree<Item>
    @usableFromInline let after: SectionTree<Item>
    @usableFromInline var touched: [Touched]
    @usableFromInline var sections: [TouchedSection]

    @inlinable
    init(
        before: SectionTree<Item>, after: SectionTree<Item>, touched: [Touched] = [],
        sections: [TouchedSection] = []
    ) {
        self.before = before
        self.after = after
        self.touched = touched
        self.sections = sections
    }

    @inlinable
    func changes() -> SectionedChanges<Item> {
        var changes = SectionedChanges<Item>()
        let replaced = replacedSections()
        for section in sections where section.new == nil {
            if let old = section.old {
                changes.sectionDeletes.append(.init(index: old, name: section.name.text))
            }
        }
        for section in sections where section.old == nil {
            if let new = section.new {
                changes.sectionInserts.append(.init(index: new, name: section.name.text))
            }
        }
        for (old, new) in replaced {
            let name = before[old].name.text
            changes.sectionDeletes.append(.init(index: old, name: name))
            changes.sectionInserts.append(.init(index: new, name: name))
        }
        changes.sectionDeletes.sort { $0.index > $1.index }
        changes.sectionInserts.sort { $0.index < $1.index }
        reportItems(in: &changes)
        changes.deletes.sort { $0.position > $1.position }
        changes.inserts.sort { $0.position < $1.position }
        changes.moves.sort { $0.new < $1.new }
        changes.updates.sort { $0.old < $1.old }
        linkInserts(in: &changes)
        return changes
    }

    @inlinable
    func reportItems(in changes: inout SectionedChanges<Item>) {
        for section in changes.sectionDeletes {
            for (index, item) in before[section.index].items.elements.enumerated() {
                changes.deletes.append(
                    .init(item: item, position: .init(section: section.index, item: index)))
            }
        }
        for section in changes.sectionInserts {
            for (index, item) in after[section.index].items.elements.enumerated() {
                changes.inserts.append(
                    .init(item: item, position: .init(section: section.index, item: index)))
            }
        }
        let gone = Set(changes.sectionDeletes.map(\.index))
        let come = Set(changes.sectionInserts.map(\.index))
        let stays = staying(gone: gone, come: come)
        for (index, item) in touched.enumerated() {
            // Positions in sections that are deleted or inserted were reported with the section.
            let old = item.old.flatMap { gone.contains($0.section) ? nil : $0 }
            let new = item.new.flatMap { come.contains($0.section) ? nil : $0 }
            switch (old, new) {
            case (let old?, let new?) where !item.mayMove || stays[index]:
                guard item.isUpdateIfStaying else { continue }
                changes.updates.append(.init(item: item.item, old: old, new: new))
            case (let old?, let new?) where old != new:
                changes.moves.append(
                    .init(item: item.item, old: old, new: new, contentChanged: item.contentChanged))
            default:
                if let old { changes.deletes.append(.init(item: item.item, position: old)) }
                if let new { changes.inserts.append(.init(item: item.item, position: new)) }
            }
        }
    }

    /// For each touched item, whether it may have moved but need not be said to have. These are the most that keep
    /// their order.
    @inlinable
    func staying(gone: Set<Int>, come: Set<Int>) -> [Bool] {
        var stays = [Bool](repeating: false, count: touched.count)
        let (oldOrder, oldRank) = ranks { $0.old }
        let (newOrder, newRank) = ranks { $0.new }
        // The sections that stay keep their order, so one subsequence for all of them is one for each.
        var place = [Int](repeating: 0, count: touched.count)
        for (position, index) in newOrder.enumerated() { place[index] = position }
        let candidates = oldOrder.filter { index in
            guard touched[index].isInSameSection, let old = touched[index].old, let new = touched[index].new
            else { return false }
            return !gone.contains(old.section) && !come.contains(new.section)
                && oldRank[index] == newRank[index]
        }
        let chosen = heaviestIncreasing(ranks: candidates.map { place[$0] }) { _ in 1 }
        for (index, isChosen) in zip(candidates, chosen) where isChosen { stays[index] = true }
        return stays
    }

    /// The touched items that may move, in the order of one of their positions, and for each touched item its rank:
    /// the number of items before it, in its section, that keep their order for certain.
    @inlinable
    func ranks(_ position: (Touched) -> ListPosition?) -> (order: [Int], rank: [Int]) {
        let placed = touched.indices
            .compactMap { index in
                touched[index].mayMove ? position(touched[index]).map { (index: index, at: $0) } : nil
            }
            .sorted { $0.at < $1.at }
        var rank = [Int](repeating: 0, count: touched.count)
        var section = -1
        var passed = 0
        for (index, at) in placed {
            if at.section != section { (section, passed) = (at.section, 0) }
            rank[index] = at.item - passed
            passed += 1
        }
        return (placed.map(\.index), rank)
    }

    /// Says of each inserted item that is deleted as well where it was.
    @inlinable
    func linkInserts(in changes: inout SectionedChanges<Item>) {
        guard !changes.deletes.isEmpty, !changes.inserts.isEmpty else { return }
        let deleted = Dictionary(changes.deletes.lazy.map { ($0.item, $0.position) }) { first, _ in first }
        let changed = Set(touched.lazy.filter(\.contentChanged).map(\.item))
        for index in changes.inserts.indices {
            guard let previous = deleted[changes.inserts[index].item] else { continue }
            changes.inserts[index].previous = previous
            changes.inserts[index].contentChanged = changed.contains(changes.inserts[index].item)
        }
    }
}
