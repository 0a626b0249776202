import Foundation

/// Names of fields with their quotes, as they stand in a body, one after the other in one piece of memory.
struct QuotedKeys: Sendable {
    private let bytes: [UInt8]
    private let ends: [Int]

    /// How many there are.
    var count: Int { ends.count }

    init(_ names: Set<String>) {
        var bytes: [UInt8] = []
        ends = names.map { name in
            bytes += JSONWriter.text { $0.string(name) }
            return bytes.count
        }
        self.bytes = bytes
    }

    /// Whether a name with its quotes is one of them.
    func contains(_ name: UnsafeRawBufferPointer) -> Bool {
        guard let other = name.baseAddress else { return false }
        return bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return false }
            var start = 0
            for end in ends {
                if end - start == name.count, memcmp(base + start, other, name.count) == 0 { return true }
                start = end
            }
            return false
        }
    }
}
