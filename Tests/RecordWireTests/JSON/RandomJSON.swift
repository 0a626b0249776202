import RecordWire
import TestSupport

extension Random {
    /// A JSON value of any kind, nested at most so deep.
    mutating func json(depth: Int = 4) -> JSONValue {
        switch int(0...(depth > 0 ? 7 : 5)) {
        case 0: return .null
        case 1: return .bool(oneIn(2))
        case 2: return .int(int64())
        case 3: return .double(double())
        case 4, 5: return .string(anyText())
        case 6: return .array((0..<int(0...5)).map { _ in json(depth: depth - 1) })
        default: return .object(object(depth: depth))
        }
    }

    mutating func object(depth: Int) -> JSONObject {
        JSONObject((0..<int(0...5)).map { _ in (key: anyText(), value: json(depth: depth - 1)) })
    }

    /// An integer, often one at an edge.
    mutating func int64() -> Int64 {
        switch int(0...5) {
        case 0: pick([.min, .max, 0, -1, 1 << 53, -(1 << 53) - 1], else: 0)
        case 1: Int64(bitPattern: next())
        default: Int64(int(-1000...1000))
        }
    }

    /// A finite number that is not an integer of 64 bits, so that it is read as it was written.
    mutating func double() -> Double {
        let value = Double(bitPattern: next())
        return value.isFinite ? value : 0.5
    }

    /// Text of all of Unicode, often of what JSON escapes.
    mutating func anyText() -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<int(0...12) {
            let value: UInt32 =
                switch int(0...5) {
                case 0: UInt32(int(0...0x1F))
                case 1: pick([0x22, 0x5C, 0x2F, 0x7F, 0x2028, 0x2029, 0xFFFF, 0x10FFFF, 0x301], else: 0x22)
                case 2: UInt32(int(0...0x10FFFF))
                default: UInt32(int(0x20...0x7E))
                }
            if let scalar = Unicode.Scalar(value) { scalars.append(scalar) }
        }
        return String(scalars)
    }
}
