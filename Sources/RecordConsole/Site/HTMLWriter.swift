import Foundation

/// Writes HTML piece by piece, for what has too many pieces for a template.
///
/// Marks are literals of the source (`StaticString`), so whatever comes from elsewhere can only go through
/// ``text(_:)``, which escapes it.
struct HTMLWriter {
    private(set) var bytes: [UInt8] = []

    init(reserving capacity: Int = 1_024) { bytes.reserveCapacity(capacity) }

    /// The HTML as text, for a template's `{{{…}}}`.
    var html: String { String(decoding: bytes, as: UTF8.self) }

    /// Appends marks as they are.
    mutating func mark(_ marks: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: marks.utf8Start, count: marks.utf8CodeUnitCount))
    }

    /// Appends text, in content or in a quoted attribute.
    mutating func text(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            var start = 0
            for index in utf8.indices {
                guard let entity = HTMLText.entity(utf8[index]) else { continue }
                bytes.append(contentsOf: utf8[start..<index])
                mark(entity)
                start = index + 1
            }
            bytes.append(contentsOf: utf8[start...])
        }
    }

    /// Appends a number.
    mutating func number(_ number: Int64) { bytes.append(contentsOf: String(number).utf8) }
}
