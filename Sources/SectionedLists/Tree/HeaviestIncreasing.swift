/// Which elements form the heaviest subsequence whose ranks increase.
///
/// The rest is the cheapest set of things that must be moved to turn one order into another, when each costs its
/// weight. Ranks must be distinct. The time is O(n log n).
@inlinable
func heaviestIncreasing(ranks: [Int], weight: (Int) -> Int) -> [Bool] {
    var chosen = [Bool](repeating: false, count: ranks.count)
    if ranks.count == 1 { return [true] }
    let sorted = ranks.indices.sorted { ranks[$0] < ranks[$1] }
    var place = [Int](repeating: 0, count: ranks.count)
    for (index, element) in sorted.enumerated() { place[element] = index + 1 }

    // A Fenwick tree: at each position the element in which the heaviest subsequence of its range ends.
    var best = [Int](repeating: -1, count: ranks.count + 1)
    var total = [Int](repeating: 0, count: ranks.count)
    var previous = [Int](repeating: -1, count: ranks.count)
    var end = -1
    for element in ranks.indices {
        var at = place[element] - 1
        var last = -1
        while at > 0 {
            if best[at] >= 0, last < 0 || total[best[at]] > total[last] { last = best[at] }
            at &= at - 1
        }
        previous[element] = last
        total[element] = max(1, weight(element)) + (last < 0 ? 0 : total[last])
        if end < 0 || total[element] > total[end] { end = element }
        at = place[element]
        while at <= ranks.count {
            if best[at] < 0 || total[element] > total[best[at]] { best[at] = element }
            at += at & -at
        }
    }
    while end >= 0 {
        chosen[end] = true
        end = previous[end]
    }
    return chosen
}
