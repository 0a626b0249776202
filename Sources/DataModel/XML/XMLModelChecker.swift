/// Checks the names that the parts of a model refer to, with the lines of the XML at hand.
struct XMLModelChecker {
    private let model: ModelDocument
    private let file: String
    private let entityElements: [XMLElement]
    private let compositeElements: [XMLElement]
    private let requestElements: [XMLElement]
    private var byName: [String: EntityDocument] = [:]
    private var own: [String: Set<String>] = [:]
    private(set) var warnings: [String] = []

    init(model: ModelDocument, root: XMLElement, file: String) {
        self.model = model
        self.file = file
        entityElements = root.children("entity")
        compositeElements = root.children("composite")
        requestElements = root.children("fetchRequest")
    }

    mutating func check() throws {
        try rejectDuplicates(entityElements, nil)
        try rejectDuplicates(compositeElements, nil)
        try rejectDuplicates(requestElements, nil)
        for entity in model.entities {
            byName[entity.name] = entity
            own[entity.name] = Set(
                entity.attributes.map(\.name) + entity.relationships.map(\.name)
                    + entity.fetchedProperties.map(\.name))
        }
        for (entity, element) in zip(model.entities, entityElements) {
            try checkParents(entity, element)
        }
        for (entity, element) in zip(model.entities, entityElements) {
            let kinds: Set<String> = ["attribute", "relationship", "fetchedProperty"]
            try rejectDuplicates(element.children.filter { kinds.contains($0.name) }, entity.name)
            try checkRelationships(entity, element)
            try checkComposites(element.children("attribute"), entity.name)
            noteProperties(entity, element)
        }
        for element in compositeElements {
            try rejectDuplicates(element.children("attribute"), element.attributes["name"])
            try checkComposites(element.children("attribute"), element.attributes["name"])
        }
        try checkCompositeCycles()
    }

    private func rejectDuplicates(_ elements: [XMLElement], _ owner: String?) throws {
        var seen: Set<String> = []
        for element in elements {
            let name = element.attributes["name"] ?? ""
            guard seen.insert(name).inserted else {
                throw error(.duplicate(name), element, owner, "name")
            }
        }
    }

    private func checkParents(_ entity: EntityDocument, _ element: XMLElement) throws {
        var path = [entity.name]
        var seen: Set<String> = [entity.name]
        var next = entity.parentName
        while let name = next {
            guard let parent = byName[name] else {
                // Only the entity that writes the name has the line of the mistake.
                guard path.count == 1 else { return }
                throw error(.unknownName(name, what: "entity"), element, nil, "parentEntity")
            }
            path.append(name)
            guard seen.insert(name).inserted else { throw error(.cycle(path), element, nil, "parentEntity") }
            next = parent.parentName
        }
    }

    private func checkRelationships(_ entity: EntityDocument, _ element: XMLElement) throws {
        for (relationship, child) in zip(entity.relationships, element.children("relationship")) {
            if let name = relationship.destinationEntityName, byName[name] == nil {
                throw error(.unknownName(name, what: "entity"), child, entity.name, "destinationEntity")
            }
            if let name = relationship.inverseEntityName, byName[name] == nil {
                throw error(.unknownName(name, what: "entity"), child, entity.name, "inverseEntity")
            }
            guard let inverse = relationship.inverseName else { continue }
            let homes = [relationship.inverseEntityName, relationship.destinationEntityName].compactMap { $0 }
            guard homes.isEmpty || homes.contains(where: { hasRelationship(inverse, near: $0) }) else {
                throw error(.unknownName(inverse, what: "relationship"), child, entity.name, "inverseName")
            }
        }
    }

    /// Whether the entity, a parent of it or an entity below it has the relationship.
    private func hasRelationship(_ name: String, near home: String) -> Bool {
        let lines = [home] + parents(of: home)
        if lines.contains(where: { hasOwnRelationship(name, $0) }) { return true }
        return model.entities.contains {
            hasOwnRelationship(name, $0.name) && parents(of: $0.name).contains(home)
        }
    }

    private func hasOwnRelationship(_ name: String, _ entity: String) -> Bool {
        byName[entity]?.relationships.contains { $0.name == name } ?? false
    }

    private func parents(of name: String) -> [String] {
        var result: [String] = []
        var next = byName[name]?.parentName
        // checkParents has shown that there is no circle.
        while let parent = next {
            result.append(parent)
            next = byName[parent]?.parentName
        }
        return result
    }

    private func checkComposites(_ elements: [XMLElement], _ owner: String?) throws {
        for element in elements {
            guard let name = element.attributes["composite"], !name.isEmpty else { continue }
            guard model.composites.contains(where: { $0.name == name }) else {
                throw error(.unknownName(name, what: "composite"), element, owner, "composite")
            }
        }
    }

    private func checkCompositeCycles() throws {
        var inner: [String: Set<String>] = [:]
        for composite in model.composites {
            inner[composite.name] = Set(composite.attributes.compactMap(\.compositeName))
        }
        for element in compositeElements {
            let start = element.attributes["name"] ?? ""
            var seen: Set<String> = []
            var waiting = inner[start] ?? []
            while let name = waiting.popFirst() {
                if name == start { throw error(.cycle([start, start]), element, nil, "name") }
                if seen.insert(name).inserted { waiting.formUnion(inner[name] ?? []) }
            }
        }
    }

    private mutating func noteProperties(_ entity: EntityDocument, _ element: XMLElement) {
        let inherited = parents(of: entity.name).reduce(into: Set<String>()) { $0.formUnion(own[$1] ?? []) }
        let mine = own[entity.name] ?? []
        for name in mine.intersection(inherited).sorted() {
            note("the property '\(name)' is also one of a parent", element)
        }
        let used =
            entity.indexes.flatMap { $0.elements.compactMap(\.propertyName) }
            + entity.compoundIndexes.flatMap { $0 } + entity.uniquenessConstraints.flatMap { $0 }
        for name in Set(used).subtracting(mine).subtracting(inherited).sorted() where !name.contains(".") {
            note("an index or constraint names the property '\(name)', which does not exist", element)
        }
    }

    private mutating func note(_ text: String, _ element: XMLElement) {
        warnings.append("\(file):\(element.line), \(XMLModelReader.title(element)): \(text)")
    }

    private func error(
        _ kind: ModelDocumentError.Kind, _ element: XMLElement, _ owner: String?, _ attribute: String
    ) -> ModelDocumentError {
        let title = XMLModelReader.title(element) + (owner.map { " of '\($0)'" } ?? "")
        return ModelDocumentError(kind, file: file, line: element.line, element: title, attribute: attribute)
    }
}
