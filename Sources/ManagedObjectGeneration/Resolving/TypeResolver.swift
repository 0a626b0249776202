/// Why a type has no certain name.
struct ResolutionFailure: Error {
    var sentence: String
}

/// Finds the declarations that types of the source refer to.
struct TypeResolver {
    /// The module whose members are resolved.
    let module: ModuleIndex
    /// Modules of the same build that the target depends on, by name.
    let dependencies: [ModuleIndex]
    /// Classes that the generator writes itself, which no file declares.
    let generatedClasses: Set<String>
    /// The module that declares `NSManagedObject`.
    let runtimeModule: String

    private static let runtimeClasses: Set<String> = [
        "NSManagedObject", "NSManagedObjectID", "NSManagedObjectContext", "NSManagedObjectModel",
        "NSEntityDescription", "NSPersistentStore", "NSPersistentStoreCoordinator",
    ]

    /// Aliases may name aliases, but not for ever.
    private static let depthLimit = 32

    /// The type that is meant at a place inside those types.
    func resolve(_ syntax: TypeSyntax, in context: [String], depth: Int = 0) throws(ResolutionFailure)
        -> ResolvedType
    {
        guard depth < Self.depthLimit else { throw ResolutionFailure(sentence: "its type refers to itself") }
        switch syntax {
        case .optional(let wrapped):
            return .optional(try resolve(wrapped, in: context, depth: depth + 1))
        case .array(let element):
            return try standard("Array", [element], in: context, depth: depth)
        case .dictionary(let key, let value):
            return try standard("Dictionary", [key, value], in: context, depth: depth)
        case .tuple(let elements):
            var types: [ResolvedType] = []
            for element in elements { types.append(try resolve(element, in: context, depth: depth + 1)) }
            return .tuple(types)
        case .existential(let parts):
            guard parts.count == 1, let part = parts.first else {
                throw ResolutionFailure(sentence: "a composition of protocols is not supported as its type")
            }
            return try resolve(part, in: context, depth: depth + 1)
        case .named(let components):
            return try resolve(components, in: context, depth: depth)
        case .other(let what):
            throw ResolutionFailure(sentence: "its type (\(what)) is not supported")
        }
    }

    private func standard(
        _ name: String, _ arguments: [TypeSyntax], in context: [String], depth: Int
    ) throws(ResolutionFailure) -> ResolvedType {
        var types: [ResolvedType] = []
        for argument in arguments { types.append(try resolve(argument, in: context, depth: depth + 1)) }
        let component = NominalType.Component(name: name, kind: .structure)
        return .nominal(NominalType(module: "Swift", path: [component]), types)
    }

    private func resolve(
        _ components: [TypeSyntax.Component], in context: [String], depth: Int
    ) throws(ResolutionFailure) -> ResolvedType {
        let path = components.map(\.name)
        if let special = special(path) { return special }
        let arguments = components.last?.arguments ?? []
        guard components.dropLast().allSatisfy({ $0.arguments.isEmpty }) else {
            throw ResolutionFailure(sentence: "a type inside a generic type is not supported as its type")
        }
        var types: [ResolvedType] = []
        for argument in arguments { types.append(try resolve(argument, in: context, depth: depth + 1)) }
        if path == ["Optional"], types.count == 1 { return .optional(types[0]) }
        if let found = try local(path, arguments: types, in: context, depth: depth) { return found }
        for dependency in dependencies {
            if let found = try declared(path, arguments: types, in: dependency, depth: depth) { return found }
        }
        if let nominal = platform(path, hasArguments: !arguments.isEmpty) {
            return nominal.kind == .protocol ? .existential([nominal]) : .nominal(nominal, types)
        }
        throw ResolutionFailure(
            sentence: "the declaration of '\(path.joined(separator: "."))' was not found in this target")
    }

    private func special(_ path: [String]) -> ResolvedType? {
        switch path {
        case ["Any"], ["Swift", "Any"]: .any
        case ["AnyObject"], ["Swift", "AnyObject"]: .anyObject
        case ["Void"]: .tuple([])
        default: nil
        }
    }

    private func platform(_ path: [String], hasArguments: Bool) -> NominalType? {
        let modules: Set<String> = ["Swift", "Foundation", "CoreData", runtimeModule]
        let isQualified = path.count > 1 && path.first.map(modules.contains) ?? false
        let path = isQualified ? Array(path.dropFirst()) : path
        if path.count == 1, Self.runtimeClasses.contains(path[0]) {
            return NominalType(module: runtimeModule, path: [.init(name: path[0], kind: .class)])
        }
        return PlatformTypes.nominal(path, hasArguments: hasArguments)
    }

    /// Looks from the innermost type around the member to the top of the module.
    private func local(
        _ path: [String], arguments: [ResolvedType], in context: [String], depth: Int
    ) throws(ResolutionFailure) -> ResolvedType? {
        for length in stride(from: context.count, through: 0, by: -1) {
            for scope in scopes(of: Array(context.prefix(length))) {
                if let found = try declared(scope + path, arguments: arguments, in: module, depth: depth) {
                    return found
                }
            }
        }
        guard path.count > 1, path.first == module.name else { return nil }
        return try declared(Array(path.dropFirst()), arguments: arguments, in: module, depth: depth)
    }

    /// A type and its superclasses in the same module, whose nested types are seen without a prefix.
    private func scopes(of context: [String]) -> [[String]] {
        var scopes = [context]
        var current = context
        while !current.isEmpty, scopes.count < Self.depthLimit,
            case .named(let parent)? = module.types(at: current).first?.inherited.first
        {
            current = parent.map(\.name)
            scopes.append(current)
        }
        return scopes
    }
}

// MARK: - Declarations

extension TypeResolver {
    /// The type or alias of exactly that path in a module, or nil.
    private func declared(
        _ path: [String], arguments: [ResolvedType], in index: ModuleIndex, depth: Int
    ) throws(ResolutionFailure) -> ResolvedType? {
        let path =
            index !== module && path.first == index.name && path.count > 1 ? Array(path.dropFirst()) : path
        if let alias = index.aliases(at: path).first {
            guard !alias.isGeneric, arguments.isEmpty else {
                throw ResolutionFailure(
                    sentence: "the generic alias '\(alias.head.name)' is not supported as its type")
            }
            guard index === module else {
                throw ResolutionFailure(
                    sentence: "the alias '\(alias.head.name)' of another module is not supported")
            }
            return try resolve(alias.type, in: alias.head.context, depth: depth + 1)
        }
        guard let nominal = try nominal(at: path, in: index) else { return nil }
        return nominal.kind == .protocol ? .existential([nominal]) : .nominal(nominal, arguments)
    }

    /// The type of exactly that path in a module, or nil.
    func nominal(at path: [String], in index: ModuleIndex) throws(ResolutionFailure) -> NominalType? {
        var components: [NominalType.Component] = []
        for length in 1...max(path.count, 1) {
            let prefix = Array(path.prefix(length))
            let declarations = index.types(at: prefix)
            guard let first = declarations.first else {
                guard index === module, length == 1, prefix.count == 1, generatedClasses.contains(prefix[0])
                else { return nil }
                components.append(.init(name: prefix[0], kind: .class))
                continue
            }
            guard Set(declarations.map(\.keyword)).count == 1 else {
                throw ResolutionFailure(
                    sentence: "'\(first.head.name)' is declared differently in the branches of an #if")
            }
            if length < path.count, first.isGeneric {
                throw ResolutionFailure(sentence: "a type inside a generic type is not supported")
            }
            let isOutermostPrivate =
                first.head.access.isPrivateToFile && components.allSatisfy { $0.discriminator == nil }
            let file = first.head.location.path.split(separator: "/").last.map(String.init) ?? ""
            components.append(
                .init(
                    name: first.head.name, kind: kind(of: first.keyword),
                    discriminator: isOutermostPrivate
                        ? FileDiscriminator.of(fileName: file, module: index.name) : nil))
        }
        return components.isEmpty ? nil : NominalType(module: index.name, path: components)
    }

    private func kind(of keyword: TypeDeclaration.Keyword) -> NominalType.Kind {
        switch keyword {
        case .class, .actor: .class
        case .struct: .structure
        case .enum: .enumeration
        case .protocol: .protocol
        }
    }
}
