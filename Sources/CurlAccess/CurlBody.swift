internal import CCurl
internal import Foundation

/// The bytes that a transfer sends, from memory or from a file, as libcurl asks for them.
final class CurlBody {
    private enum Source {
        case bytes([UInt8])
        case file(OpenFile)
    }

    private let source: Source
    let type: String
    /// The number of bytes in all.
    let size: Int64
    /// The number of bytes that went out.
    private(set) var offset: Int64 = 0

    /// Opens what a request sends; nil for nothing.
    ///
    /// - Throws: ``CurlError`` of the kind `file`.
    init?(_ body: CurlRequest.Body) throws(CurlError) {
        switch body {
        case .none: return nil
        case .bytes(let bytes, let type):
            source = .bytes(bytes)
            size = Int64(bytes.count)
            self.type = type
        case .file(let path, let type):
            let file = try OpenFile(reading: path)
            source = .file(file)
            size = try file.size()
            self.type = type
        }
    }

    /// Copies the next bytes; 0 at the end.
    ///
    /// - Throws: ``CurlError`` of the kind `file`, also where a file has fewer bytes than it had.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(CurlError) -> Int {
        let count = Int(min(Int64(buffer.count), size - offset))
        guard count > 0 else { return 0 }
        switch source {
        case .bytes(let bytes):
            bytes[Int(offset)..<Int(offset) + count].withUnsafeBytes { buffer.copyMemory(from: $0) }
            offset += Int64(count)
            return count
        case .file(let file):
            let found = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
            guard found > 0 else {
                throw CurlError(.file, "The file '\(file.path)' became shorter while it was sent.")
            }
            offset += Int64(found)
            return found
        }
    }

    /// Goes back, where a server sends the request to another address.
    func seek(to target: Int64) -> Bool {
        guard (0...size).contains(target) else { return false }
        if case .file(let file) = source, !file.seek(to: target) { return false }
        offset = target
        return true
    }
}
