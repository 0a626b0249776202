/// `@objc`, `@objcMembers`, `@nonobjc`.
extension FilePorter {
    mutating func portAttribute(_ at: Int) {
        let name = file.text(at + 1)
        if let advice = LeftoverAdvice.attributes[name] {
            edits.remark(file.location(at), "'@\(name)' \(advice)")
        }
        guard ["objc", "objcMembers", "nonobjc"].contains(name) else { return }
        var last = at + 1
        var given: String?
        if file.isAt(at + 2, "("), file.tokens[at + 2].followsBlank == false,
            let close = file.partners[at + 2]
        {
            given = file.text(at + 3..<close).filter { !$0.isWhitespace }
            last = close
        }
        let declaration = file.declaration(from: at)
        if name == "objc", let declaration { note(declaration, given: given, at: at) }
        if name == "objc", let declaration, let given, keepsName(declaration, given) {
            return keepForApple(at...last)
        }
        remove(at...last)
        // Extensions of such protocols have no requirements; protocols of Objective-C are for classes.
        if name == "objc", declaration?.keyword == "protocol", let declaration { portProtocol(declaration) }
    }

    /// Whether a class has a name for models that Swift does not know otherwise; the plugin reads the attribute.
    private func keepsName(_ declaration: PortedDeclaration, _ given: String) -> Bool {
        declaration.keyword == "class"
            && (declaration.name != given || scope(around: declaration.index) != nil)
    }

    private mutating func keepForApple(_ range: ClosedRange<Int>) {
        guard let bytes = file.byteRange(range.lowerBound..<range.upperBound + 1) else { return }
        let text = file.text(range.lowerBound..<range.upperBound + 1)
        let indentation = self.indentation(at: bytes.lowerBound)
        let isAlone =
            file.tokens.indices.contains(range.upperBound + 1)
            && file.tokens[range.upperBound + 1].isFirstOnLine
        let end = isAlone ? bytes.upperBound : blanksEnd(bytes.upperBound)
        edits.replace(
            bytes.lowerBound..<end,
            by: "#if canImport(ObjectiveC)\n\(indentation)\(text)\n\(indentation)#endif"
                + (isAlone ? "" : "\n\(indentation)"))
    }

    /// Removes tokens with the blanks after them, or with their line where they are alone.
    mutating func remove(_ range: ClosedRange<Int>) {
        guard let bytes = file.byteRange(range.lowerBound..<range.upperBound + 1) else { return }
        var start = bytes.lowerBound
        var end = blanksEnd(bytes.upperBound)
        if file.tokens[range.lowerBound].isFirstOnLine, end >= file.bytes.count || file.bytes[end] == 0x0A {
            while start > 0, [0x20, 0x09].contains(file.bytes[start - 1]) { start -= 1 }
            end = min(end + 1, file.bytes.count)
        }
        edits.replace(start..<end, by: "")
    }

    func blanksEnd(_ position: Int) -> Int {
        var end = position
        while end < file.bytes.count, [0x20, 0x09].contains(file.bytes[end]) { end += 1 }
        return end
    }

    func indentation(at position: Int) -> String {
        let start = file.bytes[..<position].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return String(
            decoding: file.bytes[start..<position].prefix { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self)
    }

    /// Says what is lost with the name that Objective-C knew.
    private mutating func note(_ declaration: PortedDeclaration, given: String?, at position: Int) {
        switch declaration.keyword {
        case "func" where !declaration.attributes.contains("NSManaged"):
            noteOverriding(declaration, at: position)
            let selector = given ?? self.selector(of: declaration)
            guard selector.contains(":"), let place = index.mentions[selector]?.first else { return }
            edits.remark(
                file.location(position),
                "'\(selector)' is called by name at \(place.path):\(place.line); nothing calls methods by name on "
                    + "Linux, so compute the value in Swift, or store it in an attribute")
        case "var":
            if declaration.attributes.contains("NSManaged") {
                if let given, given != declaration.name {
                    edits.remark(
                        file.location(position),
                        "the property of the model is '\(given)', and @NSManaged reads '\(declaration.name)' on Linux; "
                            + "name the property as the model does")
                }
                return
            }
            noteOverriding(declaration, at: position)
            noteKey(declaration, given: given, at: position)
        default: break
        }
    }

    private mutating func noteOverriding(_ declaration: PortedDeclaration, at position: Int) {
        guard scope(around: position)?.keyword == "extension",
            index.overriddenNames.contains(declaration.name),
            !declaration.modifiers.contains("override")
        else { return }
        edits.remark(
            file.location(position),
            "'\(declaration.name)' is declared in an extension and overridden elsewhere, which only Objective-C allows; "
                + "move it into the body of the class")
    }

    /// A property of the class that is not a property of the model, and that somebody asks for by its name.
    private mutating func noteKey(_ declaration: PortedDeclaration, given: String?, at position: Int) {
        let key = given ?? declaration.name
        guard !declaration.modifiers.contains("static"), !declaration.modifiers.contains("class"),
            let owner = scope(around: position), isManaged(owner),
            let place = index.mentions[key]?.first(where: { !isInside(owner, $0) })
        else { return }
        edits.remark(
            file.location(position),
            "'\(key)' is read by name at \(place.path):\(place.line); if it is not a property of the model, add to the "
                + "class: override func value(forUndefinedKey key: String) -> Any? { key == \"\(key)\" ? "
                + "\(declaration.name) : super.value(forUndefinedKey: key) }, and on Linux override "
                + "offersUndefinedKey(_:) to answer true for it")
    }

    /// What names its own keys is an accessor of a modelled property.
    private func isInside(_ owner: PortedScope, _ place: SourceLocation) -> Bool {
        guard place.path == file.path else { return false }
        let first = file.tokens[owner.index].line
        return (first...max(first, file.location(owner.body.upperBound).line)).contains(place.line)
    }

    /// Whether a type may be a managed class, as far as this file says.
    private func isManaged(_ owner: PortedScope) -> Bool {
        guard owner.keyword == "class" || owner.keyword == "extension" else { return false }
        let body = owner.body
        let mentionsManaged = body.contains { file.isAt($0, "NSManaged") }
        let head = owner.index..<body.lowerBound
        return owner.keyword == "extension" || mentionsManaged || head.contains { file.isAt($0, ":") }
    }

    /// The selector that Objective-C gives a method.
    private func selector(of declaration: PortedDeclaration) -> String {
        let open = file.skipAngles(declaration.index + 2)
        let parameters = file.parameters(at: open)
        return Self.selector(declaration.name, labels: parameters.map(\.label))
    }

    static func selector(_ name: String, labels: [String?]) -> String {
        guard let first = labels.first else { return name }
        let start = first.map { name + "With" + Spelling.capitalized($0) } ?? name
        return start + ":" + labels.dropFirst().map { ($0 ?? "") + ":" }.joined()
    }
}
