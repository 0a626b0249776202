import RecordWire

/// The items of an answer, which are made in any order and stand in that of the operations.
struct ItemsInOrder {
    private var writer: JSONWriter
    /// Where each item stands in what was written.
    private var places: [Range<Int>?]
    /// Where the first item begins.
    private let start: Int
    private var isInOrder = true
    private var last = -1

    /// Begins an answer whose one member is an array of so many items.
    init(of member: StaticString, count: Int) {
        writer = JSONWriter(reserving: 1_024 * count)
        writer.beginObject()
        writer.key(member)
        writer.beginArray()
        start = writer.bytes.count
        places = Array(repeating: nil, count: count)
    }

    /// How many bytes were written.
    var bytes: Int { writer.bytes.count }

    /// Writes the item of a position; one that throws leaves nothing.
    mutating func write(at position: Int, _ item: (inout JSONWriter) throws -> Void) rethrows {
        assert(places[position] == nil)
        let mark = writer.mark
        let comma = writer.bytes.count > start ? 1 : 0
        let first = writer.bytes.count + comma
        do {
            try item(&writer)
        } catch {
            writer.rewind(to: mark)
            throw error
        }
        places[position] = first..<writer.bytes.count
        isInOrder = isInOrder && position == last + 1
        last = position
    }

    /// Writes the item of a position again, in the place of what was written before.
    mutating func rewrite(at position: Int, _ item: (inout JSONWriter) throws -> Void) rethrows {
        places[position] = nil
        isInOrder = false
        try write(at: position, item)
        isInOrder = false
    }

    /// The answer, once all items are there.
    ///
    /// - Parameter more: writes the members that follow the array.
    consuming func answer(_ more: (inout JSONWriter) -> Void) -> [UInt8] {
        assert(!places.contains(nil))
        let end = writer.bytes.count
        writer.endArray()
        more(&writer)
        writer.endObject()
        guard !isInOrder else { return writer.bytes }
        let written = writer.bytes
        var answer: [UInt8] = []
        answer.reserveCapacity(written.count)
        answer += written[..<start]
        for (position, place) in places.compactMap(\.self).enumerated() {
            if position > 0 { answer.append(UInt8(ascii: ",")) }
            answer += written[place]
        }
        answer += written[end...]
        assert(answer.count <= written.count)
        return answer
    }
}
