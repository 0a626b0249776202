/// What one file has to know of the others that are ported with it.
struct PortingIndex {
    /// A method that a selector can mean.
    struct Method {
        var name: String
        /// The type that declares it.
        var owner: String?
        /// Nil for `_`.
        var labels: [String?]
        var types: [String]
        var hasResult: Bool
        var isAsync: Bool
        var canThrow: Bool
        var isStatic: Bool
        var path: String
    }

    private(set) var methods: [String: [Method]] = [:]
    /// What `@objc(name)` calls properties.
    private(set) var renamedProperties: [String: String] = [:]
    private(set) var typeNames: Set<String> = []
    /// The methods of protocols that conforming types may leave out.
    private(set) var optionalMethods: Set<String> = []
    /// The members that some class overrides.
    private(set) var overriddenNames: Set<String> = []
    /// Whether any object observes notifications by selector.
    private(set) var hasSelectorObservers = false
    /// The places where literals name something.
    private(set) var mentions: [String: [SourceLocation]] = [:]

    init(_ files: [PortedFile]) {
        for file in files { add(file) }
    }

    private mutating func add(_ file: PortedFile) {
        let scopes = file.scopes()
        for index in file.tokens.indices where !file.excluded[index] {
            switch file.tokens[index].kind {
            case .identifier: addWord(file, index, scopes)
            case .literal: addMentions(file, index)
            case .pound where file.isAt(index, "#keyPath"):
                if let close = file.partners[index + 1], file.isName(close - 1) {
                    note(file.text(close - 1), file, index)
                }
            case .punctuation where file.isAt(index, "@") && file.isAt(index + 1, "objc"):
                addRenamed(file, index)
            default: break
            }
        }
    }

    private mutating func addWord(_ file: PortedFile, _ index: Int, _ scopes: [PortedScope]) {
        switch file.text(index) {
        case "func" where !file.isAt(index - 1, "."):
            addMethod(file, index, owner: scopes.last { $0.body.contains(index) }?.typeName)
        case "class", "struct", "enum", "protocol", "actor":
            if file.isName(index + 1) { typeNames.insert(file.text(index + 1)) }
        case "override":
            if let found = file.declaration(from: index) { overriddenNames.insert(found.name) }
        case "optional":
            if let found = file.declaration(from: index), found.keyword == "func" {
                optionalMethods.insert(found.name)
            }
        case "addObserver" where file.isAt(index + 1, "("):
            if file.arguments(at: index + 1).contains(where: { $0.label == "selector" }) {
                hasSelectorObservers = true
            }
        default: break
        }
    }

    private mutating func addRenamed(_ file: PortedFile, _ index: Int) {
        guard file.isAt(index + 2, "("), let close = file.partners[index + 2], close == index + 4,
            let found = file.declaration(from: index), found.keyword == "var" || found.keyword == "let",
            found.name != file.text(index + 3)
        else { return }
        renamedProperties[found.name] = file.text(index + 3)
    }

    private mutating func addMethod(_ file: PortedFile, _ index: Int, owner: String?) {
        guard file.isName(index + 1) else { return }
        let open = file.skipAngles(index + 2)
        guard file.isAt(open, "("), let close = file.partners[open] else { return }
        var labels: [String?] = []
        var types: [String] = []
        for argument in file.parameters(at: open) {
            labels.append(argument.label)
            types.append(argument.type)
        }
        var next = close + 1
        var (isAsync, canThrow, hasResult) = (false, false, false)
        while ["async", "throws", "rethrows"].contains(file.text(next)) {
            if file.isAt(next, "async") { isAsync = true } else { canThrow = true }
            next += 1
        }
        if file.isAt(next, "-"), file.isAt(next + 1, ">") {
            let isVoid = file.isAt(next + 2, "Void") || file.isAt(next + 2, "(") && file.isAt(next + 3, ")")
            hasResult = !isVoid
        }
        var before = index - 1
        var isStatic = false
        while before >= 0, file.tokens[before].kind == .identifier,
            file.tokens[before].line == file.tokens[index].line
        {
            if file.isAt(before, "static") || file.isAt(before, "class") { isStatic = true }
            before -= 1
        }
        methods[file.text(index + 1), default: []].append(
            Method(
                name: file.text(index + 1), owner: owner, labels: labels, types: types, hasResult: hasResult,
                isAsync: isAsync,
                canThrow: canThrow, isStatic: isStatic, path: file.path))
    }

    /// Names in literals, as `value(forKey:)`, formats and function expressions have them.
    private mutating func addMentions(_ file: PortedFile, _ index: Int) {
        let text = file.text(index)
        guard text.hasPrefix("\"") || text.hasPrefix("#"), text.utf8.count < 4096 else { return }
        var word = ""
        for character in text {
            if character.isLetter || character.isNumber || "_:".contains(character) {
                word.append(character)
            } else {
                if !word.isEmpty { note(word, file, index) }
                word = ""
            }
        }
        if !word.isEmpty { note(word, file, index) }
    }

    private mutating func note(_ word: String, _ file: PortedFile, _ index: Int) {
        mentions[word, default: []].append(file.location(index))
    }
}

extension PortedFile {
    /// The labels and types of the parameters in parentheses.
    func parameters(at open: Int) -> [(label: String?, name: String, type: String)] {
        guard let close = partners[open], close > open + 1 else { return [] }
        var parameters: [(label: String?, name: String, type: String)] = []
        var start = open + 1
        var position = start
        var angles = 0
        while position <= close {
            if isAt(position, "<") { angles += 1 }
            if isAt(position, ">"), !isAt(position - 1, "-") { angles -= 1 }
            if position == close || isAt(position, ",") && angles <= 0 {
                if let parameter = parameter(start..<position) { parameters.append(parameter) }
                start = position + 1
            } else if isAt(position, "(") || isAt(position, "[") || isAt(position, "{") {
                position = partners[position] ?? position
            }
            position += 1
        }
        return parameters
    }

    private func parameter(_ range: Range<Int>) -> (label: String?, name: String, type: String)? {
        guard let colon = range.first(where: { isAt($0, ":") }) else { return nil }
        let names = range.lowerBound..<colon
        guard let first = names.last(where: { isName($0) }) else { return nil }
        let name = text(first)
        let hasLabel = names.count > 1 && isName(first - 1) && names.contains(first - 1)
        let label = hasLabel ? text(first - 1) : name
        let end = range.first { $0 > colon && isAt($0, "=") } ?? range.upperBound
        return (label == "_" ? nil : label, name, text(colon + 1..<end))
    }
}
