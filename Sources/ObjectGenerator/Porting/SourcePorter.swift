/// Rewrites what Linux's compiler rejects: `@objc`, `@objcMembers` and `#keyPath`.
public struct SourcePorter {
    /// The rewritten text and what was changed.
    public struct Result: Sendable {
        /// One replaced line or run of lines.
        public struct Change: Sendable {
            /// The line, counted from 1.
            public var line: Int
            /// The lines as they were.
            public var old: [String]
            /// The lines as they are now; none where the line went away.
            public var new: [String]
        }

        /// The text after all changes.
        public var text: String
        /// The changes in order.
        public var changes: [Change]
        /// What has to be changed by hand.
        public var remarks: [GeneratorDiagnostic]
    }

    private struct Edit {
        var range: Range<Int>
        var replacement: String
    }

    /// Rewrites the text of a file. What stands in a `#if` block is left as it is.
    public static func port(_ text: String, path: String) -> Result {
        let bytes = Array(text.utf8)
        var reader = TokenReader(bytes: bytes, tokens: SourceLexer.tokens(of: bytes))
        var edits: [Edit] = []
        var remarks: [GeneratorDiagnostic] = []
        var depth = 0
        while let token = reader.current {
            if token.kind == .directive {
                let directive = reader.text(token)
                if directive.hasPrefix("#if") { depth += 1 }
                if directive.hasPrefix("#endif") { depth -= 1 }
            }
            if depth == 0, reader.isAt("@"), let edit = attributeEdit(&reader, bytes) {
                edits.append(edit)
                continue
            }
            if depth == 0, token.kind == .pound {
                let name = reader.text(token)
                if name == "#keyPath", let edit = keyPathEdit(&reader) {
                    edits.append(edit)
                    continue
                }
                if name == "#selector" {
                    remarks.append(
                        GeneratorDiagnostic(
                            .warning, at: SourceLocation(path: path, line: token.line),
                            "'#selector' has no counterpart on Linux; call a closure or the method instead"))
                }
            }
            reader.advance()
        }
        return apply(edits, to: bytes, remarks: remarks)
    }

    /// An attribute of Objective-C with the blanks behind it, or with its line where it stands alone.
    private static func attributeEdit(_ reader: inout TokenReader, _ bytes: [UInt8]) -> Edit? {
        guard let at = reader.current, let name = reader.token(after: 1), name.kind == .identifier,
            ["objc", "objcMembers", "nonobjc"].contains(reader.text(name))
        else { return nil }
        reader.advance()
        reader.advance()
        var end = name.range.upperBound
        if reader.isAt("("), reader.current?.followsBlank == false, let group = reader.skipGroup() {
            end = group.upperBound
        }
        var start = at.range.lowerBound
        while end < bytes.count, bytes[end] == 0x20 || bytes[end] == 0x09 { end += 1 }
        if at.isFirstOnLine, end >= bytes.count || bytes[end] == 0x0A {
            while start > 0, bytes[start - 1] == 0x20 || bytes[start - 1] == 0x09 { start -= 1 }
            end = min(end + 1, bytes.count)
        }
        return Edit(range: start..<end, replacement: "")
    }

    /// `#keyPath(Course.teacher.name)` is the text after the type.
    private static func keyPathEdit(_ reader: inout TokenReader) -> Edit? {
        guard let token = reader.current, let next = reader.token(after: 1), reader.isPunctuation(next, "(")
        else {
            return nil
        }
        reader.advance()
        reader.advance()
        var names: [String] = []
        while let name = reader.consumeName() {
            names.append(name)
            if !reader.consume(".") { break }
        }
        guard reader.isAt(")"), let close = reader.current else { return nil }
        // Types begin with an upper-case letter, keys with a lower-case one; alone, a name is a key.
        let keys = names.count > 1 ? Array(names.drop { $0.first?.isUppercase ?? false }) : names
        let path = keys.isEmpty ? names.suffix(1) : keys[...]
        reader.advance()
        return Edit(
            range: token.range.lowerBound..<close.range.upperBound,
            replacement: Spelling.literal(path.joined(separator: ".")))
    }

    private static func apply(_ edits: [Edit], to bytes: [UInt8], remarks: [GeneratorDiagnostic]) -> Result {
        var output: [UInt8] = []
        var changes: [Result.Change] = []
        var position = 0
        var index = 0
        while index < edits.count {
            // Edits of the same lines are one change.
            let start = lineStart(edits[index].range.lowerBound, in: bytes)
            var end = lineEnd(edits[index].range.upperBound, in: bytes)
            var last = index
            while last + 1 < edits.count, edits[last + 1].range.lowerBound < end {
                last += 1
                end = max(end, lineEnd(edits[last].range.upperBound, in: bytes))
            }
            output += bytes[position..<start]
            var rewritten: [UInt8] = []
            var inside = start
            for edit in edits[index...last] {
                rewritten += bytes[inside..<edit.range.lowerBound]
                rewritten += Array(edit.replacement.utf8)
                inside = edit.range.upperBound
            }
            rewritten += bytes[inside..<end]
            output += rewritten
            let line = bytes[..<start].reduce(1) { $1 == 0x0A ? $0 + 1 : $0 }
            changes.append(
                .init(line: line, old: lines(of: bytes[start..<end]), new: lines(of: rewritten[...])))
            position = end
            index = last + 1
        }
        output += bytes[position...]
        return Result(text: String(decoding: output, as: UTF8.self), changes: changes, remarks: remarks)
    }

    private static func lineStart(_ position: Int, in bytes: [UInt8]) -> Int {
        bytes[..<position].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    }

    /// Behind the end of the line that the position is in, or at it where it begins a line.
    private static func lineEnd(_ position: Int, in bytes: [UInt8]) -> Int {
        if position > 0, bytes[position - 1] == 0x0A { return position }
        return bytes[position...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
    }

    private static func lines(of bytes: ArraySlice<UInt8>) -> [String] {
        guard !bytes.isEmpty else { return [] }
        var parts = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        if parts.last?.isEmpty == true { parts.removeLast() }
        return parts.map(String.init)
    }
}
