import SectionedLists

/// The list as its definition says, built again whenever it is looked at.
struct NaiveList {
    struct Record {
        var key: Int
        var section: String?
        var arrival: Int
    }

    let isDivided: Bool
    let compare: (Int, Int) -> Int
    private(set) var records: [Int: Record] = [:]
    private var arrivals = 0

    init(isDivided: Bool, compare: @escaping (Int, Int) -> Int) {
        self.isDivided = isDivided
        self.compare = compare
    }

    /// Returns the items whose place or content the edits could have changed.
    mutating func apply(_ edits: [ListEdit<Int, Int>]) -> Touched {
        let before = records
        var touched = Touched()
        var last: [Int: ListEdit<Int, Int>] = [:]
        var order: [Int] = []
        for edit in edits {
            if last[edit.item] == nil { order.append(edit.item) }
            if case .put(_, contentChanged: true) = edit { touched.changed.insert(edit.item) }
            if case .put = edit, case .remove? = last[edit.item] { touched.changed.insert(edit.item) }
            last[edit.item] = edit
        }
        for item in order {
            switch last[item] {
            case .remove: records[item] = nil
            case .put(let entry, _):
                let old = before[item]
                if old == nil { arrivals += 1 }
                records[item] = Record(
                    key: entry.key, section: isDivided ? entry.section : nil,
                    arrival: old?.arrival ?? arrivals)
                if let old,
                    compare(old.key, entry.key) != 0 || bytes(old.section) != bytes(records[item]?.section)
                {
                    touched.replaced.insert(item)
                }
            case nil: break
            }
        }
        touched.changed = touched.changed.filter { before[$0] != nil && records[$0] != nil }
        return touched
    }

    struct Touched {
        /// In the list before and after, and said to have changed.
        var changed: Set<Int> = []
        /// In the list before and after, with another key or section.
        var replaced: Set<Int> = []
    }

    var table: TableView {
        let sorted = records.keys.sorted { one, other in
            guard let left = records[one], let right = records[other] else { return false }
            let order = compare(left.key, right.key)
            return order == 0 ? left.arrival < right.arrival : order < 0
        }
        guard isDivided else { return TableView(sections: [.init(name: nil, items: sorted)]) }
        var sections: [TableView.Section] = []
        for item in sorted {
            let name = records[item]?.section
            if let known = sections.firstIndex(where: { bytes($0.name) == bytes(name) }) {
                sections[known].items.append(item)
            } else {
                sections.append(.init(name: name, items: [item]))
            }
        }
        return TableView(sections: sections)
    }

    private func bytes(_ name: String?) -> [UInt8]? { name.map { Array($0.utf8) } }
}
