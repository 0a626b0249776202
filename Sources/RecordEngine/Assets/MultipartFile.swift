import NIOCore
import RecordModel

/// Takes the file out of a `multipart/form-data` body (RFC 7578) while the body comes in.
///
/// The first part that has a file name, or that is called `files` or `file`, is the file; others are passed over.
/// No more is held back than could be the beginning of a boundary.
struct MultipartFile {
    private enum State {
        /// Before the first boundary, within a part that is not wanted, or behind the file.
        case skipping
        /// Behind a boundary, where the headers of a part are.
        case headers
        case file
        /// Behind the last boundary.
        case end
    }

    /// The longest headers of one part.
    private static let headerBytes = 16_384
    /// RFC 2046 allows no longer boundary.
    private static let boundaryBytes = 70

    private let delimiter: [UInt8]
    private var state = State.skipping
    private var hasFile = false
    private var isFileWhole = false
    /// What is not decided yet.
    private var pending = ByteBuffer()

    /// Looks at a content type; nil for one that is not multipart.
    ///
    /// - Throws: `BAD_REQUEST` for a multipart body that names no boundary.
    init?(contentType: String) throws(ServiceError) {
        guard contentType.prefix(19).lowercased() == "multipart/form-data" else { return nil }
        let boundary = Self.parameter("boundary", of: contentType) ?? ""
        guard (1...Self.boundaryBytes).contains(boundary.utf8.count) else {
            throw ServiceError(.badRequest, "The multipart body's content type names no boundary.")
        }
        delimiter = Array("\r\n--\(boundary)".utf8)
        // The first boundary may stand at the very beginning, without a line before it.
        pending.writeBytes([0x0D, 0x0A])
    }

    /// Takes a piece of the body, and gives the pieces of the file that are certain now.
    ///
    /// - Throws: `BAD_REQUEST` for headers that have no end.
    mutating func take(_ piece: ByteBuffer) throws(ServiceError) -> [ByteBuffer] {
        var piece = piece
        pending.writeBuffer(&piece)
        var parts: [ByteBuffer] = []
        while try step(&parts) {}
        pending.discardReadBytes()
        return parts
    }

    /// Checks at the end of the body that there was a file, and all of it.
    ///
    /// - Throws: `BAD_REQUEST`.
    func finish() throws(ServiceError) {
        guard hasFile else {
            throw ServiceError(
                .badRequest, "The multipart body has no file.", remedy: "Name the part of the file 'files'.")
        }
        guard isFileWhole else { throw .uploadCutOff(nil) }
    }

    /// Goes on by one part of the syntax; false when more bytes are needed.
    private mutating func step(_ parts: inout [ByteBuffer]) throws(ServiceError) -> Bool {
        switch state {
        case .skipping, .file:
            guard let position = position(of: delimiter) else {
                let certain = max(0, pending.readableBytes - delimiter.count + 1)
                if let slice = pending.readSlice(length: certain), certain > 0, state == .file {
                    parts.append(slice)
                }
                return false
            }
            let slice = pending.readSlice(length: position)
            if state == .file {
                if let slice, slice.readableBytes > 0 { parts.append(slice) }
                isFileWhole = true
            }
            pending.moveReaderIndex(forwardBy: delimiter.count)
            state = .headers
            return true
        case .headers: return try readHeaders()
        case .end:
            pending.clear()
            return false
        }
    }

    private mutating func readHeaders() throws(ServiceError) -> Bool {
        guard pending.readableBytes >= 2 else { return false }
        if pending.getString(at: pending.readerIndex, length: 2) == "--" {
            state = .end
            return true
        }
        guard let end = position(of: [0x0D, 0x0A, 0x0D, 0x0A]) else {
            guard pending.readableBytes <= Self.headerBytes else {
                throw ServiceError(.badRequest, "The headers of a part of the multipart body have no end.")
            }
            return false
        }
        let headers = pending.readString(length: end) ?? ""
        pending.moveReaderIndex(forwardBy: 4)
        let isFile = !hasFile && Self.isFile(headers)
        if isFile { hasFile = true }
        state = isFile ? .file : .skipping
        return true
    }

    private static func isFile(_ headers: String) -> Bool {
        for line in headers.split(separator: "\r\n") {
            guard line.prefix(20).lowercased() == "content-disposition:" else { continue }
            let name = parameter("name", of: String(line))
            return parameter("filename", of: String(line)) != nil
                || parameter("filename*", of: String(line)) != nil
                || name == "files" || name == "file"
        }
        return false
    }

    /// The value of a parameter behind a `;`, without quotes.
    private static func parameter(_ name: String, of header: String) -> String? {
        for part in header.split(separator: ";").dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, pair[0].filter({ $0 != " " && $0 != "\t" }).lowercased() == name else {
                continue
            }
            var value = pair[1][...]
            while value.first == " " || value.first == "\"" { value.removeFirst() }
            while value.last == " " || value.last == "\"" { value.removeLast() }
            return String(value)
        }
        return nil
    }

    /// Where some bytes stand among the pending ones, from their beginning.
    private func position(of wanted: [UInt8]) -> Int? {
        pending.withUnsafeReadableBytes { bytes in
            guard bytes.count >= wanted.count, let first = wanted.first else { return nil }
            var start = 0
            while start <= bytes.count - wanted.count {
                // One byte in 256 of a picture is a line's end; the others are passed over quickly.
                guard let next = bytes[start...(bytes.count - wanted.count)].firstIndex(of: first) else {
                    return nil
                }
                if wanted.indices.allSatisfy({ bytes[next + $0] == wanted[$0] }) { return next }
                start = next + 1
            }
            return nil
        }
    }
}
