/// Walks over the tokens of a file.
struct TokenReader {
    let bytes: [UInt8]
    let tokens: [SourceToken]
    private(set) var index = 0

    init(bytes: [UInt8], tokens: [SourceToken]) {
        self.bytes = bytes
        self.tokens = tokens
    }

    var current: SourceToken? { index < tokens.count ? tokens[index] : nil }

    func token(after distance: Int) -> SourceToken? {
        index + distance < tokens.count ? tokens[index + distance] : nil
    }

    func text(_ token: SourceToken) -> String {
        String(decoding: bytes[token.range], as: UTF8.self)
    }

    /// Whether the current token is the name of a member.
    var followsDot: Bool { index > 0 && isPunctuation(tokens[index - 1], ".") }

    mutating func advance() { index += 1 }

    /// Whether the current token is that one character.
    func isAt(_ character: Character) -> Bool {
        guard let current else { return false }
        return isPunctuation(current, character)
    }

    func isPunctuation(_ token: SourceToken, _ character: Character) -> Bool {
        token.kind == .punctuation && character.asciiValue == bytes[token.range.lowerBound]
    }

    /// Whether the current token is that word, not in backticks.
    func isAt(word: String) -> Bool {
        guard let current, current.kind == .identifier else { return false }
        return bytes[current.range].elementsEqual(word.utf8)
    }

    mutating func consume(_ character: Character) -> Bool {
        guard isAt(character) else { return false }
        advance()
        return true
    }

    /// The name here, without backticks.
    mutating func consumeName() -> String? {
        guard let current else { return nil }
        switch current.kind {
        case .identifier:
            advance()
            return text(current)
        case .quotedIdentifier:
            advance()
            return String(text(current).dropFirst().dropLast())
        default: return nil
        }
    }

    /// Skips a balanced group that starts here, and gives its bytes.
    @discardableResult
    mutating func skipGroup() -> Range<Int>? {
        guard let first = current else { return nil }
        var depth = 0
        var end = first.range.upperBound
        while let token = current {
            end = token.range.upperBound
            if token.kind == .punctuation {
                switch bytes[token.range.lowerBound] {
                case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
                default: break
                }
            }
            advance()
            if depth <= 0 { break }
        }
        return first.range.lowerBound..<end
    }
}

// MARK: - Types

extension TokenReader {
    /// The type that starts here.
    mutating func consumeType() -> TypeSyntax {
        var type = consumeTypeOperand()
        var parts = [type]
        while isAt("&") {
            advance()
            parts.append(consumeTypeOperand())
        }
        if parts.count > 1 { type = .existential(parts) }
        if isAt("-"), let next = token(after: 1), isPunctuation(next, ">") { return .other("function") }
        if isAt(word: "async") || isAt(word: "throws") { return .other("function") }
        return type
    }

    private mutating func consumeTypeOperand() -> TypeSyntax {
        while isAt("@") {
            advance()
            _ = consumeName()
        }
        if isAt(word: "any") {
            advance()
            return .existential([consumePostfix(of: consumePrimaryType())])
        }
        for word in ["some", "inout", "borrowing", "consuming", "sending", "isolated", "repeat", "each"]
        where isAt(word: word) && token(after: 1)?.kind == .identifier {
            advance()
            _ = consumeTypeOperand()
            return .other(word)
        }
        return consumePostfix(of: consumePrimaryType())
    }

    /// `?`, `!` and `.Type`.
    private mutating func consumePostfix(of type: TypeSyntax) -> TypeSyntax {
        var type = type
        while let token = current, !token.followsBlank {
            if isAt("?") || isAt("!") {
                advance()
                type = .optional(type)
            } else if isAt("."), self.token(after: 1)?.kind == .identifier {
                advance()
                type = .other("metatype " + (consumeName() ?? ""))
            } else {
                break
            }
        }
        return type
    }

    private mutating func consumePrimaryType() -> TypeSyntax {
        if consume("[") {
            let element = consumeType()
            let value = consume(":") ? consumeType() : nil
            guard consume("]") else { return .other("bracket") }
            return value.map { .dictionary(element, $0) } ?? .array(element)
        }
        if consume("(") { return consumeTupleType() }
        var components: [TypeSyntax.Component] = []
        while let name = consumeName() {
            var component = TypeSyntax.Component(name: name)
            if isAt("<") { component.arguments = consumeArguments() }
            components.append(component)
            guard isAt("."), let next = token(after: 1),
                next.kind == .identifier || next.kind == .quotedIdentifier,
                !["Type", "Protocol"].contains(text(next))
            else { break }
            advance()
        }
        return components.isEmpty ? .other("unknown") : .named(components)
    }

    private mutating func consumeArguments() -> [TypeSyntax] {
        advance()
        var arguments: [TypeSyntax] = []
        while current != nil, !isAt(">") {
            let before = index
            arguments.append(consumeType())
            if !consume(","), !isAt(">") { return arguments + [.other("argument")] }
            if index == before { return arguments + [.other("argument")] }
        }
        advance()
        return arguments
    }

    private mutating func consumeTupleType() -> TypeSyntax {
        var elements: [TypeSyntax] = []
        var hasLabels = false
        while current != nil, !isAt(")") {
            let before = index
            if let next = token(after: 1), isPunctuation(next, ":") {
                hasLabels = true
                advance()
                advance()
            }
            elements.append(consumeType())
            if !consume(","), !isAt(")") { return .other("tuple") }
            if index == before { return .other("tuple") }
        }
        advance()
        if hasLabels { return .other("tuple with labels") }
        return elements.count == 1 ? elements[0] : .tuple(elements)
    }
}
