/// A file that is ported: its tokens, with those inside of strings' interpolations.
struct PortedFile {
    let path: String
    let bytes: [UInt8]
    let tokens: [SourceToken]
    /// The index of the bracket that belongs to the one at an index.
    let partners: [Int: Int]
    /// Whether Linux's compiler never sees the token.
    let excluded: [Bool]

    init(path: String, text: String) {
        self.path = path
        bytes = Array(text.utf8)
        tokens = SourceLexer.tokensWithInterpolations(of: bytes)
        var partners: [Int: Int] = [:]
        var open: [Int] = []
        var excluded: [Bool] = []
        var conditions = ConditionStack()
        for (index, token) in tokens.enumerated() {
            if token.kind == .directive {
                conditions.apply(directive: String(decoding: bytes[token.range], as: UTF8.self))
            }
            excluded.append(conditions.isExcludedOnLinux)
            guard token.kind == .punctuation, !token.range.isEmpty else { continue }
            switch bytes[token.range.lowerBound] {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): open.append(index)
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
                guard let start = open.popLast() else { continue }
                partners[start] = index
                partners[index] = start
            default: break
            }
        }
        self.partners = partners
        self.excluded = excluded
    }

    func text(_ index: Int) -> String {
        guard tokens.indices.contains(index) else { return "" }
        let text = String(decoding: bytes[tokens[index].range], as: UTF8.self)
        return tokens[index].kind == .quotedIdentifier ? String(text.dropFirst().dropLast()) : text
    }

    /// The source of some tokens, from the first's start to the last's end.
    func text(_ range: Range<Int>) -> String {
        guard let bytesRange = byteRange(range) else { return "" }
        return String(decoding: bytes[bytesRange], as: UTF8.self)
    }

    func byteRange(_ range: Range<Int>) -> Range<Int>? {
        guard !range.isEmpty, tokens.indices.contains(range.lowerBound), range.upperBound <= tokens.count,
            tokens[range.lowerBound].range.lowerBound <= tokens[range.upperBound - 1].range.upperBound
        else { return nil }
        return tokens[range.lowerBound].range.lowerBound..<tokens[range.upperBound - 1].range.upperBound
    }

    /// Whether a token is that character, word or `#name`.
    func isAt(_ index: Int, _ text: String) -> Bool {
        guard tokens.indices.contains(index) else { return false }
        switch tokens[index].kind {
        case .punctuation, .identifier, .pound: return bytes[tokens[index].range].elementsEqual(text.utf8)
        case .quotedIdentifier, .literal, .directive: return false
        }
    }

    func isName(_ index: Int) -> Bool {
        guard tokens.indices.contains(index) else { return false }
        return tokens[index].kind == .identifier || tokens[index].kind == .quotedIdentifier
    }

    func location(_ index: Int) -> SourceLocation {
        SourceLocation(path: path, line: tokens.indices.contains(index) ? tokens[index].line : 1)
    }

    /// The index after the generic arguments that may begin here.
    func skipAngles(_ index: Int) -> Int {
        guard isAt(index, "<") else { return index }
        var depth = 0
        var next = index
        while next < tokens.count {
            if isAt(next, "<") { depth += 1 }
            if isAt(next, ">"), !isAt(next - 1, "-") { depth -= 1 }
            if isAt(next, "{") || isAt(next, ";") { return index }
            next += 1
            if depth == 0 { return next }
        }
        return index
    }

    /// The innermost parenthesis around a token.
    func openParenthesis(around index: Int) -> Int? {
        var position = index - 1
        while position >= 0 {
            if isAt(position, "(") { return position }
            if isAt(position, "{") || isAt(position, "[") { return nil }
            position =
                (isAt(position, ")") || isAt(position, "]") || isAt(position, "}")
                    ? partners[position] ?? 0 : position) - 1
        }
        return nil
    }
}

/// One argument of a call.
struct PortedArgument {
    var label: String?
    /// The label with its colon and the value.
    var whole: Range<Int>
    var value: Range<Int>
}

extension PortedFile {
    /// The arguments in the parentheses that open at an index.
    func arguments(at open: Int) -> [PortedArgument] {
        guard let close = partners[open], close > open + 1 else { return [] }
        var arguments: [PortedArgument] = []
        var start = open + 1
        var position = start
        while position <= close {
            if position == close || isAt(position, ",") {
                let hasLabel = isName(start) && isAt(start + 1, ":") && position > start + 2
                arguments.append(
                    PortedArgument(
                        label: hasLabel ? text(start) : nil, whole: start..<position,
                        value: (hasLabel ? start + 2 : start)..<position))
                start = position + 1
            } else if isAt(position, "(") || isAt(position, "[") || isAt(position, "{") {
                position = partners[position] ?? position
            }
            position += 1
        }
        return arguments
    }
}
