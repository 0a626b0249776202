import TestSupport
import Testing

@testable import SectionedLists

@Suite struct SizedTreeTests {
    @Test(
        "A tree is the array that the same edits make, and its copies keep what they had",
        arguments: Seed.some(6))
    func sameAsArray(_ seed: Seed) {
        var random = seed.random
        var array = Array(0..<random.pick([0, 1, 64, 65, 500, 20_000], else: 0))
        var tree = SizedTree(array)
        var kept: [(tree: SizedTree<Int>, array: [Int])] = []
        for round in 0..<3_000 {
            // First it grows, then it shrinks to nothing.
            if !array.isEmpty, random.oneIn(round < 1_200 ? 4 : 1) {
                let index = random.int(0...array.count - 1)
                #expect(tree.remove(at: index) == array.remove(at: index))
            } else {
                let index = random.int(0...array.count)
                tree.insert(round, at: index)
                array.insert(round, at: index)
            }
            if random.oneIn(200) { kept.append((tree, array)) }
            if random.oneIn(100) {
                #expect(tree.elements == array)
                for index in array.indices where random.oneIn(50) { #expect(tree[index] == array[index]) }
                #expect(tree.first == array.first)
            }
        }
        #expect(tree.elements == array)
        for pair in kept { #expect(pair.tree.elements == pair.array) }
    }

    @Test(
        "The nodes of a tree are neither too wide nor too narrow, and equally deep", arguments: Seed.some(6))
    func shape(_ seed: Seed) {
        var random = seed.random
        var tree = SizedTree(Array(0..<random.int(0...9_000)))
        for _ in 0..<4_000 {
            if tree.count > 0, random.oneIn(random.oneIn(2) ? 1 : 3) {
                tree.remove(at: random.oneIn(2) ? 0 : random.int(0...tree.count - 1))
            } else {
                tree.insert(0, at: random.oneIn(2) ? tree.count : random.int(0...tree.count))
            }
        }
        _ = depth(tree.root, isRoot: true)
    }

    private func depth(_ node: SizedTree<Int>.Node, isRoot: Bool) -> Int {
        #expect(node.width <= SizedTree<Int>.maximumWidth)
        #expect(isRoot || node.width >= SizedTree<Int>.minimumWidth)
        guard !node.isLeaf else { return 0 }
        #expect(node.count == node.children.reduce(0) { $0 + $1.count })
        #expect(node.children.count > 1 && node.elements.isEmpty)
        let depths = Set(node.children.map { depth($0, isRoot: false) })
        #expect(depths.count == 1)
        return (depths.first ?? 0) + 1
    }

    @Test("The partition point is where a sorted array has it", arguments: Seed.some(6))
    func partitionPoint(_ seed: Seed) {
        var random = seed.random
        let array = (0..<random.pick([0, 1, 50, 64, 65, 5_000], else: 0)).map { _ in random.int(0...300) }
            .sorted()
        let tree = SizedTree(array)
        for value in -1...301 {
            #expect(
                tree.partitionPoint { $0 < value } == array.firstIndex { $0 >= value } ?? array.count)
        }
    }

    @Test("No increasing subsequence is heavier than the one found", arguments: Seed.some(20))
    func heaviest(_ seed: Seed) {
        var random = seed.random
        for _ in 0..<40 {
            let ranks = Array(0..<random.int(0...9)).shuffled(using: &random)
            let weights = ranks.map { _ in random.int(1...6) }
            let chosen = heaviestIncreasing(ranks: ranks) { weights[$0] }
            let subsets = (0..<1 << ranks.count).filter { subset in
                let picked = ranks.indices.filter { subset >> $0 & 1 == 1 }.map { ranks[$0] }
                return picked == picked.sorted()
            }
            let weight = { (subset: Int) in ranks.indices.reduce(0) { $0 + (subset >> $1 & 1) * weights[$1] }
            }
            let found = chosen.indices.reduce(0) { $0 + (chosen[$1] ? 1 << $1 : 0) }
            #expect(subsets.contains(found))
            #expect(weight(found) == subsets.map(weight).max())
        }
    }
}
