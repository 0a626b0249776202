import Foundation

/// The page of the table `meta`, read without SQLite: one that stands in a part of the log that SQLite does not see.
enum MetaPage {
    /// The last sequence number that was given, as a page of the table has it; nil where the page says nothing of it.
    ///
    /// The table has no row ids, so its page is a leaf of an index
    /// (<https://sqlite.org/fileformat2.html#b_tree_pages>). It has few short rows and so is one page.
    static func sequence(in page: Data) -> Int64? {
        let bytes = [UInt8](page)
        guard bytes.count > 8, bytes[0] == 0x0A else { return nil }
        let count = Int(bytes[3]) << 8 | Int(bytes[4])
        for cell in 0..<count {
            let place = 8 + cell * 2
            guard place + 1 < bytes.count else { return nil }
            var reader = RecordBytes(bytes, at: Int(bytes[place]) << 8 | Int(bytes[place + 1]))
            _ = reader.varint()  // The length of the row.
            let start = reader.position
            guard let headerBytes = reader.varint(), let keyType = reader.varint(),
                let valueType = reader.varint(), keyType >= 13, keyType % 2 == 1
            else { continue }
            let keyBytes = Int(keyType - 13) / 2
            reader.position = start + Int(clamping: headerBytes)
            guard reader.text(keyBytes) == MetaKey.sequence.rawValue else { continue }
            return reader.integer(type: valueType)
        }
        return nil
    }
}

/// The bytes of a row, read with their bounds looked at.
private struct RecordBytes {
    private let bytes: [UInt8]
    var position: Int

    init(_ bytes: [UInt8], at position: Int) {
        self.bytes = bytes
        self.position = position
    }

    private mutating func next() -> UInt8? {
        guard position >= 0, position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func varint() -> Int64? {
        var value: UInt64 = 0
        for _ in 0..<8 {
            guard let byte = next() else { return nil }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { return Int64(bitPattern: value) }
        }
        guard let last = next() else { return nil }
        return Int64(bitPattern: value << 8 | UInt64(last))
    }

    mutating func text(_ count: Int) -> String? {
        guard position >= 0, count >= 0, count <= bytes.count - position else { return nil }
        defer { position += count }
        return String(decoding: bytes[position..<position + count], as: UTF8.self)
    }

    mutating func integer(type: Int64) -> Int64? {
        let widths: [Int64: Int] = [1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8]
        if type == 8 || type == 9 { return type - 8 }
        guard let width = widths[type], let first = next() else { return nil }
        var value = Int64(Int8(bitPattern: first))
        for _ in 1..<width {
            guard let byte = next() else { return nil }
            value = value << 8 | Int64(byte)
        }
        return value
    }
}
