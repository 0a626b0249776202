/// The declaration that attributes or modifiers stand before.
struct PortedDeclaration {
    var keyword: String
    var name: String
    var modifiers: Set<String>
    var attributes: Set<String>
    /// The index of the keyword.
    var index: Int
}

extension PortedFile {
    private static let keywords: Set<String> = [
        "class", "struct", "enum", "protocol", "extension", "actor", "func", "var", "let", "init",
        "subscript",
        "case", "typealias", "deinit", "get", "set", "import",
    ]
    private static let modifiers: Set<String> = [
        "final", "dynamic", "override", "weak", "unowned", "optional", "required", "mutating", "nonmutating",
        "lazy", "indirect", "convenience", "nonisolated", "static", "public", "private", "internal",
        "fileprivate", "open", "package", "distributed", "prefix", "postfix", "infix",
    ]

    /// The declaration whose attributes and modifiers begin at an index.
    func declaration(from start: Int) -> PortedDeclaration? {
        var index = start
        var found: Set<String> = []
        var attributes: Set<String> = []
        while index < tokens.count {
            if tokens[index].kind == .directive {
                index += 1
            } else if isAt(index, "@") {
                attributes.insert(text(index + 1))
                index += 2
                if isAt(index, "("), !tokens[index].followsBlank { index = (partners[index] ?? index) + 1 }
            } else if tokens[index].kind == .identifier {
                let word = text(index)
                let isModifier = Self.modifiers.contains(word) || word == "class" && isModifierClass(index)
                guard isModifier else {
                    guard Self.keywords.contains(word) else { return nil }
                    return PortedDeclaration(
                        keyword: word, name: name(after: index), modifiers: found, attributes: attributes,
                        index: index)
                }
                found.insert(word)
                index += 1
                if isAt(index, "(") { index = (partners[index] ?? index) + 1 }
            } else {
                return nil
            }
        }
        return nil
    }

    private func isModifierClass(_ index: Int) -> Bool {
        let next = text(index + 1)
        return ["func", "var", "let", "subscript"].contains(next) || Self.modifiers.contains(next)
    }

    private func name(after index: Int) -> String {
        var names: [String] = []
        var next = index + 1
        while isName(next) {
            names.append(text(next))
            guard isAt(next + 1, ".") else { break }
            next += 2
        }
        return names.joined(separator: ".")
    }
}

/// A type or extension, with the tokens between its braces.
struct PortedScope {
    var keyword: String
    var name: String
    /// The index of the keyword.
    var index: Int
    var body: Range<Int>

    /// The name without the types around it, which an extension writes too.
    var typeName: String { name.split(separator: ".").last.map(String.init) ?? name }
}

extension PortedFile {
    /// All types and extensions.
    func scopes() -> [PortedScope] {
        var scopes: [PortedScope] = []
        for index in tokens.indices where tokens[index].kind == .identifier {
            let word = text(index)
            guard ["class", "struct", "enum", "protocol", "extension", "actor"].contains(word),
                isName(index + 1),
                !isAt(index - 1, "."), !(word == "class" && isModifierClass(index)),
                let open = bodyStart(after: index + 1), let close = partners[open]
            else { continue }
            scopes.append(
                PortedScope(keyword: word, name: name(after: index), index: index, body: open + 1..<close))
        }
        return scopes
    }

    /// The brace that opens a type's body.
    private func bodyStart(after index: Int) -> Int? {
        var next = index
        while next < tokens.count {
            if isAt(next, "{") { return next }
            if isAt(next, "}") || isAt(next, ";") || isAt(next, ")") { return nil }
            next = (isAt(next, "(") ? partners[next] ?? next : next) + 1
        }
        return nil
    }
}
