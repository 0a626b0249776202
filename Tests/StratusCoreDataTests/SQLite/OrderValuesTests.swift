import TestSupport
import Testing

@testable import CoreDataSQLiteStore
@testable import StratusCoreData

@Suite("The numbers of ordered relationships")
struct OrderValuesTests {
    @Test func firstNumbers() {
        #expect(OrderValues.assigned([nil, nil, nil]) == [2_048, 3_072, 4_096])
        #expect(OrderValues.assigned([2_048, nil, 3_072]) == [2_048, 2_560, 3_072])
        #expect(OrderValues.assigned([nil, 2_048]) == [1_024, 2_048])
        #expect(OrderValues.assigned([5, nil, 6]) == [2_048, 3_072, 4_096])
        #expect(OrderValues.assigned([]).isEmpty)
    }

    /// Numbers always rise; an edit of one element changes one number while there is room.
    @Test(arguments: Seed.some(20)) func anyEdits(_ seed: Seed) {
        var random = seed.random
        var list: [(id: Int, number: Int64)] = []
        for step in 0..<200 {
            var edited: [(id: Int, number: Int64?)] = list.map { ($0.id, $0.number) }
            switch random.int(0...2) {
            case 0: edited.insert((step, nil), at: random.int(0...edited.count))
            case 1 where !edited.isEmpty: edited.remove(at: random.int(0...(edited.count - 1)))
            default:
                guard edited.count > 1 else { continue }
                let moved = edited.remove(at: random.int(0...(edited.count - 1)))
                edited.insert(moved, at: random.int(0...edited.count))
            }
            let numbers = OrderValues.assigned(edited.map(\.number))
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
            #expect(numbers.allSatisfy { $0 > 0 })
            let changed = zip(edited, numbers).count { $0.0.number != $0.1 }
            #expect(changed <= 1 || numbers == (0..<numbers.count).map { 2_048 + 1_024 * Int64($0) })
            list = zip(edited, numbers).map { ($0.0.id, $0.1) }
        }
    }
}
