package import NIOCore
package import RecordModel

/// Takes a `multipart/form-data` body (RFC 7578) apart while the body comes in.
///
/// No more is held back than could be the beginning of a boundary. A boundary counts only where its line ends after
/// it (RFC 2046, 5.1.1): a file may hold the same bytes followed by others.
package struct MultipartReader {
    /// What a part's headers say.
    package struct Part: Sendable, Equatable {
        /// The name of the form's control.
        package var name: String
        /// The name of the file; nil for a part that is not a file, empty for a file that was not chosen.
        package var fileName: String?

        /// Creates a part.
        package init(name: String, fileName: String?) {
            self.name = name
            self.fileName = fileName
        }
    }

    /// What follows in the body.
    package enum Event {
        /// A part begins.
        case part(Part)
        /// Bytes of the part.
        case bytes(ByteBuffer)
        /// The part is whole.
        case partEnd
    }

    private enum State {
        /// Before the first boundary.
        case preamble
        /// Behind a boundary, where the headers of a part are.
        case headers
        case content
        /// Behind the last boundary.
        case end
    }

    /// The longest headers of one part.
    private static let headerBytes = 16_384
    /// RFC 2046 allows no longer boundary.
    private static let boundaryBytes = 70

    let delimiter: [UInt8]
    private var state = State.preamble
    /// What is not decided yet.
    private(set) var pending = ByteBuffer()

    /// Whether the body may end here: the last boundary has come, with or without the end of its line.
    package var isWhole: Bool { state == .end || nextDelimiter(atEnd: true)?.isLast == true }

    /// Whether a content type is that of such a body.
    package static func isMultipart(_ contentType: String) -> Bool {
        contentType.prefix(19).lowercased() == "multipart/form-data"
    }

    /// Looks at a content type; nil for one that is not multipart.
    ///
    /// - Throws: `BAD_REQUEST` for a multipart body that names no boundary.
    package init?(contentType: String) throws(ServiceError) {
        guard Self.isMultipart(contentType) else { return nil }
        let boundary = Self.parameter("boundary", of: contentType) ?? ""
        guard (1...Self.boundaryBytes).contains(boundary.utf8.count) else {
            throw ServiceError(.badRequest, "The multipart body's content type names no boundary.")
        }
        delimiter = Array("\r\n--\(boundary)".utf8)
        // The first boundary may be at the very beginning, without a line before it.
        pending.writeBytes([0x0D, 0x0A])
    }

    /// Takes a piece of the body, and gives what is certain now.
    ///
    /// - Throws: `BAD_REQUEST` for headers that have no end.
    package mutating func take(_ piece: ByteBuffer) throws(ServiceError) -> [Event] {
        var piece = piece
        pending.writeBuffer(&piece)
        var events: [Event] = []
        while try step(&events) {}
        pending.discardReadBytes()
        return events
    }

    /// Goes on by one part of the syntax; false when more bytes are needed.
    private mutating func step(_ events: inout [Event]) throws(ServiceError) -> Bool {
        switch state {
        case .preamble, .content:
            let delimiter = nextDelimiter(atEnd: false)
            let certain = delimiter?.position ?? pending.readableBytes
            if let slice = pending.readSlice(length: certain), certain > 0, state == .content {
                events.append(.bytes(slice))
            }
            guard let delimiter, let length = delimiter.length else { return false }
            if state == .content { events.append(.partEnd) }
            pending.moveReaderIndex(forwardBy: length)
            state = delimiter.isLast ? .end : .headers
            return true
        case .headers: return try readHeaders(&events)
        case .end:
            pending.clear()
            return false
        }
    }

    private mutating func readHeaders(_ events: inout [Event]) throws(ServiceError) -> Bool {
        guard let end = position(of: [0x0D, 0x0A, 0x0D, 0x0A]) else {
            guard pending.readableBytes <= Self.headerBytes else {
                throw ServiceError(.badRequest, "The headers of a part of the multipart body have no end.")
            }
            return false
        }
        let headers = pending.readString(length: end) ?? ""
        pending.moveReaderIndex(forwardBy: 4)
        events.append(.part(Self.part(headers)))
        state = .content
        return true
    }

    private static func part(_ headers: String) -> Part {
        for line in headers.split(separator: "\r\n") {
            guard line.prefix(20).lowercased() == "content-disposition:" else { continue }
            return Part(
                name: parameter("name", of: String(line)) ?? "",
                fileName: parameter("filename", of: String(line))
                    ?? parameter("filename*", of: String(line)))
        }
        return Part(name: "", fileName: nil)
    }

    /// The value of a parameter after a `;`, without its quotes, in which a `;` may occur.
    private static func parameter(_ name: String, of header: String) -> String? {
        var rest = header[...].drop { $0 != ";" }
        while rest.first == ";" {
            rest = rest.dropFirst()
            let key = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest.dropFirst(key.count)
            var value = Substring()
            if rest.first == "=" {
                rest = rest.dropFirst().drop { $0 == " " }
                if rest.first == "\"" {
                    rest = rest.dropFirst()
                    value = rest.prefix { $0 != "\"" }
                } else {
                    value = rest.prefix { $0 != ";" }
                    while value.last == " " { value.removeLast() }
                }
                rest = rest.dropFirst(value.count).drop { $0 != ";" }
            }
            if key.filter({ $0 != " " && $0 != "\t" }).lowercased() == name {
                return String(value)
            }
        }
        return nil
    }

    /// Where some bytes are among the pending ones, from their beginning.
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
