import Foundation

extension Substring {
    /// The parts between a byte of ASCII, empty ones as well; the last of `most` has all that is left.
    ///
    /// By bytes, and as strings of their own: the standard library's `split` asks a closure at each byte of a string, and a
    /// slice of a string looks for the borders of characters, which took a tenth of a small read.
    func parts(at separator: UInt8, most: Int = .max) -> [String] {
        assert(separator < 0x80 && most > 0, "a part begins and ends with a character")
        let parts = utf8.withContiguousStorageIfAvailable { bytes in
            var parts: [String] = []
            var start = 0
            while parts.count < most - 1, start < bytes.count, let base = bytes.baseAddress,
                let found = memchr(base + start, Int32(separator), bytes.count - start)
            {
                let end = UnsafeRawPointer(found) - UnsafeRawPointer(base)
                parts.append(Self.text(bytes, start..<end))
                start = end + 1
            }
            parts.append(Self.text(bytes, start..<bytes.count))
            return parts
        }
        // Text that is not stored as UTF-8 comes from nowhere on Linux.
        return parts
            ?? utf8.split(separator: separator, maxSplits: most - 1, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
    }

    private static func text(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }
}
