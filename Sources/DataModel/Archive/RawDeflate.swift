internal import CZlib
internal import Foundation

/// DEFLATE without a header, as stores keep their model.
enum RawDeflate {
    /// The size above which nothing is inflated further.
    static let maximumBytes = 64 << 20

    static func inflate(_ data: Data) throws -> Data {
        var stream = z_stream()
        guard
            inflateInit2_(&stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { throw fault("zlib gives no inflater") }
        defer { inflateEnd(&stream) }
        return try run(data, limit: maximumBytes, &stream) { CZlib.inflate(&$0, Z_NO_FLUSH) }
    }

    static func deflate(_ data: Data) throws -> Data {
        var stream = z_stream()
        guard
            deflateInit2_(
                &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { throw fault("zlib gives no deflater") }
        defer { deflateEnd(&stream) }
        return try run(data, limit: .max, &stream) { CZlib.deflate(&$0, Z_FINISH) }
    }

    private static func run(
        _ data: Data, limit: Int, _ stream: inout z_stream, _ step: (inout z_stream) -> Int32
    ) throws -> Data {
        guard data.count < Int(UInt32.max) else { throw ModelDocumentError(.tooLarge("\(data.count) bytes")) }
        var input = [UInt8](data)
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        var result = Data()
        // The stream keeps the pointer between steps, so all steps run inside the scope of the pointer.
        try input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            var status = Z_OK
            repeat {
                let made = chunk.withUnsafeMutableBufferPointer { output in
                    stream.next_out = output.baseAddress
                    stream.avail_out = UInt32(output.count)
                    status = step(&stream)
                    return output.count - Int(stream.avail_out)
                }
                result.append(contentsOf: chunk[..<made])
                guard result.count <= limit else {
                    throw ModelDocumentError(.tooLarge("more than \(limit) inflated bytes"))
                }
                guard status == Z_STREAM_END || (status == Z_OK && (made > 0 || stream.avail_in > 0)) else {
                    throw fault("the compressed bytes are damaged or cut off")
                }
            } while status != Z_STREAM_END
        }
        return result
    }

    private static func fault(_ why: String) -> ModelDocumentError { ModelDocumentError(.archive(why)) }
}
