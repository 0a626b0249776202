/// Protocols of Objective-C: for classes only, with requirements that may be left out.
extension FilePorter {
    mutating func portProtocol(_ declaration: PortedDeclaration) {
        guard let scope = scopes.first(where: { $0.index == declaration.index }) else { return }
        restrictToClasses(scope)
        var defaults: [String] = []
        var position = scope.body.lowerBound
        while position < scope.body.upperBound {
            defer { position += 1 }
            guard file.isAt(position, "optional"), let member = file.declaration(from: position),
                scope.body.contains(member.index), !file.excluded[position]
            else { continue }
            let end = memberEnd(member.index, before: scope.body.upperBound)
            let text = file.text(member.index..<end).replacingLineBreaks
            guard let body = defaultBody(member, end: end) else {
                edits.remark(
                    file.location(position),
                    "'\(member.name)' may be left out only in Objective-C; it is required now, so give it a default in an "
                        + "extension of '\(declaration.name)'")
                remove(position...position)
                continue
            }
            let accessor = member.keyword == "var" ? text.prefix { $0 != "{" } : text[...]
            let signature = String(accessor).trimmingBlanks
            defaults.append("    \(access(declaration))\(signature) \(body)")
            remove(position...position)
        }
        guard !defaults.isEmpty else { return }
        edits.insert(
            "\n\nextension \(declaration.name) {\n\(defaults.joined(separator: "\n"))\n}",
            at: file.tokens[scope.body.upperBound].range.upperBound)
    }

    private func access(_ declaration: PortedDeclaration) -> String {
        declaration.modifiers.contains("public") || declaration.modifiers.contains("open")
            || file.isAt(declaration.index - 1, "public") ? "public " : ""
    }

    private mutating func restrictToClasses(_ scope: PortedScope) {
        let head = scope.index..<scope.body.lowerBound
        let classBound = ["AnyObject", "class", "NSObjectProtocol", "NSFetchRequestResult"]
        guard !head.contains(where: { classBound.contains(file.text($0)) }) else { return }
        let name = scope.index + 1
        if file.isAt(name + 1, ":") {
            edits.insert(" AnyObject,", at: file.tokens[name + 1].range.upperBound)
        } else {
            edits.insert(": AnyObject", at: file.tokens[name].range.upperBound)
        }
    }

    /// The index after a requirement, which its line or its accessors end.
    private func memberEnd(_ start: Int, before limit: Int) -> Int {
        var next = start + 1
        while next < limit {
            if file.isAt(next, "{") { return (file.partners[next] ?? next) + 1 }
            let isNewMember =
                file.tokens[next].isFirstOnLine && (file.isAt(next, "@") || isDeclarationStart(next))
            if isNewMember || file.isAt(next, ";") { return next }
            next = (file.isAt(next, "(") ? file.partners[next] ?? next : next) + 1
        }
        return limit
    }

    private func isDeclarationStart(_ position: Int) -> Bool {
        file.tokens[position].kind == .directive || file.declaration(from: position) != nil
    }

    /// What a requirement that was left out gives: nothing. Nil where its type has no such value.
    private func defaultBody(_ member: PortedDeclaration, end: Int) -> String? {
        switch member.keyword {
        case "func":
            let open = file.skipAngles(member.index + 2)
            guard let close = file.partners[open] else { return nil }
            let rest = file.text(close + 1..<end)
            guard let arrow = rest.range(of: "->") else { return "{}" }
            let type = rest[arrow.upperBound...].trimmingBlanks
            if type == "Void" || type == "()" { return "{}" }
            return type.hasSuffix("?") || type.hasSuffix("!") ? "{ nil }" : nil
        case "var":
            let text = file.text(member.index..<end)
            let type = text.prefix { $0 != "{" }.trimmingBlanks
            guard type.hasSuffix("?") || type.hasSuffix("!") else { return nil }
            let isSettable = text.drop { $0 != "{" }.contains("set")
            return isSettable ? "{\n        get { nil }\n        set {}\n    }" : "{ nil }"
        default: return nil
        }
    }

    /// `delegate?.listDidChange?(self)`: the second question mark has nothing to ask any more.
    mutating func portOptionalCall(_ position: Int) {
        guard file.isAt(position + 1, "("), !file.tokens[position + 1].followsBlank,
            file.isName(position - 1),
            file.isAt(position - 2, "."), index.optionalMethods.contains(file.text(position - 1))
        else { return }
        edits.replace(file.tokens[position].range, by: "")
    }
}

extension String {
    /// The text as one line.
    fileprivate var replacingLineBreaks: String {
        split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    fileprivate func range(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
