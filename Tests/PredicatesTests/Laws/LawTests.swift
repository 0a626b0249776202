import Foundation
import Predicates
import TestSeeds
import Testing

@Suite struct LawTests {
    /// The comment of a failure names it.
    private let seed = Seed.one.value

    @Test("Printing and parsing give the same tree")
    func roundTrip() throws {
        var source = RandomTree(seed: seed)
        for run in 0..<3_000 {
            let tree = source.predicate(depth: 1 + run % 4)
            let text = tree.description
            let parsed = try? PredicateTree(parsing: text)
            #expect(parsed == tree, "seed \(seed), run \(run): \(text)")
        }
    }

    @Test("A compound follows its truth table, whatever its shape")
    func truthTable() throws {
        var random = Random(seed: seed)
        for _ in 0..<500 {
            let (tree, expected) = compound(depth: 4, &random)
            let parsed = try PredicateTree(parsing: tree.description)
            for bits in 0..<8 {
                let values = (0..<3).map { bits >> $0 & 1 == 1 }
                let object: [String: Any] = ["a": values[0], "b": values[1], "c": values[2]]
                #expect(try parsed.evaluate(on: object) == expected(values), "seed \(seed): \(tree)")
                #expect(NSPredicate(tree).evaluate(with: object) == expected(values), "seed \(seed): \(tree)")
            }
        }
    }

    private func compound(
        depth: Int, _ random: inout Random
    ) -> (PredicateTree, @Sendable ([Bool]) -> Bool) {
        let shape = depth == 0 ? 0 : Int.random(in: 0..<4, using: &random)
        switch shape {
        case 1:
            let (part, value) = compound(depth: depth - 1, &random)
            return (.not(part), { !value($0) })
        case 2, 3:
            let first = compound(depth: depth - 1, &random)
            let second = compound(depth: depth - 1, &random)
            let parts = [first.0, second.0]
            return shape == 2
                ? (.and(parts), { first.1($0) && second.1($0) })
                : (.or(parts), { first.1($0) || second.1($0) })
        default:
            let key = Int.random(in: 0..<3, using: &random)
            return (
                .compare(.keyPath([["a", "b", "c"][key]]), .equalTo, .constant(.bool(true))), { $0[key] }
            )
        }
    }

    @Test("The order of values is an order, and agrees with equality")
    func order() {
        var source = RandomTree(seed: seed)
        for _ in 0..<2_000 {
            let first = source.value(depth: 0)
            let second = source.value(depth: 0)
            #expect(first.isEqual(to: first), "seed \(seed): \(first)")
            #expect(
                first.isEqual(to: second) == second.isEqual(to: first), "seed \(seed): \(first) \(second)")
            guard let order = first.order(to: second) else { continue }
            #expect((order == .equal) == first.isEqual(to: second), "seed \(seed): \(first) \(second)")
            let back: ComparisonOrder =
                order == .ascending ? .descending : order == .descending ? .ascending : .equal
            #expect(second.order(to: first) == back, "seed \(seed): \(first) \(second)")
        }
    }

    @Test("Integers and doubles are ordered transitively around 2^53 and 2^63")
    func exactNumbers() {
        let values: [PredicateValue] = [
            .double(-0x1p63), .int(.min + 1), .int(-9_007_199_254_740_993), .double(-0x1p53), .int(0),
            .double(0.5),
            .int(1), .double(0x1p53), .int(9_007_199_254_740_993), .double(0x1p53 + 2), .int(.max),
            .double(0x1p63),
        ]
        for (i, first) in values.enumerated() {
            for (j, second) in values.enumerated() {
                let expected: ComparisonOrder = i < j ? .ascending : i > j ? .descending : .equal
                #expect(first.order(to: second) == expected, "\(first) \(second)")
            }
        }
    }
}
