import CZlib
import Foundation
import Testing

/// Reads an archive as programs do that look at its directory first.
struct ZipReader {
    private(set) var files: [String: [UInt8]] = [:]

    init(_ bytes: [UInt8]) throws {
        func number(_ place: Int, _ count: Int) -> Int {
            (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
        }
        let end = bytes.count - 22
        try #require(end >= 0 && number(end, 4) == 0x0605_4B50)
        var place = number(end + 16, 4)
        for _ in 0..<number(end + 10, 2) {
            try #require(number(place, 4) == 0x0201_4B50)
            let (nameLength, extraLength) = (number(place + 28, 2), number(place + 30, 2))
            let name = String(decoding: bytes[(place + 46)..<(place + 46 + nameLength)], as: UTF8.self)
            var (packed, size) = (number(place + 20, 4), number(place + 24, 4))
            if size == Int(UInt32.max) {
                let extra = place + 46 + nameLength
                try #require(number(extra, 2) == 1 && number(extra + 2, 2) == extraLength - 4)
                size = number(extra + 4, 8)
                packed = number(extra + 12, 8)
            }
            let header = number(place + 42, 4)
            try #require(number(header, 4) == 0x0403_4B50)
            let start = header + 30 + number(header + 26, 2) + number(header + 28, 2)
            let content = try Self.inflate(Array(bytes[start..<(start + packed)]), size)
            try #require(crc32(0, content, UInt32(content.count)) == UInt(number(place + 16, 4)))
            // The data descriptor says the same as the directory.
            try #require(number(start + packed, 4) == 0x0807_4B50)
            try #require(number(start + packed + 4, 4) == number(place + 16, 4))
            try #require(files.updateValue(content, forKey: name) == nil, "\(name) is there twice")
            place += 46 + nameLength + extraLength
        }
    }

    private static func inflate(_ bytes: [UInt8], _ size: Int) throws -> [UInt8] {
        var stream = z_stream()
        try #require(
            inflateInit2_(&stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK)
        defer { inflateEnd(&stream) }
        var input = bytes
        // One byte more, so that a longer content is seen.
        var output = [UInt8](repeating: 0, count: size + 1)
        let status = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                return CZlib.inflate(&stream, Z_FINISH)
            }
        }
        try #require(status == Z_STREAM_END && stream.avail_in == 0)
        try #require(Int(stream.avail_out) == 1)
        return Array(output.dropLast())
    }

    /// The lines of a file.
    func lines(_ name: String) throws -> [String] {
        String(decoding: try #require(files[name]), as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
