internal import CLibPQ

/// The rows that one statement answered, in binary form, in the memory of libpq until this is let go.
///
/// Columns and rows count from 0. A column is read as what the statement makes it: a cast in the statement
/// (`count(*)::int8`) says what that is.
public final class PostgresRows {
    private let result: OpaquePointer
    /// How many rows there are.
    public let count: Int
    /// How many rows a change touched.
    public let changed: Int

    /// Takes a result over.
    init(_ result: OpaquePointer) {
        self.result = result
        count = Int(PQntuples(result))
        changed = Int(String(cString: PQcmdTuples(result))) ?? 0
    }

    deinit { PQclear(result) }

    /// Whether a value is NULL.
    public func isNull(_ row: Int, _ column: Int) -> Bool {
        PQgetisnull(result, Int32(row), Int32(column)) != 0
    }

    /// The bytes of a value, valid as long as the rows are; none for NULL.
    public func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
        assert(row < count && column < PQnfields(result))
        guard let start = PQgetvalue(result, Int32(row), Int32(column)) else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(
            start: start, count: Int(PQgetlength(result, Int32(row), Int32(column))))
    }

    /// A whole number of 2, 4 or 8 bytes; 0 for NULL.
    public func int(_ row: Int, _ column: Int) -> Int64 {
        let bytes = bytes(row, column)
        switch bytes.count {
        case 8: return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        case 4: return Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
        case 2: return Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
        default:
            assert(bytes.isEmpty, "column \(column) is not a whole number")
            return 0
        }
    }

    /// A whole number, or nil.
    public func optionalInt(_ row: Int, _ column: Int) -> Int64? {
        isNull(row, column) ? nil : int(row, column)
    }

    /// A number of 8 bytes; 0 for NULL.
    public func double(_ row: Int, _ column: Int) -> Double {
        let bytes = bytes(row, column)
        assert(bytes.isEmpty || bytes.count == 8, "column \(column) is not a number of 8 bytes")
        return bytes.count == 8
            ? Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))) : 0
    }

    /// True or false; false for NULL.
    public func bool(_ row: Int, _ column: Int) -> Bool { bytes(row, column).first == 1 }

    /// A text; empty for NULL.
    public func text(_ row: Int, _ column: Int) -> String {
        String(decoding: bytes(row, column), as: UTF8.self)
    }

    /// A text, or nil.
    public func optionalText(_ row: Int, _ column: Int) -> String? {
        isNull(row, column) ? nil : text(row, column)
    }

    // MARK: Arrays

    /// The elements of an array of texts; none for NULL.
    public func texts(_ row: Int, _ column: Int) -> [String] {
        elements(row, column).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The elements of an array of whole numbers of 8 bytes; none for NULL.
    public func ints(_ row: Int, _ column: Int) -> [Int64] {
        elements(row, column).map { $0.count == 8 ? Int64(bigEndian: $0.loadUnaligned(as: Int64.self)) : 0 }
    }

    /// The elements of an array of numbers of 8 bytes; none for NULL.
    public func doubles(_ row: Int, _ column: Int) -> [Double] {
        elements(row, column).map {
            $0.count == 8 ? Double(bitPattern: UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self))) : 0
        }
    }

    /// The bytes of the elements that are not NULL; ``PostgresValue/encode(into:)`` has the form.
    private func elements(_ row: Int, _ column: Int) -> [UnsafeRawBufferPointer] {
        let bytes = bytes(row, column)
        func int(at offset: Int) -> Int {
            offset + 4 <= bytes.count
                ? Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))) : 0
        }
        guard int(at: 0) == 1 else { return [] }
        var elements: [UnsafeRawBufferPointer] = []
        var offset = 20
        for _ in 0..<int(at: 12) {
            let length = int(at: offset)
            offset += 4
            guard length >= 0, offset + length <= bytes.count else { continue }
            elements.append(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length]))
            offset += length
        }
        return elements
    }
}
