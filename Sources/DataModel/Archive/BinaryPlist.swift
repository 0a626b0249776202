internal import Foundation

/// A binary property list with its UIDs, which Foundation on Linux does not show.
///
/// The objects are a flat table; nothing here recurses, and the sum of what they hold is bounded by the size
/// of the data, so that objects which overlap in the file cannot grow.
struct BinaryPlist: Sendable {
    /// One object; references are indexes of the table.
    enum Object: Sendable, Hashable {
        case null
        case bool(Bool)
        case int(Int64)
        /// A whole number that only an unsigned one of 64 bits holds.
        case wide(UInt64)
        case real(Double)
        case date(Double)
        case data(Data)
        case string(String)
        case uid(Int)
        case array([Int])
        case dictionary([Entry])
    }

    /// A key and its value, by index.
    struct Entry: Sendable, Hashable {
        var key: Int
        var value: Int
    }

    /// The table.
    let objects: [Object]
    /// The index of the outermost object.
    let root: Int

    init(objects: [Object], root: Int) {
        self.objects = objects
        self.root = root
    }

    init(_ data: Data) throws {
        var decoder = try BinaryPlistDecoder([UInt8](data))
        (objects, root) = try decoder.decode()
    }

    /// The string at an index.
    func string(_ index: Int) -> String? {
        if case .string(let text) = objects[index] { text } else { nil }
    }

    /// The entries of a dictionary whose keys are strings; the first of equal keys counts.
    func entries(of index: Int) -> [String: Int]? {
        guard case .dictionary(let entries) = objects[index] else { return nil }
        var result: [String: Int] = [:]
        for entry in entries {
            if let key = string(entry.key), result[key] == nil { result[key] = entry.value }
        }
        return result
    }
}

extension BinaryPlist.Object {
    /// Whether both have the same bytes in a file: zero is not minus zero, and a letter with its accent is not the two
    /// of them, which `==` of a number and of a text would join.
    static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.wide(let left), .wide(let right)): left == right
        case (.real(let left), .real(let right)), (.date(let left), .date(let right)):
            left.bitPattern == right.bitPattern
        case (.data(let left), .data(let right)): left == right
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.uid(let left), .uid(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.dictionary(let left), .dictionary(let right)): left == right
        default: false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .int(let value): hasher.combine(value)
        case .wide(let value): hasher.combine(value)
        case .real(let value), .date(let value): hasher.combine(value.bitPattern)
        case .data(let data): hasher.combine(data)
        // Equal bytes are equal texts, so the text's own hash will do.
        case .string(let text): hasher.combine(text)
        case .uid(let value): hasher.combine(value)
        case .array(let elements): hasher.combine(elements)
        case .dictionary(let entries): hasher.combine(entries)
        }
    }
}

/// Decodes the table of a binary property list.
struct BinaryPlistDecoder {
    private let bytes: [UInt8]
    private let referenceSize: Int
    private let offsets: [Int]
    private let root: Int
    private var budget: Int

    init(_ bytes: [UInt8]) throws {
        guard bytes.count >= 40, bytes.starts(with: Array("bplist0".utf8)) else {
            throw Self.fault("it is not a binary property list")
        }
        self.bytes = bytes
        let trailer = bytes.count - 32
        let offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = Self.number(bytes, trailer + 8, 8), let root = Self.number(bytes, trailer + 16, 8),
            let table = Self.number(bytes, trailer + 24, 8),
            count > 0, root < count, table >= 8, table <= trailer, count <= (trailer - table) / offsetSize
        else { throw Self.fault("the trailer does not fit the file") }
        var offsets: [Int] = []
        offsets.reserveCapacity(count)
        for index in 0..<count {
            guard let offset = Self.number(bytes, table + index * offsetSize, offsetSize), offset >= 8,
                offset < table
            else { throw Self.fault("object \(index) lies outside the file") }
            offsets.append(offset)
        }
        self.offsets = offsets
        self.root = root
        budget = bytes.count * 2 + 1024
    }

    mutating func decode() throws -> ([BinaryPlist.Object], root: Int) {
        var objects: [BinaryPlist.Object] = []
        objects.reserveCapacity(offsets.count)
        for offset in offsets { objects.append(try object(at: offset)) }
        return (objects, root)
    }

    private mutating func object(at offset: Int) throws -> BinaryPlist.Object {
        let marker = bytes[offset]
        let low = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0: return try simple(marker)
        case 0x1: return try integer(offset + 1, 1 << low)
        case 0x2: return .real(try real(offset + 1, 1 << low))
        case 0x3:
            guard low == 3 else { throw Self.fault("a date is not 8 bytes long") }
            return .date(try real(offset + 1, 8))
        case 0x4:
            let range = try content(offset, low, width: 1)
            return .data(Data(bytes[range]))
        case 0x5:
            let range = try content(offset, low, width: 1)
            return .string(String(decoding: bytes[range], as: UTF8.self))
        case 0x6: return .string(try wideString(content(offset, low, width: 2)))
        case 0x8:
            guard let value = Self.number(bytes, offset + 1, low + 1), low < 8 else {
                throw Self.fault("a UID is out of range")
            }
            return .uid(value)
        case 0xA: return .array(try references(content(offset, low, width: referenceSize)))
        case 0xD: return try dictionary(offset, low)
        // Sets among them: CoreFoundation knows their marks, but no property list has one.
        default: throw Self.fault("there is no object with the mark \(marker)")
        }
    }

    private func simple(_ marker: UInt8) throws -> BinaryPlist.Object {
        switch marker {
        case 0x00: return .null
        case 0x08: return .bool(false)
        case 0x09: return .bool(true)
        default: throw Self.fault("there is no object with the mark \(marker)")
        }
    }

    private mutating func dictionary(_ offset: Int, _ low: Int) throws -> BinaryPlist.Object {
        let range = try content(offset, low, width: referenceSize * 2)
        let all = try references(range)
        let count = all.count / 2
        return .dictionary((0..<count).map { BinaryPlist.Entry(key: all[$0], value: all[$0 + count]) })
    }

    private func references(_ range: Range<Int>) throws -> [Int] {
        try stride(from: range.lowerBound, to: range.upperBound, by: referenceSize).map { place in
            guard let index = Self.number(bytes, place, referenceSize), index < offsets.count else {
                throw Self.fault("a reference leads outside the table")
            }
            return index
        }
    }

    /// Where the elements of an object are, after its count.
    private mutating func content(_ offset: Int, _ low: Int, width: Int) throws -> Range<Int> {
        var start = offset + 1
        var count = low
        if low == 15 {
            guard start < bytes.count, bytes[start] >> 4 == 1 else { throw Self.fault("a length is missing") }
            let size = 1 << Int(bytes[start] & 0x0F)
            guard size <= 8, let long = Self.number(bytes, start + 1, size) else {
                throw Self.fault("a length is out of range")
            }
            count = long
            start += 1 + size
        }
        guard count <= (bytes.count - start) / width, start <= bytes.count else {
            throw Self.fault("an object is longer than the file")
        }
        budget -= count * width
        guard budget >= 0 else { throw Self.fault("objects overlap") }
        return start..<(start + count * width)
    }

    private func wideString(_ range: Range<Int>) -> String {
        let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        return String(decoding: units, as: UTF16.self)
    }

    private func integer(_ start: Int, _ size: Int) throws -> BinaryPlist.Object {
        guard size <= 16, start + size <= bytes.count else { throw Self.fault("an integer is out of range") }
        // Only integers of 8 bytes and more are signed; 16 bytes hold what is above Int64, its low half is kept.
        var value: UInt64 = 0
        for byte in bytes[start..<(start + size)].suffix(8) { value = value << 8 | UInt64(byte) }
        let isWide =
            size == 16 && value > UInt64(Int64.max) && bytes[start..<(start + 8)].allSatisfy { $0 == 0 }
        return isWide ? .wide(value) : .int(Int64(bitPattern: value))
    }

    private func real(_ start: Int, _ size: Int) throws -> Double {
        guard size == 4 || size == 8, start + size <= bytes.count else {
            throw Self.fault("a number is out of range")
        }
        var bits: UInt64 = 0
        for byte in bytes[start..<(start + size)] { bits = bits << 8 | UInt64(byte) }
        return size == 4 ? Double(Float(bitPattern: UInt32(bits))) : Double(bitPattern: bits)
    }

    /// An unsigned number; nil where it is out of range.
    private static func number(_ bytes: [UInt8], _ start: Int, _ size: Int) -> Int? {
        guard start >= 0, size > 0, size <= 16, start <= bytes.count - size else { return nil }
        var value: UInt64 = 0
        for byte in bytes[start..<(start + size)] {
            guard value >> 56 == 0 else { return nil }
            value = value << 8 | UInt64(byte)
        }
        return Int(exactly: value)
    }

    private static func fault(_ why: String) -> ModelDocumentError { ModelDocumentError(.archive(why)) }
}
