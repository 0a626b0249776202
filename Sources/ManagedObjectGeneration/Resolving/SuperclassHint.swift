/// What the text of a file says about a class or an alias, right or not: a comment says it as well.
struct SuperclassHint: Hashable, Sendable {
    var name: String
    /// The last part of the name after the colon, or after an alias's equals sign.
    var superclass: String
}

extension SourceFile {
    /// The places where the file says `class Name: Superclass` or `typealias Name = Superclass`.
    ///
    /// A search for a word costs far less than a scan, and shows which few classes are worth one.
    var superclassHints: [SuperclassHint] { hints(after: "class", ":") + hints(after: "typealias", "=") }

    private func hints(after word: String, _ separator: Unicode.Scalar) -> [SuperclassHint] {
        let word = Array(word.utf8)
        return bytes.withUnsafeBytes { text in
            var hints: [SuperclassHint] = []
            var position = 0
            while let found = Self.position(of: word, in: text, from: position) {
                position = found + word.count
                var cursor = HintCursor(bytes: text, position: position)
                if let hint = cursor.consumeHint(separator: UInt8(ascii: separator)) { hints.append(hint) }
            }
            return hints
        }
    }
}

/// Reads what follows the word.
private struct HintCursor {
    let bytes: UnsafeRawBufferPointer
    var position: Int

    mutating func consumeHint(separator: UInt8) -> SuperclassHint? {
        guard skipBlanks(), let name = consumeName() else { return nil }
        skipBlanks()
        guard position < bytes.count, bytes[position] == separator else { return nil }
        position += 1
        skipBlanks()
        guard var superclass = consumeName() else { return nil }
        while position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            guard let member = consumeName() else { return nil }
            superclass = member
        }
        return SuperclassHint(name: name, superclass: superclass)
    }

    @discardableResult
    private mutating func skipBlanks() -> Bool {
        let start = position
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
        return position > start
    }

    private mutating func consumeName() -> String? {
        let isQuoted = position < bytes.count && bytes[position] == UInt8(ascii: "`")
        if isQuoted { position += 1 }
        let start = position
        while position < bytes.count, SourceLexer.isIdentifierByte(bytes[position]) { position += 1 }
        guard position > start else { return nil }
        let name = String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
        if isQuoted { position += 1 }
        return name
    }
}
