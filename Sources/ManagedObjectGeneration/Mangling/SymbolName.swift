/// The symbols by which the compiler refers to the members of a class.
enum SymbolName {
    /// An accessor of a property.
    enum Accessor: String {
        case getter = "g"
        case setter = "s"
    }

    /// A member's own name, and its file's discriminator where the member is private.
    struct Member: Hashable, Sendable {
        var name: String
        var discriminator: String?
    }

    /// The symbol of a property's accessor.
    static func accessor(
        _ accessor: Accessor, of property: Member, type: ResolvedType, in context: Context
    ) -> String {
        var mangler = Mangler()
        mangler.append(context)
        mangler.append(property)
        mangler.append(type)
        mangler.append("v" + accessor.rawValue)
        return mangler.text
    }

    /// The symbol of a method with these labels (nil for `_`).
    static func method(
        _ method: Member, labels: [String?], parameters: [ResolvedType], result: ResolvedType,
        in context: Context
    ) -> String {
        var mangler = Mangler()
        mangler.append(context)
        mangler.append(method.name, labels: labels, discriminator: method.discriminator)
        mangler.append(result)
        if parameters.count == 1, labels[0] == nil {
            mangler.append(parameters[0])
        } else {
            mangler.append(.tuple(parameters))
        }
        mangler.append("F")
        return mangler.text
    }

    /// A type as the runtime looks it up.
    static func type(_ type: ResolvedType) -> String {
        var mangler = Mangler(prefix: "")
        mangler.append(type)
        return mangler.text
    }

    /// The class that a member belongs to, and the module of the extension where that is another one.
    struct Context: Hashable, Sendable {
        var type: NominalType
        var extensionModule: String?
    }
}

/// Writes types and names into a symbol.
private struct Mangler {
    private var buffer: SymbolBuffer

    init(prefix: String = "$s") {
        buffer = SymbolBuffer(prefix: prefix)
    }

    var text: String { String(decoding: buffer.text, as: UTF8.self) }

    mutating func append(_ operators: String) { buffer.append(operators) }

    mutating func append(_ context: SymbolName.Context) {
        append(context.type)
        if let module = context.extensionModule {
            appendModule(module)
            buffer.append("E")
        }
    }

    mutating func append(_ member: SymbolName.Member) {
        buffer.appendIdentifier(member.name)
        if let discriminator = member.discriminator {
            buffer.appendIdentifier(discriminator)
            buffer.append("LL")
        }
    }

    mutating func append(_ method: String, labels: [String?], discriminator: String?) {
        append(SymbolName.Member(name: method, discriminator: discriminator))
        guard labels.contains(where: { $0 != nil }) else {
            if !labels.isEmpty { buffer.append("y") }
            return
        }
        for label in labels {
            if let label { buffer.appendIdentifier(label) } else { buffer.append("_") }
        }
    }

    mutating func append(_ type: ResolvedType) {
        switch type {
        case .nominal(let nominal, let arguments): append(nominal, arguments: arguments)
        case .optional(let wrapped):
            guard !buffer.appendReference(to: key(type)) else { return }
            append(wrapped)
            buffer.append("Sg")
            buffer.remember(key(type))
        case .existential(let protocols):
            append(protocols: protocols)
            buffer.append("p")
        case .anyObject: buffer.append("yXl")
        case .tuple(let elements):
            guard !elements.isEmpty else { return buffer.append("y") }
            for (index, element) in elements.enumerated() {
                append(element)
                if index == 0 { buffer.append("_") }
            }
            buffer.append("t")
        }
    }

    private mutating func append(protocols: [NominalType]) {
        guard !protocols.isEmpty else { return buffer.append("y") }
        for (index, type) in protocols.enumerated() {
            // Protocols are named in full each time; only their parts are referred back to.
            appendPath(of: type)
            if index == 0 { buffer.append("_") }
        }
    }

    private mutating func append(_ nominal: NominalType, arguments: [ResolvedType]) {
        let type = ResolvedType.nominal(nominal, arguments)
        guard !arguments.isEmpty else { return append(nominal) }
        guard !buffer.appendReference(to: key(type)) else { return }
        append(nominal)
        buffer.append("y")
        arguments.forEach { append($0) }
        buffer.append("G")
        buffer.remember(key(type))
    }

    private mutating func append(_ nominal: NominalType) {
        if nominal.module == "Swift", nominal.path.count == 1,
            let letter = StandardTypes.letter(of: nominal.path[0].name)
        {
            return buffer.appendStandardType(letter: letter)
        }
        let key = key(.nominal(nominal, []))
        guard !buffer.appendReference(to: key), let last = nominal.path.last else { return }
        appendPath(of: nominal)
        buffer.append(last.kind.rawValue)
        buffer.remember(key)
    }

    private mutating func appendPath(of nominal: NominalType) {
        guard let last = nominal.path.last else { return }
        if nominal.path.count > 1 {
            append(NominalType(module: nominal.module, path: nominal.path.dropLast()))
        } else {
            appendModule(nominal.module)
        }
        append(SymbolName.Member(name: last.name, discriminator: last.discriminator))
    }

    private mutating func appendModule(_ module: String) {
        if module == "Swift" { buffer.append("s") } else { buffer.appendIdentifier(module) }
    }

    private func key(_ type: ResolvedType) -> SymbolBuffer.Key { .type(type) }
}
