import Foundation
import Predicates
import Testing

@Suite struct NSSortDescriptorTests {
    private let rows: [[String: Any]] = [
        ["n": 2, "s": "b", "o": ["x": 1]], ["n": 1.5, "s": "B"], ["s": "a", "o": ["x": 0]],
    ]

    private func names(_ key: String?, ascending: Bool) -> [String?] {
        let descriptor = NSSortDescriptor(key: key, ascending: ascending)
        let sorted = (NSArray(array: rows)).sortedArray(using: [descriptor])
        return sorted.map { ($0 as? [String: Any])?["s"] as? String }
    }

    @Test("Sorts by a key or a path; without a value comes first")
    func sorting() {
        #expect(names("n", ascending: true) == ["a", "B", "b"])
        #expect(names("n", ascending: false) == ["b", "B", "a"])
        #expect(names("s", ascending: true) == ["B", "a", "b"])
        #expect(names("o.x", ascending: true) == ["B", "a", "b"])
        let numbers = NSArray(array: [3, 1, 2]).sortedArray(using: [
            NSSortDescriptor(key: nil, ascending: true)
        ])
        #expect(numbers as? [Int] == [1, 2, 3])
    }

    @Test("Objects that offer values by key")
    func objects() {
        let descriptor = NSSortDescriptor(key: "boss.age", ascending: false)
        let first = Person(["boss": Person(["age": 1])])
        let second = Person(["boss": Person(["age": 2])])
        #expect(descriptor.compare(first, to: second) == .orderedDescending)
        #expect(descriptor.compare(first, to: first) == .orderedSame)
        #expect(descriptor.compare(Person([:]), to: first) == .orderedDescending)
    }

    @Test("Key, direction, reverse, equality, copy")
    func properties() {
        let descriptor = NSSortDescriptor(key: "a.b", ascending: true)
        #expect(descriptor.key == "a.b" && descriptor.ascending)
        let reversed = descriptor.reversedSortDescriptor as? NSSortDescriptor
        #expect(reversed?.key == "a.b" && reversed?.ascending == false)
        #expect(descriptor == NSSortDescriptor(key: "a.b", ascending: true))
        #expect(descriptor != NSSortDescriptor(key: "a.b", ascending: false))
        #expect((descriptor.copy() as? NSSortDescriptor)?.key == "a.b")
        #expect(NSSortDescriptor(keyPath: \String.count, ascending: true).key == nil)
    }

    @Test("A comparator of one's own")
    func comparator() {
        let descriptor = NSSortDescriptor(key: "s", ascending: true) { first, second in
            let (first, second) = (first as? String ?? "", second as? String ?? "")
            return first.lowercased() < second.lowercased() ? .orderedAscending : .orderedDescending
        }
        #expect(descriptor.compare(["s": "a"], to: ["s": "B"]) == .orderedAscending)
        #expect(descriptor.compare(["s": "C"], to: ["s": "b"]) == .orderedDescending)
    }
}
