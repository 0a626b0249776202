public import Foundation
internal import Predicates

extension ModelDocument {
    /// What distinguishes versions of the entities, by the entities' names: 32 bytes each.
    ///
    /// These are the hashes that `NSEntityDescription.versionHash` of StratusCoreData computes of the same model; a law
    /// there holds the two together. Apple's bytes are others, and not known.
    public var entityVersionHashes: [String: Data] {
        var hasher = ModelVersionHasher(self)
        return hasher.hashes()
    }
}

/// Hashes the entities of a document.
private struct ModelVersionHasher {
    private let document: ModelDocument
    private var byName: [String: EntityDocument] = [:]
    private var children: [String: [String]] = [:]
    private var composites: [String: CompositeDocument] = [:]

    init(_ document: ModelDocument) {
        self.document = document
        for entity in document.entities where byName[entity.name] == nil {
            byName[entity.name] = entity
            if let parent = entity.parentName { children[parent, default: []].append(entity.name) }
        }
        for composite in document.composites { composites[composite.name] = composite }
    }

    mutating func hashes() -> [String: Data] { byName.mapValues(hash) }

    private func hash(_ entity: EntityDocument) -> Data {
        var text = VersionText()
        let line = ancestors(of: entity)
        text.add(entity.name)
        for parent in line { text.add(parent.name) }
        text.add(entity.isAbstract ? "abstract" : "concrete")
        text.add(entity.versionHashModifier ?? "")
        var properties: [Property] = []
        for owner in line.reversed() + [entity] {
            properties +=
                owner.attributes.map(Property.attribute) + owner.relationships.map(Property.relationship)
        }
        for property in properties.sorted(by: { $0.name < $1.name }) { add(property, to: &text) }
        for constraint in entity.uniquenessConstraints.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            text.add("unique")
            for name in constraint { text.add(name) }
        }
        return text.hash
    }

    /// The entities above, the nearest first.
    private func ancestors(of entity: EntityDocument) -> [EntityDocument] {
        var line: [EntityDocument] = []
        var seen: Set<String> = [entity.name]
        var next = entity.parentName
        while let parent = next.flatMap({ byName[$0] }), seen.insert(parent.name).inserted {
            line.append(parent)
            next = parent.parentName
        }
        return line
    }

    private enum Property {
        case attribute(AttributeDocument)
        case relationship(RelationshipDocument)

        var name: String {
            switch self {
            case .attribute(let attribute): attribute.name
            case .relationship(let relationship): relationship.name
            }
        }
    }

    private func add(_ property: Property, to text: inout VersionText) {
        switch property {
        case .attribute(let attribute): add(attribute, path: [], to: &text)
        case .relationship(let relationship): add(relationship, to: &text)
        }
    }

    private func add(_ attribute: AttributeDocument, path: [String], to text: inout VersionText) {
        text.add(attribute.name)
        text.add(attribute.isOptional ? "optional" : "required")
        text.add(attribute.isTransient ? "transient" : "stored")
        text.add(attribute.versionHashModifier ?? "")
        text.add("attribute")
        text.add(String(attribute.type.rawValue))
        if let expression = attribute.derivationExpression {
            text.add("derived")
            text.add((try? ExpressionTree(parsing: expression))?.description ?? "")
        } else if attribute.type == .composite {
            text.add("composite")
            guard let name = attribute.compositeName, let composite = composites[name], !path.contains(name)
            else {
                return
            }
            for element in composite.attributes { add(element, path: path + [name], to: &text) }
        }
    }

    private func add(_ relationship: RelationshipDocument, to text: inout VersionText) {
        text.add(relationship.name)
        text.add(relationship.isOptional ? "optional" : "required")
        text.add(relationship.isTransient ? "transient" : "stored")
        text.add(relationship.versionHashModifier ?? "")
        text.add("relationship")
        let destination = relationship.destinationEntityName.flatMap { byName[$0] }
        text.add(destination?.name ?? "")
        let homes = [relationship.inverseEntityName, relationship.destinationEntityName].compactMap { $0 }
        let inverse = relationship.inverseName.flatMap { name in
            homes.contains { hasRelationship(name, near: $0) } ? name : nil
        }
        text.add(inverse ?? "")
        let order = relationship.isOrdered ? 1 : 0
        // No bound has several spellings in archived models.
        text.add(
            "\(relationship.minCount) \(max(0, relationship.maxCount)) \(relationship.deleteRule.rawValue) \(order)"
        )
    }

    /// Whether the entity, one above or one below it has the relationship.
    private func hasRelationship(_ name: String, near entity: String) -> Bool {
        guard let home = byName[entity] else { return false }
        var candidates = [home] + ancestors(of: home)
        var seen: Set<String> = [entity]
        var waiting = children[entity] ?? []
        while let next = waiting.popLast() {
            guard seen.insert(next).inserted, let child = byName[next] else { continue }
            candidates.append(child)
            waiting += children[next] ?? []
        }
        return candidates.contains { $0.relationships.contains { $0.name == name } }
    }
}

/// Parts whose bounds cannot be confused, to be hashed.
private struct VersionText {
    private var hasher = SHA256()

    mutating func add(_ part: String) {
        hasher.update("\(part.utf8.count):\(part)".utf8)
    }

    var hash: Data { hasher.finalized() }
}
