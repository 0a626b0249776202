/// Finds the declarations of a file that the generator has to know.
struct SourceScanner {
    /// What a brace opened.
    private enum Scope {
        case type([String])
        case extensionBlock([String], AccessLevel?)
        /// A body, a closure, anything whose declarations nobody outside can name.
        case body
    }

    /// Attributes and modifiers before a declaration.
    private struct Prefix {
        var isManaged = false
        var isTypeMember = false
        var access: AccessLevel?
        var start: Int?
        /// The text in the parentheses of `@objc`.
        var objectiveCName: String?
    }

    private var reader: TokenReader
    private var file: FileDeclarations
    private var scopes: [Scope] = []
    private var conditions = ConditionStack()
    private var prefix = Prefix()

    private init(path: String, bytes: [UInt8]) {
        reader = TokenReader(bytes: bytes, tokens: SourceLexer.tokens(of: bytes))
        file = FileDeclarations(path: path)
    }

    /// Scans the text of a file.
    static func scan(path: String, bytes: [UInt8]) -> FileDeclarations {
        var scanner = SourceScanner(path: path, bytes: bytes)
        while let token = scanner.reader.current { scanner.step(at: token) }
        return scanner.file
    }

    private static let plainModifiers: Set<String> = [
        "final", "dynamic", "override", "weak", "unowned", "optional", "required", "mutating",
        "nonmutating", "lazy", "indirect", "convenience", "nonisolated", "distributed", "prefix", "postfix",
        "infix", "borrowing", "consuming",
    ]

    private mutating func step(at token: SourceToken) {
        switch token.kind {
        case .directive:
            conditions.apply(directive: reader.text(token))
            reader.advance()
        case .pound:
            noteObjectiveCExpression(at: token)
            prefix = Prefix()
        case .punctuation: stepPunctuation(at: token)
        case .identifier: stepWord(reader.text(token), at: token)
        case .quotedIdentifier, .literal:
            reader.advance()
            prefix = Prefix()
        }
    }

    private mutating func stepPunctuation(at token: SourceToken) {
        if reader.isAt("@") { return attribute(at: token) }
        // Words in parentheses are labels and types, not declarations.
        if reader.isAt("{") || reader.isAt("(") || reader.isAt("[") { scopes.append(.body) }
        if reader.isAt("}") || reader.isAt(")") || reader.isAt("]") { _ = scopes.popLast() }
        reader.advance()
        prefix = Prefix()
    }

    /// `@name(arguments)`; arguments follow without a blank.
    private mutating func attribute(at token: SourceToken) {
        if prefix.start == nil { prefix.start = token.range.lowerBound }
        reader.advance()
        guard let name = reader.consumeName() else { return }
        while reader.isAt("."), reader.token(after: 1)?.kind == .identifier {
            reader.advance()
            reader.advance()
        }
        var end = token.range.upperBound + name.utf8.count
        if reader.isAt("("), reader.current?.followsBlank == false, let group = reader.skipGroup() {
            end = group.upperBound
            if name == "objc" {
                let inside = reader.bytes[group].dropFirst().dropLast()
                prefix.objectiveCName = String(decoding: inside, as: UTF8.self).trimmingBlanks
            }
        }
        switch name {
        case "NSManaged": prefix.isManaged = true
        case "objc", "objcMembers": noteObjectiveC(token, end: end)
        default: break
        }
    }

    private mutating func noteObjectiveCExpression(at token: SourceToken) {
        let name = reader.text(token)
        reader.advance()
        guard name == "#keyPath" || name == "#selector", reader.isAt("("), let group = reader.skipGroup()
        else {
            return
        }
        noteObjectiveC(token, end: group.upperBound)
    }

    private mutating func noteObjectiveC(_ token: SourceToken, end: Int) {
        // What is for Apple's platforms only may stay.
        guard !conditions.isExcludedOnLinux else { return }
        let text = String(decoding: reader.bytes[token.range.lowerBound..<end], as: UTF8.self)
        file.objectiveC.append(ObjectiveCUse(location: location(of: token), text: text))
    }

    private func location(of token: SourceToken) -> SourceLocation {
        SourceLocation(path: file.path, line: token.line)
    }

    private mutating func stepWord(_ word: String, at token: SourceToken) {
        if isModifier(word) {
            if prefix.start == nil { prefix.start = token.range.lowerBound }
            reader.advance()
            var isOfSetter = false
            if reader.isAt("("), reader.current?.followsBlank == false {
                // `private(set)` leaves the getter, and the symbols, as they are.
                isOfSetter = true
                reader.skipGroup()
            }
            if let level = AccessLevel(modifier: word), !isOfSetter { prefix.access = level }
            if word == "static" || word == "class" { prefix.isTypeMember = true }
            return
        }
        defer { prefix = Prefix() }
        guard isInDeclarations, !reader.followsDot else { return reader.advance() }
        switch word {
        case "class", "struct", "enum", "protocol", "actor": typeDeclaration(word, at: token)
        case "extension": extensionDeclaration()
        case "typealias": aliasDeclaration(at: token)
        case "import" where scopes.isEmpty: importDeclaration(at: token)
        case "var" where prefix.isManaged, "let" where prefix.isManaged: managedProperties()
        case "func" where prefix.isManaged: managedMethod()
        case "var" where !prefix.isTypeMember && !context.isEmpty: getter()
        default: reader.advance()
        }
    }

    private func isModifier(_ word: String) -> Bool {
        if word == "class" || word == "static" {
            guard let next = reader.token(after: 1), next.kind == .identifier else { return word == "static" }
            let text = reader.text(next)
            return ["func", "var", "let", "subscript"].contains(text) || isWordModifier(text)
        }
        return isWordModifier(word)
    }

    private func isWordModifier(_ word: String) -> Bool {
        Self.plainModifiers.contains(word) || AccessLevel(modifier: word) != nil
    }

    private var isInDeclarations: Bool {
        if case .body? = scopes.last { false } else { true }
    }

    private var context: [String] {
        switch scopes.last {
        case .type(let path)?, .extensionBlock(let path, _)?: path
        case .body?, nil: []
        }
    }

    private func head(_ name: String, at token: SourceToken) -> DeclarationHead {
        var access = prefix.access
        if access == nil, case .extensionBlock(_, let level)? = scopes.last { access = level }
        return DeclarationHead(
            name: name, location: location(of: token), context: context,
            conditions: conditions.conditions, access: access ?? .internal)
    }
}

// MARK: - Types, extensions, aliases, imports

extension SourceScanner {
    private mutating func typeDeclaration(_ word: String, at token: SourceToken) {
        reader.advance()
        guard let keyword = TypeDeclaration.Keyword(rawValue: word), let name = reader.consumeName() else {
            return
        }
        let isGeneric = reader.isAt("<")
        let head = head(name, at: token)
        let inherited = inheritanceClause()
        // `actor` is a name as well.
        guard reader.consume("{") else { return }
        file.types.append(
            TypeDeclaration(
                head: head, keyword: keyword, isGeneric: isGeneric, inherited: inherited,
                objectiveCName: prefix.objectiveCName))
        scopes.append(.type(head.context + [name]))
    }

    /// What is between a name and the brace; stops where no brace comes.
    private mutating func inheritanceClause() -> [TypeSyntax] {
        var inherited: [TypeSyntax] = []
        if reader.isAt("<") { skipAngles() }
        if reader.consume(":") {
            repeat { inherited.append(reader.consumeType()) } while reader.consume(",")
        }
        while let token = reader.current, !reader.isAt("{"), token.kind != .directive, !reader.isAt("}") {
            if token.kind == .identifier, token.isFirstOnLine, !reader.isAt(word: "where") { break }
            reader.advance()
        }
        return inherited
    }

    private mutating func skipAngles() {
        var depth = 0
        while reader.current != nil {
            if reader.isAt("<") { depth += 1 }
            if reader.isAt(">") { depth -= 1 }
            if reader.isAt("{") { return }
            reader.advance()
            if depth == 0 { return }
        }
    }

    private mutating func extensionDeclaration() {
        reader.advance()
        let type = reader.consumeType()
        _ = inheritanceClause()
        guard reader.consume("{") else { return }
        guard case .named(let components) = type else { return scopes.append(.body) }
        scopes.append(.extensionBlock(components.map(\.name), prefix.access))
    }

    private mutating func aliasDeclaration(at token: SourceToken) {
        reader.advance()
        guard let name = reader.consumeName() else { return }
        let isGeneric = reader.isAt("<")
        if isGeneric { skipAngles() }
        guard reader.consume("=") else { return }
        let type = reader.consumeType()
        file.aliases.append(AliasDeclaration(head: head(name, at: token), isGeneric: isGeneric, type: type))
    }

    private mutating func importDeclaration(at token: SourceToken) {
        let attributes = (prefix.start).map {
            String(decoding: reader.bytes[$0..<token.range.lowerBound], as: UTF8.self)
        }
        reader.advance()
        var words: [String] = []
        while let next = reader.current, !next.isFirstOnLine, next.kind != .directive, !reader.isAt(";") {
            words.append(reader.text(next))
            reader.advance()
        }
        let kinds: Set<String> = ["typealias", "struct", "class", "enum", "protocol", "let", "var", "func"]
        let isScoped = words.first.map(kinds.contains) ?? false
        guard let module = words.dropFirst(isScoped ? 1 : 0).first else { return }
        let kept = (attributes ?? "").split(whereSeparator: \.isWhitespace)
            .filter { $0.hasPrefix("@") }.map { $0 + " " }.joined()
        let name = (isScoped ? words[0] + " " : "") + words.dropFirst(isScoped ? 1 : 0).joined()
        file.imports.append(
            ImportDeclaration(
                module: module, text: kept + "import " + name, conditions: conditions.conditions))
    }
}

// MARK: - Members

extension SourceScanner {
    private var isInExtension: Bool {
        if case .extensionBlock? = scopes.last { true } else { false }
    }

    /// `var a: Int16, b: String?`.
    private mutating func managedProperties() {
        reader.advance()
        repeat {
            guard let token = reader.current, let name = reader.consumeName() else { return }
            let hasType = reader.consume(":")
            let type = hasType ? reader.consumeType() : .other("no type")
            var obstacle: String?
            if prefix.isTypeMember { obstacle = "a type property cannot be managed" }
            if !hasType { obstacle = "a managed property needs its type written out" }
            file.members.append(
                ManagedMember(
                    head: head(name, at: token), kind: .property(type), isInExtension: isInExtension,
                    obstacle: obstacle))
        } while reader.consume(",")
    }

    /// `var name: Type {`. The type and the body are left to the next steps.
    private mutating func getter() {
        reader.advance()
        guard let token = reader.current, let name = reader.consumeName(), reader.isAt(":") else { return }
        var distance = 1
        while distance < Self.longestType, let next = reader.token(after: distance) {
            if reader.isPunctuation(next, "{") {
                file.getters.append(head(name, at: token))
                return
            }
            // A value, the end of the type, or a condition in the middle of it.
            if next.isFirstOnLine || next.kind == .directive || next.kind == .literal
                || reader.isPunctuation(next, "=") || reader.isPunctuation(next, "}")
            {
                return
            }
            distance += 1
        }
    }

    /// The longest type that is looked through, in tokens.
    private static let longestType = 64

    private mutating func managedMethod() {
        reader.advance()
        guard let token = reader.current, let name = reader.consumeName() else { return }
        var obstacle = prefix.isTypeMember ? "a type method cannot be managed" : nil
        if reader.isAt("<") {
            obstacle = "a generic method cannot be managed"
            skipAngles()
        }
        var parameters: [ManagedMember.Parameter] = []
        if reader.consume("(") {
            while reader.current != nil, !reader.isAt(")") {
                guard let parameter = parameter() else {
                    obstacle = obstacle ?? "its parameters could not be read"
                    break
                }
                parameters.append(parameter)
                if !reader.consume(",") { break }
            }
            if !reader.consume(")") { obstacle = obstacle ?? "its parameters could not be read" }
        }
        var result = TypeSyntax.void
        if reader.isAt(word: "async") || reader.isAt(word: "throws") {
            obstacle = obstacle ?? "a managed method neither throws nor suspends"
        } else if reader.isAt("-"), let next = reader.token(after: 1), reader.isPunctuation(next, ">") {
            reader.advance()
            reader.advance()
            result = reader.consumeType()
        }
        file.members.append(
            ManagedMember(
                head: head(name, at: token), kind: .method(parameters, result),
                isInExtension: isInExtension, obstacle: obstacle))
    }

    /// `label name: Type`.
    private mutating func parameter() -> ManagedMember.Parameter? {
        guard let label = reader.consumeName() else { return nil }
        if !reader.isAt(":"), reader.consumeName() == nil { return nil }
        guard reader.consume(":") else { return nil }
        let type = reader.consumeType()
        return .init(label: label == "_" ? nil : label, type: type)
    }
}
