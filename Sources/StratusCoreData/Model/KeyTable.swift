import Synchronization

/// Finds the slot of a key by the address of its literal.
///
/// An accessor hands over the same literal each time it is called, so its address identifies the key, and comparing
/// an address costs a tenth of hashing a text. Entries are only ever added, each in one atomic word, so that
/// readers need no lock. A key that finds no slot is looked up by its text each time.
final class KeyTable: Sendable {
    /// Address and slot in one word: user addresses have 48 bits at most.
    private struct Entry: ~Copyable {
        let word = Atomic<UInt64>(0)
    }

    private let entries: [Box]
    private let mask: Int

    private final class Box: Sendable {
        let entry = Entry()
    }

    init(properties: Int) {
        var size = 16
        while size < properties * 4 { size *= 2 }
        entries = (0..<size).map { _ in Box() }
        mask = size - 1
    }

    /// The slot, found by address, or by text the first time.
    func slot(_ key: StaticString, byText: (String) -> Int?) -> Int? {
        guard key.hasPointerRepresentation else { return byText(key.description) }
        let address = UInt64(UInt(bitPattern: key.utf8Start))
        var index = Int(truncatingIfNeeded: address &* 0x9E37_79B9_7F4A_7C15 >> 40) & mask
        for _ in 0..<8 {
            let word = entries[index].entry.word.load(ordering: .relaxed)
            if word >> 16 == address { return Int(word & 0xFFFF) }
            if word == 0 { return add(key, address, at: index, byText) }
            index = (index + 1) & mask
        }
        return byText(key.description)
    }

    private func add(
        _ key: StaticString, _ address: UInt64, at index: Int, _ byText: (String) -> Int?
    ) -> Int? {
        guard let slot = byText(key.description) else { return nil }
        if slot <= 0xFFFF, address >> 48 == 0 {
            _ = entries[index].entry.word.compareExchange(
                expected: 0, desired: address << 16 | UInt64(slot), ordering: .relaxed)
        }
        return slot
    }
}
