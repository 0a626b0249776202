/// What part of a file a `Range` header asks for (RFC 9110 section 14).
enum ByteRange: Equatable {
    /// All of it: no range, several of them, or one that cannot be understood, which is as good as none.
    case whole
    case part(Range<Int64>)
    /// A range that lies beyond the end.
    case unsatisfiable

    init(_ header: String?, size: Int64) {
        guard let header, header.prefix(6).lowercased() == "bytes=" else {
            self = .whole
            return
        }
        let ends = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
            .map { $0.filter { $0 != " " && $0 != "\t" } }
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
            self = .whole
            return
        }
        switch (Self.number(ends[0]), Self.number(ends[1])) {
        case (nil, nil): self = .whole
        case (nil, let count?):
            self = count > 0 && size > 0 ? .part(max(0, size - count)..<size) : .unsatisfiable
        case (let first?, nil):
            self = first < size ? .part(first..<size) : .unsatisfiable
        case (let first?, let last?):
            guard first <= last else {
                self = .whole
                return
            }
            self = first < size ? .part(first..<min(last, size - 1) + 1) : .unsatisfiable
        }
    }

    /// A number, of which any beyond all files is as good as the largest.
    private static func number(_ digits: String) -> Int64? {
        digits.isEmpty ? nil : Int64(digits) ?? .max
    }
}
