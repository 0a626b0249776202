import RecordEngine

/// The names on the way to a file, decoded and checked one by one.
struct StaticPath: Sendable, Equatable {
    /// What a folder is answered by.
    static let index = "index.html"

    /// The names below the folder; the last one is the file's.
    let names: [String]

    /// Reads what follows a site's prefix, percent-encoded; nil for what can be no file of a site.
    ///
    /// A name is refused when it begins with a dot (so no `..`, and no hidden file), when it is empty, and when a
    /// decoded `/`, `\`, NUL or another control character is in it.
    init?(_ path: Substring) {
        guard path.first == "/" else { return nil }
        var names: [String] = []
        for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let name = Self.decoded(part) else { return nil }
            names.append(name)
        }
        if names.last == "" { names[names.count - 1] = Self.index }
        guard names.allSatisfy({ !$0.isEmpty && $0.first != "." }) else { return nil }
        self.names = names
    }

    /// The name of the file.
    var fileName: String { names.last ?? "" }

    private static let refused: Set<UInt8> = [UInt8(ascii: "/"), UInt8(ascii: "\\"), 0x7F]

    private static func decoded(_ part: Substring) -> String? {
        guard let name = RequestTarget.decoded(part),
            name.utf8.allSatisfy({ $0 >= 0x20 && !refused.contains($0) })
        else { return nil }
        return name
    }
}
