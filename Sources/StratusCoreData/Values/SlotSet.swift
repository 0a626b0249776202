/// A set of slot numbers: bits in a word, and more words for the rare entity with more than 64 properties.
struct SlotSet: ExpressibleByArrayLiteral {
    private var low: UInt64 = 0
    private var high: Set<Int> = []

    init(arrayLiteral elements: Int...) { for element in elements { insert(element) } }

    init(_ slots: some Sequence<Int>) { for slot in slots { insert(slot) } }

    var isEmpty: Bool { low == 0 && high.isEmpty }

    func contains(_ slot: Int) -> Bool {
        slot < 64 ? low & (1 << UInt64(slot)) != 0 : high.contains(slot)
    }

    mutating func insert(_ slot: Int) {
        if slot < 64 { low |= 1 << UInt64(slot) } else { high.insert(slot) }
    }

    mutating func remove(_ slot: Int) {
        if slot < 64 { low &= ~(1 << UInt64(slot)) } else { high.remove(slot) }
    }

    /// The slots in ascending order.
    var slots: [Int] {
        var found: [Int] = []
        var rest = low
        while rest != 0 {
            found.append(rest.trailingZeroBitCount)
            rest &= rest - 1
        }
        return high.isEmpty ? found : found + high.sorted()
    }
}
