/// Where a walk through rows goes on, in either direction.
///
/// An engine makes it and an engine reads it; everybody else keeps it and gives it back, with a scan of the same sort keys
/// over the same zones. Its first byte says how the others are to be read, so one that was kept for years still is.
public struct ScanCursor: Hashable, Sendable {
    /// What an engine wrote.
    public let bytes: [UInt8]

    /// Takes back what an engine wrote.
    public init(bytes: [UInt8]) { self.bytes = bytes }
}

/// A place in a sorted result, as engines see it: at the row with these key values and this number.
package struct ScanPosition: Hashable, Sendable {
    /// The values of the sort keys, in their order.
    package var keys: [StorageValue]
    /// The number of the row, which decides between equal keys.
    package var id: Int64
    /// Whether the walk goes on with the row itself, not behind it.
    package var isInclusive = false

    /// Creates the position of a row, after which a walk goes on.
    package init(keys: [StorageValue], id: Int64) {
        self.keys = keys
        self.id = id
    }

    /// The same place with the row itself.
    package var including: ScanPosition {
        var position = self
        position.isInclusive = true
        return position
    }

    /// The same place for a walk in the other direction: it meets the row where the first does not.
    package var turned: ScanPosition {
        var position = self
        position.isInclusive.toggle()
        return position
    }

    /// The number after which a walk goes on among rows with the same keys.
    ///
    /// Numbers of rows are far from the ends of what 64 bits hold in the direction in which this moves them.
    package func bound(idIsAscending: Bool) -> Int64 {
        guard isInclusive else { return id }
        return idIsAscending ? id &- 1 : id &+ 1
    }
}

extension ScanOutcome {
    /// The end of a walk that came to a place and began with a row, where there is one of each.
    package init(
        of scan: RecordScan, from start: ScanPosition?, first: ScanPosition?, next: ScanPosition?,
        plan: ScanPlan
    ) {
        // Where no row was met, the walk back begins at what this one began after.
        let back = start.map { first ?? $0.turned }
        self.init(next: next?.cursor, plan: plan, back: back?.cursor)
    }
}

// MARK: Bytes

extension ScanPosition {
    /// The forms that there are: that of before version 0.2 says nothing of inclusion, and moved the number instead.
    private enum Form {
        static let plain: UInt8 = 0
        static let flagged: UInt8 = 1
    }

    package var cursor: ScanCursor {
        var bytes = [Form.flagged, isInclusive ? 1 : 0]
        Self.append(id, to: &bytes)
        for key in keys { Self.append(key, to: &bytes) }
        return ScanCursor(bytes: bytes)
    }

    /// Reads where a scan goes on; nil from the beginning.
    ///
    /// - Throws: `StorageError` for bytes that no engine wrote for such a scan.
    package static func of(_ scan: RecordScan) throws -> ScanPosition? {
        guard let cursor = scan.after else { return nil }
        var reader = Reader(bytes: cursor.bytes)
        guard let form = reader.byte(), form <= Form.flagged,
            let flags = form == Form.flagged ? reader.byte() : 0, flags <= 1, let id = reader.int()
        else { throw StorageError.unknownCursor }
        var keys: [StorageValue] = []
        while let key = reader.value() { keys.append(key) }
        guard reader.isAtEnd, keys.count == scan.sort.count else { throw StorageError.unknownCursor }
        var position = ScanPosition(keys: keys, id: id)
        position.isInclusive = flags == 1
        return position
    }

    private static func append(_ value: Int64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private static func append(_ value: StorageValue, to bytes: inout [UInt8]) {
        switch value {
        case .null: bytes.append(0)
        case .int(let value):
            bytes.append(1)
            append(value, to: &bytes)
        case .double(let value):
            bytes.append(2)
            append(Int64(bitPattern: value.bitPattern), to: &bytes)
        case .text(let text):
            bytes.append(3)
            append(Int64(text.utf8.count), to: &bytes)
            bytes += text.utf8
        }
    }

    private struct Reader {
        let bytes: [UInt8]
        private var place = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        var isAtEnd: Bool { place == bytes.count }

        mutating func byte() -> UInt8? {
            guard place < bytes.count else { return nil }
            defer { place += 1 }
            return bytes[place]
        }

        mutating func int() -> Int64? {
            guard bytes.count - place >= 8 else { return nil }
            defer { place += 8 }
            return (0..<8).reduce(0) { $0 | Int64(bytes[place + $1]) << Int64(8 * $1) }
        }

        /// Nil at the end, and for bytes that are not a value: then the end is not reached.
        mutating func value() -> StorageValue? {
            let start = place
            guard let kind = byte() else { return nil }
            let value: StorageValue? =
                switch kind {
                case 0: .null
                case 1: int().map { .int($0) }
                case 2: int().map { .double(Double(bitPattern: UInt64(bitPattern: $0))) }
                case 3: text().map { .text($0) }
                default: nil
                }
            if value == nil { place = start }
            return value
        }

        private mutating func text() -> String? {
            guard let count = int(), count >= 0, count <= bytes.count - place else { return nil }
            defer { place += Int(count) }
            return String(decoding: bytes[place..<place + Int(count)], as: UTF8.self)
        }
    }
}
