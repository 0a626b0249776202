/// `#keyPath(Course.teacher.name)` is the text after the type.
extension FilePorter {
    mutating func portKeyPath(_ position: Int) {
        guard file.isAt(position + 1, "("), let close = file.partners[position + 1] else { return }
        var names: [String] = []
        var next = position + 2
        while next < close {
            guard file.isName(next) else { break }
            names.append(file.text(next))
            next = file.skipAngles(next + 1)
            if file.isAt(next, "?") || file.isAt(next, "!") { next += 1 }
            guard file.isAt(next, ".") else { break }
            next += 1
        }
        guard next == close, !names.isEmpty, let bytes = file.byteRange(position..<close + 1) else {
            return edits.remark(
                file.location(position),
                "'\(file.text(position..<close + 1))' is no path of names; write its text")
        }
        let path = keys(of: names).map { index.renamedProperties[$0] ?? $0 }.joined(separator: ".")
        // The whole of an interpolation needs none.
        if position > 1, file.isAt(position - 1, "("), file.isAt(close + 1, ")"),
            let start = interpolationStart(position - 1)
        {
            return edits.replace(start..<file.tokens[close + 1].range.upperBound, by: path)
        }
        edits.replace(bytes, by: Spelling.literal(path))
    }

    /// Types begin with an upper-case letter, or are declared here; alone, a name is a key.
    private func keys(of names: [String]) -> [String] {
        guard names.count > 1 else { return names }
        let keys = names.drop {
            $0.first?.isUppercase ?? false || index.typeNames.contains($0) || $0 == "self"
        }
        return keys.isEmpty ? [names[names.count - 1]] : Array(keys)
    }

    /// Where the backslash of an interpolation stands whose parenthesis is at an index.
    private func interpolationStart(_ parenthesis: Int) -> Int? {
        var position = file.tokens[parenthesis].range.lowerBound - 1
        while position >= 0, file.bytes[position] == UInt8(ascii: "#") { position -= 1 }
        return position >= 0 && file.bytes[position] == UInt8(ascii: "\\") ? position : nil
    }
}
