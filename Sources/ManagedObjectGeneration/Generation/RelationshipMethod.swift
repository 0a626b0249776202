/// What a method such as `addToItems(_:)` does, by its name.
struct RelationshipMethod: Hashable {
    enum Verb: String, Hashable {
        case add, remove, insert, replace
    }

    var verb: Verb
    /// The relationship as the name gives it, with an upper-case first letter.
    var subject: String

    /// The keys that the relationship may have.
    var keys: [String] { [subject.prefix(1).lowercased() + subject.dropFirst(), subject] }

    /// The readings of a method's name, the likeliest first.
    static func readings(of name: String) -> [RelationshipMethod] {
        let patterns: [(String, String, Verb)] = [
            ("addTo", "", .add), ("removeFrom", "", .remove), ("insertInto", "", .insert),
            ("replace", "", .replace), ("add", "Object", .add), ("remove", "Object", .remove),
            ("add", "", .add), ("remove", "", .remove), ("insert", "", .insert),
        ]
        return patterns.compactMap { prefix, suffix, verb in
            guard name.hasPrefix(prefix), name.hasSuffix(suffix),
                name.count > prefix.count + suffix.count
            else { return nil }
            let subject = String(name.dropFirst(prefix.count).dropLast(suffix.count))
            guard subject.first?.isLowercase == false else { return nil }
            return RelationshipMethod(verb: verb, subject: subject)
        }
    }

    /// The call that does it; nil where the parameters fit no such method.
    func call(key: String, labels: [String?], types: [ResolvedType]) -> String? {
        let key = Spelling.literal(key)
        let names = (0..<types.count).map { "value\($0)" }
        let shapes = types.map(Shape.init)
        switch (verb, shapes) {
        case (.add, [.object]): return "addManagedObject(\(key), value0)"
        case (.remove, [.object]): return "removeManagedObject(\(key), value0)"
        case (.add, [.set]), (.add, [.orderedSet]): return "addManagedObjects(\(key), value0)"
        case (.remove, [.set]), (.remove, [.orderedSet]): return "removeManagedObjects(\(key), value0)"
        case (.add, [.swiftCollection]):
            return "addManagedObjects(\(key), NSSet(array: Array(value0)))"
        case (.remove, [.swiftCollection]):
            return "removeManagedObjects(\(key), NSSet(array: Array(value0)))"
        case (.remove, [.index]): return "removeManagedObject(\(key), at: value0)"
        case (.remove, [.indexSet]): return "removeManagedObjects(\(key), at: value0)"
        case (.insert, [.object, .index]): return "insertManagedObject(\(key), value0, at: value1)"
        case (.insert, [.swiftCollection, .indexSet]):
            return "insertManagedObjects(\(key), \(names[0]), at: value1)"
        case (.replace, [.index, .object]): return "replaceManagedObject(\(key), at: value0, with: value1)"
        case (.replace, [.indexSet, .swiftCollection]):
            return "replaceManagedObjects(\(key), at: value0, with: value1)"
        default: return nil
        }
    }

    private enum Shape {
        case object, set, orderedSet, swiftCollection, index, indexSet, other

        init(_ type: ResolvedType) {
            guard case .nominal(let nominal, let arguments) = type, let name = nominal.path.last?.name else {
                self = .other
                return
            }
            switch (nominal.module, name) {
            case ("Foundation", "NSSet"): self = .set
            case ("Foundation", "NSOrderedSet"): self = .orderedSet
            case ("Foundation", "NSIndexSet"): self = .indexSet
            case ("Swift", "Int"): self = .index
            case ("Swift", "Set"), ("Swift", "Array"): self = arguments.count == 1 ? .swiftCollection : .other
            default: self = nominal.kind == .class && nominal.module != "Foundation" ? .object : .other
            }
        }
    }
}
