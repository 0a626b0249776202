import TestSupport

@testable import StratusCoreData

extension SketchModel {
    /// A model of a few entities with inheritance, attributes and all kinds of relationships.
    static func random(_ random: inout Random) -> SketchModel {
        var model = SketchModel()
        for number in 0..<random.int(2...5) {
            let id = model.newID()
            let parent = random.oneIn(3) ? model.entities.randomElement(using: &random)?.id : nil
            model.entities.append(Entity(id: id, name: "E\(number)", parent: parent))
        }
        for entity in model.entities {
            for _ in 0..<random.int(0...3) { model.addAttribute(to: entity.id, &random) }
        }
        for _ in 0..<random.int(0...4) { model.addRelationship(&random) }
        return model
    }

    mutating func freshName(_ prefix: String) -> String { "\(prefix)\(newID())" }

    mutating func addAttribute(to id: Int, _ random: inout Random, mayBeRequired: Bool = true) {
        guard let index = index(id) else { return }
        // Names of siblings may be equal: their columns then get numbers.
        let sibling = entities[index].parent.flatMap { parent in children(parent).first { $0.id != id } }
        let taken = Set(chain(id).flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) })
            .union(family(id).flatMap { $0.attributes.map(\.name) })
        var name = freshName("a")
        if random.oneIn(3), let other = sibling?.attributes.randomElement(using: &random)?.name,
            !taken.contains(other)
        {
            name = other
        }
        var attribute = Attribute(
            id: newID(), name: name, type: random.pick(SketchValue.types, else: .stringAttributeType))
        attribute.hasDefault = random.oneIn(2)
        attribute.isOptional = !(attribute.hasDefault && mayBeRequired && random.oneIn(2))
        entities[index].attributes.append(attribute)
    }

    mutating func addRelationship(_ random: inout Random) {
        guard let owner = entities.indices.randomElement(using: &random),
            let target = entities.indices.randomElement(using: &random)
        else { return }
        let (first, second) = (newID(), newID())
        let hasInverse = !random.oneIn(3)
        entities[owner].relationships.append(
            Relationship(
                id: first, name: freshName("r"), destination: entities[target].id, isToMany: random.oneIn(2),
                isOrdered: random.oneIn(3), inverse: hasInverse ? second : nil))
        guard hasInverse else { return }
        entities[target].relationships.append(
            Relationship(
                id: second, name: freshName("r"), destination: entities[owner].id, isToMany: random.oneIn(2),
                isOrdered: random.oneIn(3), inverse: first))
    }

    // MARK: Edits that inference accepts

    mutating func edit(_ random: inout Random) {
        switch random.int(0...15) {
        case 0: if let id = anyEntity(&random) { addAttribute(to: id, &random) }
        case 1: removeAttribute(&random)
        case 2, 3: renameAttribute(&random)
        case 4: renameEntity(&random)
        case 5:
            let id = newID()
            entities.append(
                Entity(
                    id: id, name: random.pick(["A", "F", "Z"], else: "Q") + "\(id)",
                    parent: random.oneIn(2) ? anyEntity(&random) : nil))
            addAttribute(to: id, &random)
        case 6: removeEntity(&random)
        case 7: addRelationship(&random)
        case 8: removeRelationship(&random)
        case 9: changeRelationship(&random)
        case 10: changeOptionality(&random)
        case 11: addParent(&random)
        case 12: moveAttributeUp(&random)
        case 13: moveAttributeDown(&random)
        case 14: takeOut(&random)
        default: addIndex(&random)
        }
    }

    private func anyEntity(_ random: inout Random) -> Int? { entities.randomElement(using: &random)?.id }

    private mutating func removeAttribute(_ random: inout Random) {
        guard let index = entities.indices.randomElement(using: &random), !entities[index].attributes.isEmpty
        else { return }
        let gone = entities[index].attributes.remove(at: random.int(0...entities[index].attributes.count - 1))
        if entities[index].indexed == gone.name { entities[index].indexed = nil }
    }

    private mutating func renameAttribute(_ random: inout Random) {
        guard let index = entities.indices.randomElement(using: &random),
            let place = entities[index].attributes.indices.randomElement(using: &random)
        else { return }
        let old = entities[index].attributes[place]
        let name = freshName("n")
        entities[index].attributes[place].name = name
        entities[index].attributes[place].identifier = old.identifier ?? old.name
        if entities[index].indexed == old.name { entities[index].indexed = name }
    }

    private mutating func renameEntity(_ random: inout Random) {
        guard let index = entities.indices.randomElement(using: &random) else { return }
        let old = entities[index]
        entities[index].name = random.pick(["B", "Y"], else: "C") + "\(newID())"
        entities[index].identifier = old.identifier ?? old.name
    }

    private mutating func removeEntity(_ random: inout Random) {
        guard entities.count > 1,
            let id = entities.filter({ children($0.id).isEmpty }).randomElement(using: &random)?.id
        else { return }
        let gone = Set(
            entities.flatMap { entity in
                entity.relationships.filter { $0.destination == id || entity.id == id }.map(\.id)
            })
        entities.removeAll { $0.id == id }
        drop(gone)
    }

    private mutating func drop(_ gone: Set<Int>) {
        for index in entities.indices {
            entities[index].relationships.removeAll { gone.contains($0.id) }
            for place in entities[index].relationships.indices {
                guard let inverse = entities[index].relationships[place].inverse, gone.contains(inverse)
                else { continue }
                entities[index].relationships[place].inverse = nil
            }
        }
    }

    /// Removes both sides or one of them.
    private mutating func removeRelationship(_ random: inout Random) {
        guard let gone = entities.flatMap(\.relationships).randomElement(using: &random) else { return }
        drop(random.oneIn(2) ? [gone.id] : Set([gone.id, gone.inverse].compactMap { $0 }))
    }

    /// To-many, another order, another name, or an inverse.
    private mutating func changeRelationship(_ random: inout Random) {
        guard let index = entities.indices.randomElement(using: &random),
            let place = entities[index].relationships.indices.randomElement(using: &random)
        else { return }
        var relationship = entities[index].relationships[place]
        switch random.int(0...3) {
        case 0: relationship.isToMany = true
        case 1: relationship.isOrdered.toggle()
        case 2:
            relationship.identifier = relationship.identifier ?? relationship.name
            relationship.name = freshName("s")
        default:
            guard relationship.inverse == nil, let target = self.index(relationship.destination) else {
                return
            }
            let id = newID()
            relationship.inverse = id
            entities[target].relationships.append(
                Relationship(
                    id: id, name: freshName("i"), destination: entities[index].id, isToMany: !random.oneIn(3),
                    isOrdered: random.oneIn(3), inverse: relationship.id))
            guard let again = entities[index].relationships.firstIndex(where: { $0.id == relationship.id })
            else { return }
            entities[index].relationships[again] = relationship
            return
        }
        entities[index].relationships[place] = relationship
    }

    private mutating func changeOptionality(_ random: inout Random) {
        guard let index = entities.indices.randomElement(using: &random),
            let place = entities[index].attributes.indices.randomElement(using: &random)
        else { return }
        entities[index].attributes[place].isOptional.toggle()
        entities[index].attributes[place].hasDefault = true
    }

    private mutating func addParent(_ random: inout Random) {
        guard
            let child = entities.indices.filter({ entities[$0].parent == nil }).randomElement(using: &random)
        else { return }
        let id = newID()
        entities[child].parent = id
        entities.append(Entity(id: id, name: random.pick(["D", "X"], else: "D") + "\(id)"))
    }

    private mutating func moveAttributeUp(_ random: inout Random) {
        guard
            let child = entities.indices.filter({ entities[$0].parent != nil }).randomElement(using: &random),
            let parent = entities[child].parent, let above = index(parent),
            let place = entities[child].attributes.indices.randomElement(using: &random)
        else { return }
        let attribute = entities[child].attributes[place]
        let others = family(parent).filter { $0.id != entities[child].id }.flatMap {
            $0.attributes.map(\.name)
        }
        guard !others.contains(attribute.name), attribute.isOptional || attribute.hasDefault else { return }
        entities[child].attributes.remove(at: place)
        if entities[child].indexed == attribute.name { entities[child].indexed = nil }
        entities[above].attributes.append(attribute)
    }

    private mutating func moveAttributeDown(_ random: inout Random) {
        guard
            let child = entities.indices.filter({ entities[$0].parent != nil }).randomElement(using: &random),
            let parent = entities[child].parent, let above = index(parent),
            let place = entities[above].attributes.indices.randomElement(using: &random)
        else { return }
        let attribute = entities[above].attributes.remove(at: place)
        if entities[above].indexed == attribute.name { entities[above].indexed = nil }
        entities[child].attributes.append(attribute)
    }

    /// Makes an entity a root; it keeps its inherited attributes as its own.
    private mutating func takeOut(_ random: inout Random) {
        guard
            let index = entities.indices.filter({ entities[$0].parent != nil }).randomElement(using: &random)
        else { return }
        let inherited = chain(entities[index].id).dropFirst().flatMap(\.attributes)
        entities[index].parent = nil
        if !random.oneIn(3) { entities[index].attributes += inherited }
    }

    private mutating func addIndex(_ random: inout Random) {
        guard let index = entities.indices.randomElement(using: &random) else { return }
        entities[index].indexed = entities[index].attributes.randomElement(using: &random)?.name
    }
}
