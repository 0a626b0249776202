import NIOCore

extension MultipartReader {
    /// The most blanks between a boundary and the end of its line.
    private static let paddingBytes = 256

    /// A boundary among the pending bytes, with the line end in front of it.
    struct Delimiter {
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
    /// - Parameter atEnd: whether the body ends with these bytes: no line end is needed after the last boundary.
    func nextDelimiter(atEnd: Bool) -> Delimiter? {
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

    /// Only blanks may be between a boundary and the end of its line.
    private static func look(at rest: Slice<UnsafeRawBufferPointer>, atEnd: Bool) -> Rest {
        let blanks = rest.prefix(paddingBytes).prefix { $0 == 0x20 || $0 == 0x09 }.count
        let lineEnd = rest.dropFirst(blanks).prefix(2)
        if lineEnd.starts(with: [0x0D, 0x0A]) || lineEnd.isEmpty && atEnd { return .lineEnd(blanks: blanks) }
        return [0x0D, 0x0A].starts(with: lineEnd) ? .undecided : .data
    }
}
