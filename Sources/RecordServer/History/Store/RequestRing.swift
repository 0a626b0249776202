/// Records of different lengths in a buffer of fixed size, the newest of them: older ones give way.
///
/// Adding one copies its bytes and allocates nothing once the buffer has its size.
struct RequestRing: Sendable {
    private struct Place {
        var sequence: UInt64
        var offset: Int
        var length: Int
    }

    let byteCapacity: Int
    let capacity: Int
    private var bytes: [UInt8] = []
    /// The positions of the records, a ring as well.
    private var places: [Place] = []
    private var first = 0
    /// How many records there are.
    private(set) var count = 0
    private var end = 0

    init(bytes: Int, records: Int) {
        byteCapacity = bytes
        capacity = records
    }

    /// The number of the newest record that was pushed out; 0 before the first is.
    private(set) var lastDropped: UInt64 = 0

    /// Adds a record of a length; numbers grow.
    ///
    /// - Parameter write: fills exactly the length.
    mutating func append(_ sequence: UInt64, length: Int, write: (UnsafeMutableRawBufferPointer) -> Void) {
        guard length > 0, length <= byteCapacity else { return }
        if bytes.isEmpty { reserve() }
        if end + length > byteCapacity {
            while count > 0, places[first].offset >= end { dropOldest() }
            end = 0
        }
        while count > 0, places[first].offset < end + length,
            places[first].offset + places[first].length > end
        {
            dropOldest()
        }
        if count == capacity { dropOldest() }
        if bytes.count < end + length {
            bytes.append(contentsOf: repeatElement(0, count: end + length - bytes.count))
        }
        let place = Place(sequence: sequence, offset: end, length: length)
        let range = end..<end + length
        bytes.withUnsafeMutableBytes { write(UnsafeMutableRawBufferPointer(rebasing: $0[range])) }
        let slot = (first + count) % capacity
        if slot == places.count { places.append(place) } else { places[slot] = place }
        count += 1
        end += length
    }

    /// Room for all that may come: the system gives memory only for what is used of it.
    private mutating func reserve() {
        bytes.reserveCapacity(byteCapacity)
        places.reserveCapacity(capacity)
    }

    private mutating func dropOldest() {
        lastDropped = places[first].sequence
        first = (first + 1) % capacity
        count -= 1
    }

    private func place(_ position: Int) -> Place { places[(first + position) % capacity] }

    /// The number of the record at a position; 0 is the oldest.
    func sequence(at position: Int) -> UInt64 { place(position).sequence }

    /// Lends the bytes of the record at a position.
    func withRecord<Result>(at position: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows
        -> Result
    {
        let place = place(position)
        let range = place.offset..<place.offset + place.length
        return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    /// The position of the first record whose number is not below the given one; ``count`` where all are.
    func position(notBelow sequence: UInt64) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if place(middle).sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
