/// Finds the classes of a module that the run time has to know by name.
///
/// These are the classes of the target's models and every subclass of `NSManagedObject`: the model may be in another
/// target, and a class needs no managed member of its own.
struct ManagedClasses {
    /// One name, and the class that it stands for.
    struct Entry: Hashable {
        /// What models call it.
        var name: String
        /// How source refers to it.
        var type: String
        var conditions: [String]
    }

    let resolver: TypeResolver

    /// All names, sorted; a name occurs once for each `#if` branch that declares its class.
    func entries(
        generated: Set<String>, inModels classNames: [String], files: [FileDeclarations]
    ) -> [Entry] {
        let owners = files.flatMap(\.members).map(\.head.context).filter { $0.count == 1 }.compactMap(\.first)
        let derived = derivedClasses(generated: generated)
        var entries = Set(classNames).intersection(generated).map {
            Entry(name: $0, type: Spelling.escaped($0), conditions: [])
        }
        var declared = Set(derived)
        for name in Set(classNames + owners).subtracting(generated) {
            declared.formUnion(resolver.module.types(at: [name]))
        }
        for declaration in declared where isNameable(declaration) {
            let path = declaration.head.context + [declaration.head.name]
            let type = path.map(Spelling.escaped).joined(separator: ".")
            // No model can name a nested class but by what Objective-C calls it.
            let plain = declaration.head.context.isEmpty ? declaration.head.name : nil
            for name in Set([plain, declaration.objectiveCName].compactMap { $0 }) where !name.isEmpty {
                entries.append(Entry(name: name, type: type, conditions: declaration.head.conditions))
            }
        }
        return Set(entries).sorted {
            ($0.name, $0.type, $0.conditions.joined()) < ($1.name, $1.type, $1.conditions.joined())
        }
    }

    /// Whether generated code can refer to the class.
    private func isNameable(_ declaration: TypeDeclaration) -> Bool {
        let isPlain = declaration.keyword == .class && !declaration.isGeneric
        guard isPlain, !declaration.head.access.isPrivateToFile else { return false }
        let context = declaration.head.context
        return context.indices.allSatisfy { index in
            guard let outer = resolver.module.types(at: Array(context[...index])).first else { return false }
            return !outer.isGeneric && !outer.head.access.isPrivateToFile
        }
    }

    /// The classes that derive from `NSManagedObject`.
    private func derivedClasses(generated: Set<String>) -> [TypeDeclaration] {
        let modules = [resolver.module] + resolver.dependencies
        var names: Set<String> = generated.union(["NSManagedObject"])
        var candidates: Set<String> = []
        var grows = true
        while grows {
            grows = false
            for (index, module) in modules.enumerated() {
                for hint in module.superclassHints where names.contains(hint.superclass) {
                    grows = names.insert(hint.name).inserted || grows
                    if index == 0 { candidates.insert(hint.name) }
                }
            }
        }
        let module = resolver.module
        return candidates.flatMap { name in
            module.types(named: name).filter { isManaged($0, in: module, depth: 0) }
        }
    }

    /// No class has that many superclasses; a circle has.
    private static let depthLimit = 64

    private func isManaged(_ declaration: TypeDeclaration, in module: ModuleIndex, depth: Int) -> Bool {
        guard declaration.keyword == .class, depth < Self.depthLimit,
            let syntax = declaration.inherited.first,
            let type = try? resolver(of: module).resolve(syntax, in: declaration.head.context),
            case .nominal(let superclass, _) = type, superclass.kind == .class
        else { return false }
        if superclass.module == resolver.runtimeModule {
            return superclass.path.map(\.name) == ["NSManagedObject"]
        }
        let path = superclass.path.map(\.name)
        if superclass.module == resolver.module.name, path.count == 1,
            resolver.generatedClasses.contains(path[0])
        {
            return true
        }
        guard
            let home = ([resolver.module] + resolver.dependencies).first(where: {
                $0.name == superclass.module
            })
        else { return false }
        return home.types(at: path).contains { isManaged($0, in: home, depth: depth + 1) }
    }

    /// Names mean what they mean in the module that writes them.
    private func resolver(of module: ModuleIndex) -> TypeResolver {
        guard module !== resolver.module else { return resolver }
        return TypeResolver(
            module: module, dependencies: resolver.dependencies.filter { $0 !== module },
            generatedClasses: [],
            runtimeModule: resolver.runtimeModule)
    }
}
