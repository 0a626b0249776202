/// Looks for a fixed text in bytes, by Horspool's method: it steps over most of them.
public struct ByteSearch: Sendable {
    private let pattern: [UInt8]
    private let steps: [Int]

    init(_ text: StaticString) {
        self.init(bytes: Array(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)))
    }

    /// Prepares the search for some bytes.
    public init(bytes: [UInt8]) {
        pattern = bytes
        var steps = [Int](repeating: max(1, pattern.count), count: 256)
        for (index, byte) in pattern.dropLast().enumerated() { steps[Int(byte)] = pattern.count - 1 - index }
        self.steps = steps
    }

    /// Whether the text is somewhere in the bytes.
    public func isFound(in bytes: UnsafeRawBufferPointer) -> Bool { firstIndex(in: bytes) != nil }

    /// Where the text begins for the first time; nil where it is not in the bytes.
    func firstIndex(in bytes: UnsafeRawBufferPointer) -> Int? {
        let last = pattern.count - 1
        guard last >= 0 else { return 0 }
        var end = last
        while end < bytes.count {
            let byte = bytes[end]
            if byte == pattern[last], pattern.indices.allSatisfy({ bytes[end - last + $0] == pattern[$0] }) {
                return end - last
            }
            end += steps[Int(byte)]
        }
        return nil
    }
}
