import RecordModel
import RecordStorage

/// The place of a record in the order of a query, as a text: who compares two texts byte by byte knows which record
/// comes first. So clients keep a sorted list without knowing how values are ordered.
enum LivePlace {
    /// - Parameters:
    ///   - keys: the values of the sort keys.
    ///   - sort: the sort keys.
    ///   - id: the number of the record, which decides between equal keys.
    static func text(_ keys: [StorageValue], _ sort: [SortKey], id: Int64) -> String {
        var bytes: [UInt8] = []
        for (value, key) in zip(keys, sort) { append(value, ascending: key.ascending, to: &bytes) }
        append(.int(id), ascending: sort.first?.ascending ?? true, to: &bytes)
        return bytes.hex
    }

    /// Missing values come first, then numbers, then texts; a descending key has all of its bits turned.
    private static func append(_ value: StorageValue, ascending: Bool, to bytes: inout [UInt8]) {
        var part: [UInt8] = []
        switch value {
        case .null: part = [1]
        case .int(let number):
            part = [2]
            append(UInt64(bitPattern: number) ^ 1 << 63, to: &part)
        case .double(let number):
            part = [2]
            // The bits of numbers above zero grow with them, those of the others shrink; both zeros are one.
            let bits = (number == 0 ? 0 : number).bitPattern
            append(bits >> 63 == 0 ? bits ^ 1 << 63 : ~bits, to: &part)
        case .text(let text):
            part = [3]
            for byte in text.utf8 {
                part.append(byte)
                // A text that another one begins with comes first.
                if byte == 0 { part.append(0xFF) }
            }
            part += [0, 1]
        }
        bytes += ascending ? part : part.map { ~$0 }
    }

    private static func append(_ bits: UInt64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: bits.bigEndian) { bytes += $0 }
    }
}
