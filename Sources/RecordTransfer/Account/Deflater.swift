import CZlib

/// DEFLATE (RFC 1951), a piece at a time.
final class Deflater {
    // zlib keeps the address of its state, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let isGood: Bool
    private static let chunkBytes = 65_536

    /// - Parameter compresses: false for what is small already, such as pictures, and is only put into blocks.
    init(compresses: Bool) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        isGood =
            deflateInit2_(
                stream, compresses ? Z_BEST_SPEED : Z_NO_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8,
                Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    }

    deinit {
        if isGood { deflateEnd(stream) }
        stream.deallocate()
    }

    /// Takes some bytes in, and gives what is ready of the compressed ones.
    ///
    /// - Parameter isLast: whether the stream ends with these.
    /// - Throws: ``TransferError`` where zlib has no memory.
    func deflate(_ bytes: [UInt8], isLast: Bool) throws -> [UInt8] {
        var input = bytes
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
        try input.withUnsafeMutableBufferPointer { input in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = UInt32(input.count)
            var room: UInt32 = 0
            repeat {
                let status = chunk.withUnsafeMutableBufferPointer { chunk in
                    stream.pointee.next_out = chunk.baseAddress
                    stream.pointee.avail_out = UInt32(chunk.count)
                    return isGood ? CZlib.deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH) : Z_MEM_ERROR
                }
                guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
                    throw TransferError("ARCHIVE_FAILED", "zlib could not compress (\(status)).")
                }
                room = stream.pointee.avail_out
                output += chunk.prefix(chunk.count - Int(room))
            } while room == 0
        }
        return output
    }
}
