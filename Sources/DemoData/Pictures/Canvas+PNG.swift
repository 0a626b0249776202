import CZlib

extension Canvas {
    /// The picture as a PNG with a palette.
    ///
    /// The same picture gives the same pixels everywhere; the bytes depend on the version of zlib.
    func png() -> [UInt8] {
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let wide = pixels.count > 0 && palette.count > 16
        let depth: UInt8 = wide ? 8 : 4
        // Size, bits of a pixel, indexed colour, the only compression and filters there are, not interlaced.
        chunk(
            "IHDR", Self.bigEndian(Self.width) + Self.bigEndian(Self.height) + [depth, 3, 0, 0, 0], to: &file)
        chunk("PLTE", palette.flatMap { [$0.red, $0.green, $0.blue] }, to: &file)
        chunk("IDAT", Self.deflated(rows(depth: depth)), to: &file)
        chunk("IEND", [], to: &file)
        return file
    }

    /// The rows, each after its filter's number: none, which is best for pictures with a palette.
    private func rows(depth: UInt8) -> [UInt8] {
        var rows: [UInt8] = []
        rows.reserveCapacity(pixels.count + Self.height)
        for row in 0..<Self.height {
            rows.append(0)
            let line = pixels[row * Self.width..<(row + 1) * Self.width]
            if depth == 8 {
                rows.append(contentsOf: line)
            } else {
                for pair in stride(from: line.startIndex, to: line.endIndex, by: 2) {
                    rows.append(pixels[pair] << 4 | pixels[pair + 1])
                }
            }
        }
        return rows
    }

    private func chunk(_ type: String, _ bytes: [UInt8], to file: inout [UInt8]) {
        let body = Array(type.utf8) + bytes
        file += Self.bigEndian(bytes.count) + body
        file += Self.bigEndian(Int(crc32(0, body, UInt32(body.count))))
    }

    private static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        var length = compressBound(UInt(bytes.count))
        var result = [UInt8](repeating: 0, count: Int(length))
        // It fails only for want of room or memory; the bound is room enough.
        compress2(&result, &length, bytes, UInt(bytes.count), 6)
        result.removeLast(result.count - Int(length))
        return result
    }

    private static func bigEndian(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).bigEndian) { Array($0) }
    }
}
