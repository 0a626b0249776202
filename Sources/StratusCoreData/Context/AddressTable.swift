/// Addresses by row key: a hash table with open slots, since looking up an object is what a fetch does most.
struct AddressTable: ~Copyable {
    private var keys: UnsafeMutablePointer<Int64>
    private var values: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private var mask: Int
    private(set) var count = 0

    init() {
        mask = 15
        keys = .allocate(capacity: 16)
        values = .allocate(capacity: 16)
        values.initialize(repeating: nil, count: 16)
    }

    deinit {
        keys.deallocate()
        values.deallocate()
    }

    private func place(_ key: Int64) -> Int {
        // The high bits of the product depend on all bits of the key.
        Int(truncatingIfNeeded: (UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
    }

    subscript(key: Int64) -> UnsafeMutableRawPointer? {
        var index = place(key)
        while let value = values[index] {
            if keys[index] == key { return value }
            index = (index + 1) & mask
        }
        return nil
    }

    mutating func set(_ value: UnsafeMutableRawPointer, _ key: Int64) {
        if (count + 1) * 4 > (mask + 1) * 3 { grow(to: (mask + 1) * 2) }
        var index = place(key)
        while values[index] != nil, keys[index] != key { index = (index + 1) & mask }
        if values[index] == nil { count += 1 }
        keys[index] = key
        values[index] = value
    }

    mutating func remove(_ key: Int64) {
        var hole = place(key)
        while values[hole] != nil, keys[hole] != key { hole = (hole + 1) & mask }
        guard values[hole] != nil else { return }
        count -= 1
        // What was pushed on by the removed entry moves back, so that no search ends early.
        var index = hole
        while true {
            index = (index + 1) & mask
            guard let value = values[index] else { break }
            let home = place(keys[index])
            if ((index - home) & mask) >= ((index - hole) & mask) {
                keys[hole] = keys[index]
                values[hole] = value
                hole = index
            }
        }
        values[hole] = nil
    }

    private mutating func grow(to size: Int) {
        let (oldKeys, oldValues, oldSize) = (keys, values, mask + 1)
        keys = .allocate(capacity: size)
        values = .allocate(capacity: size)
        values.initialize(repeating: nil, count: size)
        mask = size - 1
        for index in 0..<oldSize {
            guard let value = oldValues[index] else { continue }
            var free = place(oldKeys[index])
            while values[free] != nil { free = (free + 1) & mask }
            keys[free] = oldKeys[index]
            values[free] = value
        }
        oldKeys.deallocate()
        oldValues.deallocate()
    }

    /// All addresses, in no order.
    var addresses: [UnsafeMutableRawPointer] { (0...mask).compactMap { values[$0] } }
}
