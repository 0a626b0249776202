/// Writes what the compiler refers to for `@NSManaged` members.
struct AccessorWriter {
    let resolver: TypeResolver
    let entities: EntityIndex
    let importName: String

    private(set) var diagnostics: [GeneratorDiagnostic] = []
    private var text = ConditionalText()
    private var count = 0
    /// What public accessors mention, so that imports can be public where they have to be.
    private var publicModules: Set<String> = []
    /// The properties of each class that anybody in the module may use, with their conditions.
    private(set) var keyPaths: [String: [(property: String, conditions: [String])]] = [:]

    init(resolver: TypeResolver, entities: EntityIndex, importName: String) {
        self.resolver = resolver
        self.entities = entities
        self.importName = importName
    }

    /// The text of the file for all managed members of those files.
    mutating func write(_ files: [FileDeclarations]) -> String {
        let names = files.flatMap(\.members).reduce(into: [[String]: Set<String>]()) { names, member in
            if case .property = member.kind {
                names[member.head.context, default: []].insert(member.head.name)
            }
        }
        for file in files {
            for member in file.members {
                do throws(ResolutionFailure) {
                    try write(member, of: file, properties: names[member.head.context] ?? [])
                } catch {
                    report(error, on: member)
                }
            }
        }
        text.close()
        guard !text.lines.isEmpty else { return "" }
        return (imports(of: files.filter { !$0.members.isEmpty }) + [""] + text.lines).joined(separator: "\n")
            + "\n"
    }

    private mutating func report(_ failure: ResolutionFailure, on member: ManagedMember) {
        let name = (member.head.context + [member.head.name]).joined(separator: ".")
        let message =
            "no accessor can be generated for '\(name)': \(failure.sentence); "
            + "write it as a computed property or method without @NSManaged"
        guard !member.head.conditions.isEmpty else {
            return diagnostics.append(GeneratorDiagnostic(.error, at: member.head.location, message))
        }
        // Only the compiler knows whether the condition holds.
        let location = member.head.location
        let lines = [
            "#sourceLocation(file: \(Spelling.literal(location.path)), line: \(location.line))",
            "#error(\(Spelling.literal(message)))", "#sourceLocation()",
        ]
        text.append(lines, when: member.head.conditions)
    }

    private mutating func write(
        _ member: ManagedMember, of file: FileDeclarations, properties: Set<String>
    ) throws(ResolutionFailure) {
        if let obstacle = member.obstacle { throw ResolutionFailure(sentence: obstacle) }
        let owner = try owner(of: member)
        let level = member.head.access
        let symbolMember = SymbolName.Member(
            name: member.head.name,
            discriminator: level.isPrivateToFile
                ? FileDiscriminator.of(fileName: file.fileName, module: resolver.module.name) : nil)
        let isPublic = min(level, owner.access) >= .public
        let access = isPublic ? "public " : ""
        var lines: [String]
        switch member.kind {
        case .property(let syntax):
            let type = try resolve(syntax, of: member, isPublic: isPublic)
            lines = accessors(symbolMember, type: type, owner: owner, access: access)
            if !level.isPrivateToFile {
                keyPaths[owner.type.qualifiedName, default: []]
                    .append((member.head.name, member.head.conditions + owner.conditions))
            }
        case .method(let parameters, let result):
            lines = try method(
                symbolMember, parameters: parameters, result: result, of: member, owner: owner,
                properties: properties, access: access)
        }
        lines = ["extension \(owner.type.qualifiedName) {"] + lines.map { "    " + $0 } + ["}"]
        var conditions = member.head.conditions
        for condition in owner.conditions where !conditions.contains(condition) {
            conditions.append(condition)
        }
        text.append(lines, when: conditions)
    }

    private struct Owner {
        var type: NominalType
        var access: AccessLevel
        var conditions: [String]
        var symbolContext: SymbolName.Context
    }

    private func owner(of member: ManagedMember) throws(ResolutionFailure) -> Owner {
        let path = member.head.context
        let own = try resolver.nominal(at: path, in: resolver.module)
        var found = own
        for dependency in resolver.dependencies where found == nil {
            found = try resolver.nominal(at: path, in: dependency)
        }
        guard let type = found, type.kind == .class else {
            throw ResolutionFailure(
                sentence: "the class '\(path.joined(separator: "."))' was not found in this target")
        }
        if let component = type.path.first(where: { $0.discriminator != nil }) {
            throw ResolutionFailure(
                sentence:
                    "'\(component.name)' is private to its file, so nothing generated can name it; make it internal"
            )
        }
        var access = AccessLevel.open
        var conditions: [String] = []
        for length in 1...max(path.count, 1) {
            guard let declaration = resolver.module.types(at: Array(path.prefix(length))).first else {
                continue
            }
            access = min(access, declaration.head.access)
            if declaration.isGeneric { throw ResolutionFailure(sentence: "its class is generic") }
            conditions = declaration.head.conditions
        }
        return Owner(
            type: type, access: access, conditions: own == nil ? [] : conditions,
            symbolContext: .init(type: type, extensionModule: own == nil ? resolver.module.name : nil))
    }

    private mutating func resolve(
        _ syntax: TypeSyntax, of member: ManagedMember, isPublic: Bool
    ) throws(ResolutionFailure) -> ResolvedType {
        let type = try resolver.resolve(syntax, in: member.head.context)
        if let name = type.privateTypeName {
            throw ResolutionFailure(
                sentence:
                    "its type '\(name)' is private to its file, so nothing generated can name it; make it internal"
            )
        }
        if isPublic { publicModules.formUnion(type.modules) }
        return type
    }
}

// MARK: - Members

extension AccessorWriter {
    private mutating func nextName() -> String {
        count += 1
        return "_managed_\(resolver.module.name)_\(count)"
    }

    private mutating func accessors(
        _ member: SymbolName.Member, type: ResolvedType, owner: Owner, access: String
    ) -> [String] {
        let getter = SymbolName.accessor(.getter, of: member, type: type, in: owner.symbolContext)
        let setter = SymbolName.accessor(.setter, of: member, type: type, in: owner.symbolContext)
        let (get, set) = calls(for: member.name, in: owner)
        // A setter takes ownership of the value, which a parameter does only when it says so.
        return [
            "@_silgen_name(\(Spelling.literal(getter)))",
            "\(access)nonisolated func \(nextName())() -> \(type.source) { \(get) }",
            "@_silgen_name(\(Spelling.literal(setter)))",
            "\(access)nonisolated func \(nextName())(_ value: __owned \(type.source)) { \(set) }",
        ]
    }

    /// A property `primitiveTitle` stands for the bare value of `title`, unless the model has it.
    private func calls(for name: String, in owner: Owner) -> (get: String, set: String) {
        let prefix = "primitive"
        let className = owner.type.path.last?.name ?? ""
        if name.hasPrefix(prefix), name.dropFirst(prefix.count).first?.isUppercase == true,
            entities.hasProperty(name, inClass: className) != true
        {
            let rest = name.dropFirst(prefix.count)
            let lowered = rest.prefix(1).lowercased() + rest.dropFirst()
            let isUpper = entities.hasProperty(String(rest), inClass: className) == true
            let key = Spelling.literal(isUpper ? String(rest) : lowered)
            return ("managedPrimitiveValue(\(key))", "setManagedPrimitiveValue(\(key), value)")
        }
        let key = Spelling.literal(name)
        return ("managedValue(\(key))", "setManagedValue(\(key), value)")
    }

    private mutating func method(
        _ symbolMember: SymbolName.Member, parameters: [ManagedMember.Parameter], result: TypeSyntax,
        of member: ManagedMember, owner: Owner, properties: Set<String>, access: String
    ) throws(ResolutionFailure) -> [String] {
        var types: [ResolvedType] = []
        for parameter in parameters {
            types.append(try resolve(parameter.type, of: member, isPublic: !access.isEmpty))
        }
        let resultType = try resolve(result, of: member, isPublic: !access.isEmpty)
        let labels = parameters.map(\.label)
        guard resultType == .tuple([]),
            let call = call(of: member, labels: labels, types: types, owner: owner, properties: properties)
        else {
            throw ResolutionFailure(sentence: "it is none of Core Data's methods for a to-many relationship")
        }
        let symbol = SymbolName.method(
            symbolMember, labels: labels, parameters: types, result: resultType, in: owner.symbolContext)
        let list = types.enumerated().map { "_ value\($0.offset): \($0.element.source)" }.joined(
            separator: ", ")
        return [
            "@_silgen_name(\(Spelling.literal(symbol)))",
            "\(access)nonisolated func \(nextName())(\(list)) { \(call) }",
        ]
    }

    private func call(
        of member: ManagedMember, labels: [String?], types: [ResolvedType], owner: Owner,
        properties: Set<String>
    ) -> String? {
        let className = owner.type.path.last?.name ?? ""
        let readings = RelationshipMethod.readings(of: member.head.name)
        for reading in readings {
            for key in reading.keys
            where properties.contains(key) || entities.hasProperty(key, inClass: className) == true {
                if let call = reading.call(key: key, labels: labels, types: types) { return call }
            }
        }
        // The property may be declared elsewhere: then the likeliest reading decides.
        for reading in readings {
            if let call = reading.call(key: reading.keys[0], labels: labels, types: types) { return call }
        }
        return nil
    }
}

// MARK: - Imports

extension AccessorWriter {
    /// What the files import, since the accessors name the same types.
    private func imports(of files: [FileDeclarations]) -> [String] {
        var text = ConditionalText()
        var written: Set<String> = []
        let needsFoundation = publicModules.contains { $0.hasPrefix("Foundation") }
        // The compiler counts a type's use for the first import that brings it, and the runtime module brings
        // Foundation: the other way round it warns of a public import that was not used.
        text.append([(needsFoundation ? "public " : "") + "import Foundation"], when: [])
        text.append(
            [(publicModules.contains(resolver.runtimeModule) ? "public " : "") + "import \(importName)"],
            when: [])
        written = [importName, "Foundation"]
        for declaration in files.flatMap(\.imports) where !written.contains(declaration.module) {
            let access = publicModules.contains(declaration.module) ? "public " : ""
            let line = access + declaration.text
            guard written.insert(declaration.conditions.joined() + line).inserted else { continue }
            text.append([line], when: declaration.conditions)
        }
        text.close()
        return text.lines
    }
}

extension ResolvedType {
    /// The modules that declare its parts.
    var modules: Set<String> {
        switch self {
        case .nominal(let type, let arguments):
            arguments.reduce(into: [type.module]) { $0.formUnion($1.modules) }
        case .optional(let wrapped): wrapped.modules
        case .existential(let protocols): Set(protocols.map(\.module))
        case .anyObject: []
        case .tuple(let elements): elements.reduce(into: []) { $0.formUnion($1.modules) }
        }
    }

    /// A part of it that other files cannot name.
    var privateTypeName: String? {
        switch self {
        case .nominal(let type, let arguments):
            type.path.contains { $0.discriminator != nil }
                ? type.qualifiedName : arguments.lazy.compactMap(\.privateTypeName).first
        case .optional(let wrapped): wrapped.privateTypeName
        case .existential(let protocols):
            protocols.first { $0.path.contains { $0.discriminator != nil } }?.qualifiedName
        case .anyObject: nil
        case .tuple(let elements): elements.lazy.compactMap(\.privateTypeName).first
        }
    }
}
