import NIOCore
import RecordModel

/// Takes the file out of a `multipart/form-data` body (RFC 7578) while the body comes in.
///
/// The first part that has a file name, or that is called `files` or `file`, is the file; others are passed over.
/// No more is held back than could be the beginning of a boundary. A boundary counts only where its line ends behind
/// it (RFC 2046, 5.1.1): a file may hold the same bytes followed by others.
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
    /// The most blanks between a boundary and the end of its line.
    private static let paddingBytes = 256

    private let delimiter: [UInt8]
    private var state = State.skipping
    private var hasFile = false
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
    /// - Throws: `BAD_REQUEST` also where the last boundary is missing: the body was cut off then.
    func finish() throws(ServiceError) {
        guard hasFile else {
            throw ServiceError(
                .badRequest, "The multipart body has no file.", remedy: "Name the part of the file 'files'.")
        }
        guard state == .end || nextDelimiter(atEnd: true)?.isLast == true else { throw .uploadCutOff(nil) }
    }

    /// Goes on by one part of the syntax; false when more bytes are needed.
    private mutating func step(_ parts: inout [ByteBuffer]) throws(ServiceError) -> Bool {
        switch state {
        case .skipping, .file:
            let delimiter = nextDelimiter(atEnd: false)
            let certain = delimiter?.position ?? pending.readableBytes
            if let slice = pending.readSlice(length: certain), certain > 0, state == .file {
                parts.append(slice)
            }
            guard let delimiter, let length = delimiter.length else { return false }
            pending.moveReaderIndex(forwardBy: length)
            state = delimiter.isLast ? .end : .headers
            return true
        case .headers: return try readHeaders()
        case .end:
            pending.clear()
            return false
        }
    }

    private mutating func readHeaders() throws(ServiceError) -> Bool {
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
            var start = 0
            while let next = bytes[start...].firstIndex(of: 0x0D), next + wanted.count <= bytes.count {
                if bytes[next...].starts(with: wanted) { return next }
                start = next + 1
            }
            return nil
        }
    }
}

extension MultipartFile {
    /// A boundary among the pending bytes, with the line end in front of it.
    private struct Delimiter {
        /// Where it begins.
        var position: Int
        /// How long it is up to the end of its line; nil where the bytes end before that is decided.
        var length: Int?
        var isLast = false
    }

    /// What follows the bytes of a boundary.
    private enum Rest {
        case lineEnd(blanks: Int), undecided, data
    }

    /// The first boundary, or what could be the beginning of one; all before it is data.
    ///
    /// - Parameter atEnd: whether the body ends with these bytes: no line end is needed behind the last boundary.
    private func nextDelimiter(atEnd: Bool) -> Delimiter? {
        pending.withUnsafeReadableBytes { bytes in
            var start = 0
            // One byte in 256 of a picture is a line's end; the others are passed over quickly.
            while let position = bytes[start...].firstIndex(of: 0x0D) {
                start = position + 1
                let found = bytes[position...].prefix(delimiter.count)
                guard delimiter.starts(with: found) else { continue }
                var rest = bytes[position...].dropFirst(found.count)
                guard found.count == delimiter.count, rest.count >= 2 || atEnd else {
                    return Delimiter(position: position)
                }
                let isLast = rest.starts(with: [0x2D, 0x2D])
                if isLast { rest = rest.dropFirst(2) }
                switch Self.look(at: rest, atEnd: atEnd && isLast) {
                case .data: continue
                case .undecided: return Delimiter(position: position)
                case .lineEnd(let blanks):
                    return Delimiter(
                        position: position, length: delimiter.count + (isLast ? 2 : 0) + blanks,
                        isLast: isLast)
                }
            }
            return nil
        }
    }

    /// Only blanks may stand between a boundary and the end of its line.
    private static func look(at rest: Slice<UnsafeRawBufferPointer>, atEnd: Bool) -> Rest {
        let blanks = rest.prefix(paddingBytes).prefix { $0 == 0x20 || $0 == 0x09 }.count
        let lineEnd = rest.dropFirst(blanks).prefix(2)
        if lineEnd.starts(with: [0x0D, 0x0A]) || lineEnd.isEmpty && atEnd { return .lineEnd(blanks: blanks) }
        return [0x0D, 0x0A].starts(with: lineEnd) ? .undecided : .data
    }
}
