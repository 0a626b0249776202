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
    public mutating func apply(_ edits: some Sequence<ListEdit<Item, Key>>) -> SectionedChanges<Item> {
        var report = ChangeReport<Item>(before: tree, after: tree)
        var work = Work()
        for edit in lastWords(edits) { plan(edit, &report.touched, &work) }
        guard !report.touched.isEmpty else { return SectionedChanges() }
        carryOut(&work)
        report = ChangeReport(before: report.before, after: tree, touched: report.touched)
        report.sections = work.sections.map { name, part in
            .init(name: name, old: part.old, new: index(of: name))
        }
        for index in report.touched.indices where report.touched[index].new != nil {
            report.touched[index].new = position(of: report.touched[index].item)
        }
        return report.changes()
    }

    /// What is to be done for a batch of edits.
    private struct Work {
        struct Part {
            var old: Int?
            var leaving: [Int] = []
            var coming: [Item] = []
        }

        /// The sections from which items are taken or to which they are added.
        var sections: [SectionName: Part] = [:]
        var records: [(item: Item, record: Record?)] = []
    }

    /// One edit for each item, in the order of their first edits.
    private func lastWords(_ edits: some Sequence<ListEdit<Item, Key>>) -> [ListEdit<Item, Key>] {
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
    private func plan(
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
            work.sections[old.section, default: .init()].leaving.append(oldPosition.item)
        }
    }

    /// Takes every section that changes out of the tree, edits it, and puts it where its first item belongs.
    private mutating func carryOut(_ work: inout Work) {
        for name in work.sections.keys { work.sections[name]?.old = index(of: name) }
        var open: [(name: SectionName, items: SizedTree<Item>, coming: [Item])] = []
        for (name, part) in work.sections.sorted(by: { ($0.value.old ?? -1) > ($1.value.old ?? -1) }) {
            var items = SizedTree<Item>()
            if let old = part.old { items = tree.remove(at: old).items }
            for index in part.leaving.sorted(by: >) { items.remove(at: index) }
            open.append((name, items, part.coming))
        }
        for (item, record) in work.records {
            var record = record
            if records[item] == nil {
                record?.arrival = nextArrival
                nextArrival += 1
            }
            records[item] = record
        }
        for index in open.indices {
            let name = open[index].name
            for item in open[index].coming {
                guard let record = records[item] else { continue }
                open[index].items.insert(item, at: insertionIndex(of: record, in: open[index].items))
            }
            firstItems[name] = open[index].items.first
        }
        for (name, items, _) in open {
            guard let first = items.first.flatMap({ records[$0] }) else {
                if !isDivided { tree.insert(ListSection(name: name, items: items), at: 0) }
                continue
            }
            tree.insert(ListSection(name: name, items: items), at: insertionIndex(of: first))
        }
    }
}
