import SectionedLists
import Testing

/// A list of items with their keys and section names.
private func list(_ entries: [(item: Int, key: Int, section: String?)]) -> SectionedList<Int, Int> {
    SectionedList(entries.map { ListEntry($0.item, key: $0.key, section: $0.section) })
}

private func put(_ item: Int, _ key: Int, _ section: String?, changed: Bool = true) -> ListEdit<Int, Int> {
    .put(ListEntry(item, key: key, section: section), contentChanged: changed)
}

private func at(_ section: Int, _ item: Int) -> ListPosition { ListPosition(section: section, item: item) }

@Suite struct SectionTests {
    @Test("Sections by name stand in the order of their first items by number")
    func unrelatedOrder() {
        let chapters = list([
            (1, 10, "Zebras"), (2, 11, "Apes"), (3, 12, "Zebras"), (4, 13, "Moles"), (5, 14, "Apes"),
        ])
        #expect(chapters.sections.map(\.name) == ["Zebras", "Apes", "Moles"])
        #expect(chapters.snapshot.items == [1, 3, 2, 5, 4])
        #expect(chapters.position(of: 5) == at(1, 1))
        #expect(chapters.item(at: at(0, 1)) == 3)
    }

    @Test("Names are told apart by their bytes")
    func names() {
        let names = [nil, "", "\u{e9}", "e\u{301}", "\u{e9}"]
        let divided = list(names.enumerated().map { ($0.offset, $0.offset, $0.element) })
        #expect(divided.sections.map(\.items) == [[0], [1], [2, 4], [3]])
    }

    @Test("The last item that leaves a section takes it along; a view never sees a move out of it")
    func vanishingSection() {
        var people = list([(1, 1, "A"), (2, 2, "B"), (3, 3, "B")])
        let changes = people.apply([put(1, 4, "B")])
        #expect(changes.sectionDeletes == [.init(index: 0, name: "A")])
        #expect(changes.deletes == [.init(item: 1, position: at(0, 0))])
        #expect(
            changes.inserts
                == [.init(item: 1, position: at(0, 2), previous: at(0, 0), contentChanged: true)])
        #expect(changes.moves.isEmpty && changes.updates.isEmpty && changes.sectionInserts.isEmpty)
        let apple = changes.asDocumentedByApple
        #expect(apple.deletes.isEmpty && apple.inserts.isEmpty)
        #expect(apple.moves == [.init(item: 1, old: at(0, 0), new: at(0, 2), contentChanged: true)])
        #expect(apple.sectionDeletes == changes.sectionDeletes)
    }

    @Test("Between sections that stay, another section is a move")
    func movingToAnotherSection() {
        var people = list([(1, 1, "A"), (2, 2, "A"), (3, 3, "B")])
        let changes = people.apply([put(2, 2, "B", changed: false)])
        #expect(changes.moves == [.init(item: 2, old: at(0, 1), new: at(1, 0), contentChanged: false)])
        #expect(changes.deletes.isEmpty && changes.inserts.isEmpty && changes.sectionInserts.isEmpty)
    }

    @Test("When a section falls behind another, the smaller of the two is deleted and inserted")
    func passingSections() {
        var people = list((0..<100).map { ($0, $0, "large") } + [(100, 100, "small")])
        // The large section's first item is touched; the small section is not.
        let edits = (0..<99).map { put($0, 200 + $0, "large") } + [put(99, 500, "large")]
        let changes = people.apply(edits)
        #expect(people.sections.map(\.name) == ["small", "large"])
        #expect(changes.sectionDeletes == [.init(index: 1, name: "small")])
        #expect(changes.sectionInserts == [.init(index: 0, name: "small")])
        #expect(changes.deletes == [.init(item: 100, position: at(1, 0))])
        #expect(changes.inserts == [.init(item: 100, position: at(0, 0), previous: at(1, 0))])
        #expect(changes.moves.isEmpty && changes.updates.count == 100)
    }

    @Test("A list without sections has one, even when it is empty")
    func undivided() {
        var words = SectionedList<String, Int>(isDivided: false)
        #expect(words.sectionCount == 1 && words.isEmpty)
        let inserted = words.apply([.put(.init("a", key: 1, section: "ignored"), contentChanged: false)])
        #expect(inserted.sectionInserts.isEmpty && inserted.inserts.map(\.position) == [at(0, 0)])
        let removed = words.apply([.remove("a")])
        #expect(removed.sectionDeletes.isEmpty && removed.deletes.count == 1 && words.sectionCount == 1)
    }
}

@Suite struct ItemTests {
    @Test("An item that others shift is not reported, and one that stays among them has not moved")
    func shifted() {
        var items = list([(1, 10, nil), (2, 20, nil), (3, 30, nil)])
        let changes = items.apply([put(0, 5, nil), put(2, 25, nil)])
        #expect(changes.inserts == [.init(item: 0, position: at(0, 0))])
        #expect(changes.updates == [.init(item: 2, old: at(0, 1), new: at(0, 2))])
        #expect(changes.moves.isEmpty && changes.deletes.isEmpty)
    }

    @Test("A move to the same index is a delete and an insert")
    func sameIndex() {
        // 2 passes 3, but so much happens around it that its index is the same.
        var items = list([(1, 10, nil), (2, 20, nil), (3, 30, nil)])
        let changes = items.apply([.remove(1), put(2, 40, nil), put(4, 50, nil)])
        #expect(items.snapshot.items == [3, 2, 4])
        #expect(changes.moves.isEmpty && changes.updates.isEmpty)
        #expect(changes.deletes.map(\.position) == [at(0, 1), at(0, 0)])
        #expect(changes.inserts.map(\.item) == [2, 4])
        #expect(changes.inserts.first?.previous == at(0, 1))
        #expect(changes.asDocumentedByApple.moves.isEmpty)
    }

    @Test("Of items that change places, the fewest move")
    func fewestMoves() {
        var items = list((0..<6).map { ($0, $0 * 10, nil) })
        // All keys change; only 0 passes the others.
        let changes = items.apply(
            [put(0, 99, nil)] + (1..<6).map { put($0, $0 * 10 + 1, nil, changed: false) })
        #expect(changes.moves == [.init(item: 0, old: at(0, 0), new: at(0, 5), contentChanged: true)])
        #expect(changes.updates.map(\.item) == [1, 2, 3, 4, 5])
    }

    @Test("What edits say of one item is taken together")
    func severalEdits() {
        var items = list([(1, 10, nil), (2, 20, nil)])
        #expect(items.apply([.remove(7), put(7, 1, nil), .remove(7)]).isEmpty)
        #expect(items.apply([put(1, 10, nil, changed: false)]).isEmpty)
        let again = items.apply([.remove(1), put(1, 10, nil, changed: false)])
        #expect(again.updates == [.init(item: 1, old: at(0, 0), new: at(0, 0))] && again.deletes.isEmpty)
        let last = items.apply([put(1, 30, nil), put(1, 15, nil, changed: false)])
        #expect(last.updates.map(\.item) == [1] && last.moves.isEmpty)
        #expect(items.entry(of: 1)?.key == 15)
    }

    @Test("Of equal keys the item that came first is first, and building keeps the first of equal items")
    func ties() {
        var items = list([(3, 1, nil), (1, 1, nil), (3, 0, nil), (2, 0, nil)])
        #expect(items.snapshot.items == [2, 3, 1])
        items.apply([put(0, 1, nil), put(2, 1, nil)])
        #expect(items.snapshot.items == [3, 1, 2, 0])
    }

    @Test("Nothing is where nothing is")
    func outside() {
        let items = list([(1, 1, "a")])
        for position in [at(0, 1), at(1, 0), at(-1, 0), at(0, -1)] {
            #expect(items.item(at: position) == nil && items.snapshot.item(at: position) == nil)
        }
        #expect(items.section(at: 1) == nil && items.section(at: -1) == nil)
        #expect(items.section(at: 0)?.item(at: 1) == nil)
        #expect(items.position(of: 2) == nil && items.snapshot.position(of: 2) == nil)
    }

    @Test("A difference without sections says everything that a view without sections needs")
    func collectionDifference() throws {
        var items = SectionedList((0..<5).map { ListEntry($0, key: $0 * 10) }, isDivided: false)
        let changes = items.apply([put(0, 35, nil), put(2, 21, nil), .remove(4), put(9, 1, nil)])
        let difference = try #require(changes.collectionDifference())
        #expect([0, 1, 2, 3, 4].applying(difference) == [9, 1, 2, 3, 0])
        #expect(difference.removals.count == 2 && difference.insertions.count == 2)
        let marked = try #require(changes.collectionDifference(includingUpdates: true))
        #expect(marked.removals.count == 3)
        let divided = list([(1, 1, "a"), (2, 2, "b")])
        #expect(divided.snapshot.changes(since: .init()).collectionDifference() == nil)
    }
}

@Suite struct CostTests {
    /// A counter that a comparison can add to.
    private final class Counter { var count = 0 }

    @Test("An edit of one item compares few keys, however long the list is", arguments: [1, 500, 100_000])
    func comparisons(sections: Int) {
        let counter = Counter()
        let count = 100_000
        let entries = (0..<count).map { ListEntry($0, key: $0, section: "\($0 * sections / count)") }
        var list = SectionedList(entries) { one, other in
            counter.count += 1
            return one - other
        }
        #expect(counter.count < count)
        counter.count = 0
        for item in [0, 1, 50_000, 77_777, 99_999] {
            list.apply([put(item, item, "\(item * sections / count)")])
            list.apply([put(item, 60_000, "\(item * sections / count)")])
            list.apply([put(item, 60_000, "\(3 * sections / count)")])
            list.apply([.remove(item)])
            list.apply([put(item, item, "\(item * sections / count)")])
        }
        // 25 edits, each of at most six searches of 17 steps and some.
        #expect(counter.count < 25 * 6 * 20, "\(counter.count)")
    }
}
