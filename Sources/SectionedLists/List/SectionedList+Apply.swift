extension SectionedList {
    /// Makes some edits at once, and says what they changed.
    ///
    /// When several edits are about one item, the last one says where it is, and its content has changed if any of
    /// them says so. Putting an item that is not in the list inserts it, putting one that is moves or updates it, and
    /// removing one that is not does nothing. An item whose key compares unequal to the one before, or whose section
    /// is another, has changed even where the edit does not say so.
    ///
    /// Takes time in proportion to the number of edits times the logarithm of the list's length, and to the number of
    /// changes that it returns.
    @discardableResult
    @inlinable
    public mutating func apply(_ edits: some Sequence<ListEdit<Item, Key>>) -> SectionedChanges<Item> {
        var report = ChangeReport<Item>(before: tree, after: tree)
        var work = Work()
        for edit in lastWords(edits) { plan(edit, &report.touched, &work) }
        guard !report.touched.isEmpty else { return SectionedChanges() }
        carryOut(&work)
        report = ChangeReport(before: report.before, after: tree, touched: report.touched)
        for name in work.sections.keys {
            let old = work.sections[name]?.old
            let new = work.movesSections ? index(of: name) : old
            work.sections[name]?.new = new
            report.sections.append(.init(name: name, old: old, new: new))
        }
        for index in report.touched.indices where report.touched[index].new != nil {
            report.touched[index].new = newPosition(of: report.touched[index], work)
        }
        return report.changes()
    }

    /// What is to be done for a batch of edits.
    @usableFromInline struct Work {
        @usableFromInline struct Part {
            @usableFromInline var old: Int?
            @usableFromInline var new: Int?
            /// The old indexes of the items to take out.
            @usableFromInline var leaving: [Int] = []
            @usableFromInline var coming: [Item] = []
            /// Where the last of them was put; no other has shifted it since.
            @usableFromInline var lastLanding = 0

            @inlinable
            init() {}
        }

        /// The sections from which items are taken or to which they are added.
        @usableFromInline var sections: [SectionName: Part] = [:]
        @usableFromInline var records: [(item: Item, record: Record?)] = []
        /// Whether any section gets another index.
        @usableFromInline var movesSections = false

        @inlinable
        init() {}
    }

    /// One edit for each item, in the order of their first edits.
    @inlinable
    func lastWords(_ edits: some Sequence<ListEdit<Item, Key>>) -> [ListEdit<Item, Key>] {
        var result: [ListEdit<Item, Key>] = []
        var places: [Item: Int] = [:]
        for edit in edits {
            guard let place = places[edit.item] else {
                places[edit.item] = result.count
                result.append(edit)
                continue
            }
            switch (result[place], edit) {
            case (.put(_, contentChanged: true), .put(let entry, _)), (.remove, .put(let entry, _)):
                result[place] = .put(entry, contentChanged: true)
            default:
                result[place] = edit
            }
        }
        return result
    }

    /// Notes what an edit does. The list is not changed yet, so every old position can still be found.
    @inlinable
    func plan(
        _ edit: ListEdit<Item, Key>, _ touched: inout [ChangeReport<Item>.Touched], _ work: inout Work
    ) {
        let item = edit.item
        let old = records[item]
        let oldPosition = position(of: item)
        var leaves = false
        switch edit {
        case .remove:
            guard oldPosition != nil else { return }
            leaves = true
            work.records.append((item, nil))
            touched.append(.init(item: item, old: oldPosition))
        case .put(let entry, let contentChanged):
            let name = sectionName(of: entry)
            let record = Record(key: entry.key, arrival: old?.arrival ?? 0, section: name)
            work.records.append((item, record))
            // Any position says that the item is in the list; the right one is known at the end.
            var note = ChangeReport<Item>.Touched(
                item: item, old: oldPosition, new: ListPosition(section: 0, item: 0))
            note.isInSameSection = old?.section == name
            note.contentChanged = contentChanged
            note.mayMove = old.map { !note.isInSameSection || compare($0.key, entry.key) != 0 } ?? true
            note.isUpdateIfStaying = contentChanged || note.mayMove
            touched.append(note)
            leaves = note.mayMove && old != nil
            if note.mayMove { work.sections[name, default: .init()].coming.append(item) }
        }
        if leaves, let old, let oldPosition {
            work.sections[old.section, default: .init()].old = oldPosition.section
            work.sections[old.section]?.leaving.append(oldPosition.item)
        }
    }

    /// Edits every section that changes, and puts it where its first item belongs.
    @inlinable
    mutating func carryOut(_ work: inout Work) {
        for (name, part) in work.sections where part.old == nil { work.sections[name]?.old = index(of: name) }
        for (item, record) in work.records {
            var record = record
            if records[item] == nil {
                record?.arrival = nextArrival
                nextArrival += 1
            }
            records[item] = record
        }
        // From the back, so that taking a section out leaves the indexes of the others as they are.
        var displaced: [ListSection<Item>] = []
        for (name, part) in work.sections.sorted(by: { ($0.value.old ?? -1) > ($1.value.old ?? -1) }) {
            var items = part.old.map { tree[$0].items } ?? SizedTree()
            for index in part.leaving.sorted(by: >) { items.remove(at: index) }
            for item in part.coming {
                guard let record = records[item] else { continue }
                let index = insertionIndex(of: record, in: items)
                items.insert(item, at: index)
                work.sections[name]?.lastLanding = index
            }
            let first = items.first
            let section = ListSection(name: name, items: items)
            let keepsFirst =
                first != nil && first == firstItems[name] && !part.coming.contains { $0 == first }
            if let old = part.old, keepsFirst || !isDivided {
                tree.replace(at: old, with: section)
            } else {
                if let old = part.old { tree.remove(at: old) }
                if first != nil { displaced.append(section) }
                work.movesSections = true
            }
            firstItems[name] = first
        }
        for section in displaced {
            guard let first = section.items.first, let record = records[first] else { continue }
            tree.insert(section, at: insertionIndex(of: record))
        }
    }

    /// Where a touched item is now. Searches only for what the edits may have changed.
    @inlinable
    func newPosition(of touched: ChangeReport<Item>.Touched, _ work: Work) -> ListPosition? {
        guard let record = records[touched.item] else { return nil }
        guard let part = work.sections[record.section] else {
            // It stayed in a section that the edits left alone.
            guard work.movesSections else { return touched.old }
            guard let old = touched.old, let section = index(of: record.section) else { return nil }
            return ListPosition(section: section, item: old.item)
        }
        guard let section = part.new else { return nil }
        if touched.item == part.coming.last { return ListPosition(section: section, item: part.lastLanding) }
        return index(of: touched.item, record, in: tree[section].items)
            .map { ListPosition(section: section, item: $0) }
    }
}
