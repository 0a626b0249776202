internal import Foundation

extension BinaryPlist {
    /// The bytes of the list; equal tables give equal bytes.
    func encoded() -> Data {
        let referenceSize = Self.width(UInt64(objects.count))
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            Self.append(object, referenceSize, to: &bytes)
        }
        let table = bytes.count
        let offsetSize = Self.width(UInt64(table))
        for offset in offsets { Self.append(UInt64(offset), offsetSize, to: &bytes) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        for number in [objects.count, root, table] { Self.append(UInt64(number), 8, to: &bytes) }
        return Data(bytes)
    }

    private static func append(_ object: Object, _ referenceSize: Int, to bytes: inout [UInt8]) {
        switch object {
        case .null: bytes.append(0x00)
        case .bool(let value): bytes.append(value ? 0x09 : 0x08)
        case .int(let value): append(integer: value, to: &bytes)
        case .wide(let value):
            bytes.append(0x14)
            append(0, 8, to: &bytes)
            append(value, 8, to: &bytes)
        case .real(let value):
            bytes.append(0x23)
            append(value.bitPattern, 8, to: &bytes)
        case .date(let value):
            bytes.append(0x33)
            append(value.bitPattern, 8, to: &bytes)
        case .data(let data):
            append(marker: 0x40, count: data.count, to: &bytes)
            bytes += data
        case .string(let text): append(text, to: &bytes)
        case .uid(let value):
            let size = width(UInt64(value))
            bytes.append(0x80 | UInt8(size - 1))
            append(UInt64(value), size, to: &bytes)
        case .array(let elements):
            append(marker: 0xA0, count: elements.count, to: &bytes)
            for element in elements { append(UInt64(element), referenceSize, to: &bytes) }
        case .dictionary(let entries):
            append(marker: 0xD0, count: entries.count, to: &bytes)
            for entry in entries { append(UInt64(entry.key), referenceSize, to: &bytes) }
            for entry in entries { append(UInt64(entry.value), referenceSize, to: &bytes) }
        }
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        if text.utf8.allSatisfy({ $0 < 128 }) {
            append(marker: 0x50, count: text.utf8.count, to: &bytes)
            bytes += text.utf8
        } else {
            append(marker: 0x60, count: text.utf16.count, to: &bytes)
            for unit in text.utf16 { append(UInt64(unit), 2, to: &bytes) }
        }
    }

    private static func append(integer value: Int64, to bytes: inout [UInt8]) {
        // Negative numbers need all eight bytes, as only those have a sign.
        let size = width(UInt64(bitPattern: value))
        bytes.append(0x10 | UInt8(size.trailingZeroBitCount))
        append(UInt64(bitPattern: value), size, to: &bytes)
    }

    private static func append(marker: UInt8, count: Int, to bytes: inout [UInt8]) {
        if count < 15 {
            bytes.append(marker | UInt8(count))
        } else {
            bytes.append(marker | 0x0F)
            append(integer: Int64(count), to: &bytes)
        }
    }

    private static func append(_ value: UInt64, _ size: Int, to bytes: inout [UInt8]) {
        for index in (0..<size).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(index * 8)))
        }
    }

    /// The number of bytes, 1, 2, 4 or 8, that hold a value.
    private static func width(_ value: UInt64) -> Int {
        switch value {
        case 0...0xFF: 1
        case 0...0xFFFF: 2
        case 0...0xFFFF_FFFF: 4
        default: 8
        }
    }
}
