/// A number of bytes as people write it: `100000`, `500MB`, `2GB`; units are powers of a thousand, with an `i` of 1,024.
struct ByteCount: Sendable, Equatable {
    /// The bytes, at least one.
    var bytes: Int64

    private static let units: [(name: String, bytes: Int64)] = [
        ("KIB", 1 << 10), ("MIB", 1 << 20), ("GIB", 1 << 30), ("TIB", 1 << 40), ("KB", 1_000),
        ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000), ("B", 1),
    ]

    /// Reads a size; nil for a text that is none.
    init?(_ text: String) {
        let upper = text.uppercased()
        let unit = Self.units.first { upper.hasSuffix($0.name) }
        let digits = upper.dropLast(unit?.name.count ?? 0).trimmingSuffix(of: " ")
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int64(digits),
            case let (bytes, overflows) = number.multipliedReportingOverflow(by: unit?.bytes ?? 1),
            !overflows, bytes > 0
        else { return nil }
        self.bytes = bytes
    }
}

extension Substring {
    fileprivate func trimmingSuffix(of character: Character) -> Substring {
        var text = self
        while text.last == character { text.removeLast() }
        return text
    }
}
