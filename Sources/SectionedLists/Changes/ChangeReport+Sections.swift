extension ChangeReport {
    /// The sections that are in both states and must be deleted and inserted, because they passed one another.
    @inlinable
    func replacedSections() -> [(old: Int, new: Int)] {
        let surviving = sections.compactMap { section -> (old: Int, new: Int)? in
            guard let old = section.old, let new = section.new else { return nil }
            return (old, new)
        }
        .sorted { $0.old < $1.old }
        guard !surviving.isEmpty else { return [] }

        // The sections that were not touched keep their order. Where each touched one stands among them:
        let touchedOld = sections.compactMap(\.old).sorted()
        let touchedNew = sections.compactMap(\.new).sorted()
        let oldRank = Self.ranks(touchedOld)
        let newRank = Self.ranks(touchedNew)
        let fitting = surviving.filter { oldRank[$0.old] == newRank[$0.new] }
        let (kept, unordered) = keepingTheMost(of: fitting)
        let passing = surviving.filter { oldRank[$0.old] != newRank[$0.new] }
        let misfits = passing + unordered
        guard !passing.isEmpty else { return misfits }

        // Instead of a large section, the small ones that it passed can be replaced. Finding those takes time for
        // each section in between, which is spent only where reporting the large one would take longer.
        let ends = passing.flatMap { [oldRank[$0.old] ?? 0, newRank[$0.new] ?? 0] }
        guard let low = ends.min(), let high = ends.max(), high - low <= cost(of: misfits) else {
            return misfits
        }
        let between = zip(
            Self.indexes(ofRanks: low..<high, without: touchedOld),
            Self.indexes(ofRanks: low..<high, without: touchedNew)
        ).map { (old: $0, new: $1) }
        return keepingTheMost(of: (kept + misfits + between).sorted { $0.old < $1.old }).rest
    }

    /// Divides sections, given by old index, into those that can stay and the rest, which has as few items as can be.
    @inlinable
    func keepingTheMost(of places: [(old: Int, new: Int)]) -> (
        kept: [(old: Int, new: Int)], rest: [(old: Int, new: Int)]
    ) {
        let chosen = heaviestIncreasing(ranks: places.map(\.new)) { cost(of: [places[$0]]) }
        let marked = zip(places, chosen)
        return (marked.filter(\.1).map(\.0), marked.filter { !$0.1 }.map(\.0))
    }

    /// The number of items that replacing the sections would report.
    @inlinable
    func cost(of places: [(old: Int, new: Int)]) -> Int {
        places.reduce(0) { $0 + before[$1.old].items.count + after[$1.new].items.count }
    }

    /// For each of some ascending indexes, how many of the other indexes are below it.
    @inlinable
    static func ranks(_ indexes: [Int]) -> [Int: Int] {
        var result: [Int: Int] = [:]
        for (passed, index) in indexes.enumerated() { result[index] = index - passed }
        return result
    }

    /// The indexes with the given ranks among those that are not in an ascending list.
    @inlinable
    static func indexes(ofRanks ranks: Range<Int>, without taken: [Int]) -> [Int] {
        var result: [Int] = []
        result.reserveCapacity(ranks.count)
        var passed = 0
        for rank in ranks {
            while passed < taken.count, taken[passed] <= rank + passed { passed += 1 }
            result.append(rank + passed)
        }
        return result
    }
}
