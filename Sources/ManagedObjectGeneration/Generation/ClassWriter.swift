import DataModel

/// Writes the classes and extensions that Xcode generates for the entities of a model.
struct ClassWriter {
    let model: ModelFile
    let index: ModuleIndex
    private(set) var diagnostics: [GeneratorDiagnostic] = []
    private var lines: [String] = []
    /// The properties of each class, for key paths.
    private(set) var properties: [String: [String]] = [:]

    init(model: ModelFile, index: ModuleIndex) {
        self.model = model
        self.index = index
    }

    /// The classes that the model asks for, by entity.
    static func generatedClasses(of model: ModelFile, module: String) -> [String] {
        model.document.entities.compactMap {
            $0.codeGeneration == .class ? EntityIndex.localClass(of: $0, module: module) : nil
        }
    }

    /// The declarations, as lines.
    mutating func write() -> [String] {
        for entity in model.document.entities where [.class, .category].contains(entity.codeGeneration) {
            guard let name = EntityIndex.localClass(of: entity, module: index.name) else { continue }
            guard check(entity, className: name) else { continue }
            write(entity, className: name)
        }
        return lines
    }

    /// Whether the model's choice of code generation fits the source.
    private mutating func check(_ entity: EntityDocument, className: String) -> Bool {
        let declared = index.types(at: [className]).first
        if entity.codeGeneration == .class, let declared {
            diagnostics.append(
                GeneratorDiagnostic(
                    .error, at: declared.head.location,
                    "the model '\(model.name)' generates the class '\(className)' too; set the entity's Codegen "
                        + "to Category/Extension or Manual/None, or remove this class"))
            return false
        }
        if entity.codeGeneration == .category, declared == nil {
            diagnostics.append(
                GeneratorDiagnostic(
                    .error, path: model.path,
                    "the entity '\(entity.name)' has Codegen Category/Extension, but the target declares no class "
                        + "'\(className)'; write one, or set Codegen to Class Definition"))
            return false
        }
        return true
    }

    private mutating func write(_ entity: EntityDocument, className: String) {
        let parent = entity.parentName.flatMap { model.document.entity(named: $0) }
        let superclass = parent.map(spelledClass) ?? "NSManagedObject"
        let isFirst = parent == nil || superclass == "NSManagedObject"
        let name = Spelling.escaped(className)
        let access: String
        if entity.codeGeneration == .class {
            lines.append("/// The class of the entity \(entity.name) of the model \(model.name).")
            lines.append("nonisolated public class \(name): \(superclass) {")
            access = "public "
        } else {
            lines.append("extension \(name) {")
            let level = index.types(at: [className]).first?.head.access ?? .internal
            access = level >= .public ? "public " : ""
        }
        lines.append("    \(access)class func fetchRequest() -> NSFetchRequest<\(name)> {")
        lines.append("        NSFetchRequest<\(name)>(entityName: \(Spelling.literal(entity.name)))")
        lines.append("    }")
        for attribute in entity.attributes {
            let type = AttributeSpelling.type(of: attribute)
            guard AttributeSpelling.isType(type) else {
                diagnostics.append(
                    GeneratorDiagnostic(
                        .error, path: model.path,
                        "the attribute '\(entity.name).\(attribute.name)' names '\(attribute.customClassName ?? "")', "
                            + "which is not a Swift type; correct its Custom Class"))
                continue
            }
            property(attribute.name, type: type, access: access, className: className)
        }
        for relationship in entity.relationships {
            write(relationship, access: access, className: className)
        }
        for fetched in entity.fetchedProperties {
            let destination = spelledClass(fetched.fetchRequest?.entityName)
            property(fetched.name, type: "[\(destination)]?", access: access, className: className)
        }
        lines.append("}")
        lines.append("")
        if isFirst {
            lines.append("extension \(name): Identifiable {}")
            lines.append("")
        }
    }

    private mutating func property(_ name: String, type: String, access: String, className: String) {
        properties[className, default: []].append(name)
        lines += [
            "    \(access)var \(Spelling.escaped(name)): \(type) {",
            "        get { managedValue(\(Spelling.literal(name))) }",
            "        set { setManagedValue(\(Spelling.literal(name)), newValue) }",
            "    }",
        ]
    }

    private func spelledClass(_ entityName: String?) -> String {
        guard let entity = entityName.flatMap({ model.document.entity(named: $0) }) else {
            return "NSManagedObject"
        }
        return spelledClass(entity)
    }

    private func spelledClass(_ entity: EntityDocument) -> String {
        let parts = entity.className(inModule: index.name).split(separator: ".").map(String.init)
        let local = parts.first == index.name && parts.count > 1 ? Array(parts.dropFirst()) : parts
        return local.map(Spelling.escaped).joined(separator: ".")
    }
}

// MARK: - Relationships

extension ClassWriter {
    private mutating func write(_ relationship: RelationshipDocument, access: String, className: String) {
        let destination = spelledClass(relationship.destinationEntityName)
        guard relationship.isToMany else {
            return property(relationship.name, type: destination + "?", access: access, className: className)
        }
        let collection = relationship.isOrdered ? "NSOrderedSet" : "NSSet"
        property(relationship.name, type: collection + "?", access: access, className: className)
        let key = Spelling.literal(relationship.name)
        let name = Spelling.capitalized(relationship.name)
        var methods = [
            ("addTo\(name)(_ value: \(destination))", "addManagedObject(\(key), value)"),
            ("removeFrom\(name)(_ value: \(destination))", "removeManagedObject(\(key), value)"),
            ("addTo\(name)(_ values: \(collection))", "addManagedObjects(\(key), values)"),
            ("removeFrom\(name)(_ values: \(collection))", "removeManagedObjects(\(key), values)"),
        ]
        if relationship.isOrdered {
            methods += [
                (
                    "insertInto\(name)(_ value: \(destination), at idx: Int)",
                    "insertManagedObject(\(key), value, at: idx)"
                ),
                ("removeFrom\(name)(at idx: Int)", "removeManagedObject(\(key), at: idx)"),
                (
                    "insertInto\(name)(_ values: [\(destination)], at indexes: NSIndexSet)",
                    "insertManagedObjects(\(key), values, at: indexes)"
                ),
                ("removeFrom\(name)(at indexes: NSIndexSet)", "removeManagedObjects(\(key), at: indexes)"),
                (
                    "replace\(name)(at idx: Int, with value: \(destination))",
                    "replaceManagedObject(\(key), at: idx, with: value)"
                ),
                (
                    "replace\(name)(at indexes: NSIndexSet, with values: [\(destination)])",
                    "replaceManagedObjects(\(key), at: indexes, with: values)"
                ),
            ]
        }
        for (signature, call) in methods { lines.append("    \(access)func \(signature) { \(call) }") }
    }
}
