import Foundation
import SectionedLists
import TestSupport
import Testing

/// Random edits of random lists, checked against the definition and against a table view.
@Suite struct EditLawTests {
    /// How many edits each seed makes: `STRATUS_LAW_EDITS=500000` makes a long run of it.
    static let edits = ProcessInfo.processInfo.environment["STRATUS_LAW_EDITS"].flatMap(Int.init) ?? 4_000

    @Test("Applied as a table view applies them, the changes lead to the new list", arguments: Seed.some(8))
    func tableView(_ seed: Seed) throws {
        var random = seed.random
        var done = 0
        while done < Self.edits {
            var run = LawRun(&random)
            for _ in 0..<random.int(1...60) { done += try run.step(&random) }
        }
    }

    @Test("So it is in a list of many nodes", arguments: Seed.some(2))
    func manyItems(_ seed: Seed) throws {
        var random = seed.random
        for sections in [1, 7, 900] {
            var run = LawRun(&random, items: 2_000, keys: 1_500, sections: sections)
            try run.fill(&random)
            for _ in 0..<max(4, Self.edits / 4_000) { _ = try run.step(&random) }
        }
    }

    @Test("A comparison that is not in order disturbs only the order", arguments: Seed.some(4))
    func noOrder(_ seed: Seed) throws {
        var random = seed.random
        var list = SectionedList<Int, Int>(compare: { ($0 &* 7919 ^ $1 &* 104_729) % 3 - 1 })
        var members: Set<Int> = []
        for _ in 0..<400 {
            let before = TableView(list.snapshot)
            var edits: [ListEdit<Int, Int>] = []
            for _ in 0..<random.int(1...6) {
                let item = random.int(0...60)
                if random.oneIn(3) {
                    edits.append(.remove(item))
                    members.remove(item)
                } else {
                    let entry = ListEntry(item, key: random.int(0...20), section: "\(random.int(0...3))")
                    edits.append(.put(entry, contentChanged: true))
                    members.insert(item)
                }
            }
            var table = before
            try table.apply(list.apply(edits))
            #expect(table == TableView(list.snapshot))
            #expect(table.items.sorted() == members.sorted())
            for item in members { #expect(list.position(of: item).flatMap(list.item(at:)) == item) }
        }
    }
}

/// One list, its definition, and what a table view shows of it.
struct LawRun {
    let items: Int
    let keys: Int
    let names: [String?]
    var list: SectionedList<Int, Int>
    var naive: NaiveList
    /// Whether the section follows from the key, as it does in most apps.
    let followsKey: Bool

    init(_ random: inout Random) {
        self.init(
            &random, items: random.int(1...40), keys: random.pick([1, 3, 10, 200], else: 1),
            sections: random.int(1...8))
    }

    init(_ random: inout Random, items: Int, keys: Int, sections: Int) {
        self.items = items
        self.keys = keys
        let special: [String?] = [nil, "", "\u{e9}", "e\u{301}"]
        names = (0..<sections).map { $0 < 4 && sections > 4 ? special[$0] : "section \($0)" }
        followsKey = random.oneIn(3)
        let isDivided = !random.oneIn(6)
        let compare: (Int, Int) -> Int =
            switch random.int(0...2) {
            case 0: { $0 - $1 }
            case 1: { $1 - $0 }
            default: { $0 / 2 - $1 / 2 }
            }
        list = SectionedList(isDivided: isDivided, compare: compare)
        naive = NaiveList(isDivided: isDivided, compare: compare)
    }

    private func entry(_ item: Int, _ random: inout Random) -> ListEntry<Int, Int> {
        if let old = list.entry(of: item), random.oneIn(2) {
            // Near the old place: what a user's edit mostly does.
            let key = random.oneIn(2) ? old.key : max(0, old.key + random.int(-2...2))
            return ListEntry(item, key: key, section: random.oneIn(4) ? name(key, &random) : old.section)
        }
        let key = random.int(0...keys)
        return ListEntry(item, key: key, section: name(key, &random))
    }

    private func name(_ key: Int, _ random: inout Random) -> String? {
        names[followsKey ? key * names.count / (keys * 2 + 10) : random.int(0...names.count - 1)]
    }

    /// Puts all items into the list by building it, not by edits.
    mutating func fill(_ random: inout Random) throws {
        let entries = (0..<items).map { entry($0, &random) }
        list = SectionedList(entries, isDivided: naive.isDivided, compare: naive.compare)
        // The definition must see them in the order in which equal keys stand.
        _ = naive.apply(entries.map { .put($0, contentChanged: false) })
        #expect(TableView(list.snapshot) == naive.table)
    }

    /// One batch of edits with all that must be true of it. Returns the number of edits.
    mutating func step(_ random: inout Random) throws -> Int {
        let edits = (0..<random.int(1...(random.oneIn(4) ? 20 : 4))).map { _ -> ListEdit<Int, Int> in
            let item = random.int(0...items)
            if random.oneIn(random.oneIn(4) ? 2 : 5) { return .remove(item) }
            return .put(entry(item, &random), contentChanged: random.oneIn(2))
        }
        let before = list.snapshot
        let old = TableView(before)
        let touched = naive.apply(edits)
        let changes = list.apply(edits)
        let new = naive.table
        try #require(TableView(list.snapshot) == new, "\(old) \(edits)")
        try #require(TableView(before) == old, "a snapshot changed")
        try check(changes, from: old, to: new, touched)
        let difference = list.snapshot.changes(since: before, contentChanged: touched.changed)
        try check(difference, from: old, to: new, .init(changed: touched.changed, replaced: []))
        if difference.sectionDeletes.isEmpty, changes.sectionDeletes.isEmpty {
            // The difference looks at the whole list, so no other set of moves is smaller.
            try #require(movedItems(difference) <= movedItems(changes))
        }
        try checkLookups(new, &random)
        return edits.count
    }

    private func check(
        _ changes: SectionedChanges<Int>, from old: TableView, to new: TableView, _ touched: NaiveList.Touched
    ) throws {
        var table = old
        try table.apply(changes)
        try #require(table == new, "\(old) \(changes)")
        var apple = old
        try apple.apply(changes.asDocumentedByApple, allowsCrossing: true)
        try #require(apple == new, "\(old) \(changes)")
        try #require(changes.isEmpty || old != new || !changes.updates.isEmpty || !changes.moves.isEmpty)

        let flagged = Set(changes.moves.filter(\.contentChanged).map(\.item))
        let updated = Set(changes.updates.map(\.item))
        let inserted = Set(changes.inserts.map(\.item))
        try #require(touched.changed.isSubset(of: flagged.union(updated).union(inserted)), "\(changes)")
        try #require(updated.isSubset(of: touched.changed.union(touched.replaced)), "\(changes)")
        try #require(
            updated.isDisjoint(with: inserted) && updated.isDisjoint(with: changes.moves.map(\.item)))
        if old.sections.count == 1, new.sections.count == 1, changes.sectionDeletes.isEmpty {
            let difference = try #require(changes.collectionDifference())
            try #require(old.items.applying(difference) == new.items)
            let marked = try #require(changes.collectionDifference(includingUpdates: true))
            try #require(old.items.applying(marked) == new.items)
        }
    }

    private func movedItems(_ changes: SectionedChanges<Int>) -> Int {
        changes.moves.count + changes.inserts.filter { $0.previous != nil }.count
    }

    private func checkLookups(_ new: TableView, _ random: inout Random) throws {
        let snapshot = list.snapshot
        try #require(list.count == new.items.count && snapshot.items == new.items)
        for item in (0..<8).map({ _ in random.int(0...items) }) {
            let position = list.position(of: item)
            try #require(position == snapshot.position(of: item) && (position != nil) == list.contains(item))
            guard let position else { continue }
            try #require(list.item(at: position) == item && snapshot.item(at: position) == item)
        }
        let copy = SectionedSnapshot(sections: new.sections.map { ($0.name, $0.items) })
        try #require(list.isDivided ? copy == snapshot : copy.items == snapshot.items)
    }
}
