/// Writes what was inferred as a mapping model, in the expressions that Xcode writes.
struct InferredMapping {
    let model = NSMappingModel()

    init(_ match: ModelCorrespondence) {
        model.entityMappings =
            match.entities.map { Self.mapping($0, match) } + match.removed.map(Self.removal)
        model.noteInferred()
    }

    private static func mapping(_ entity: EntityMatch, _ match: ModelCorrespondence) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        let destination = entity.destination
        mapping.destinationEntityName = destination.name
        mapping.destinationEntityVersionHash = destination.versionHash
        guard let source = entity.source else {
            mapping.mappingType = .addEntityMappingType
            mapping.name = "IEM_Add_\(destination.name ?? "")"
            return mapping
        }
        let isCopy = source.name == destination.name && source.versionHash == destination.versionHash
        mapping.mappingType = isCopy ? .copyEntityMappingType : .transformEntityMappingType
        mapping.name = "IEM_\(isCopy ? "Copy" : "Transform")_\(destination.name ?? "")"
        mapping.sourceEntityName = source.name
        mapping.sourceEntityVersionHash = source.versionHash
        mapping.sourceExpression = fetch(source)
        for property in destination.properties.sorted(by: { $0.name < $1.name }) where !property.isTransient {
            guard let old = entity.properties[property.name], !old.isTransient else { continue }
            switch property {
            case is NSDerivedAttributeDescription, is NSFetchedPropertyDescription: continue
            case is NSRelationshipDescription:
                mapping.relationshipMappings =
                    (mapping.relationshipMappings ?? []) + [relationship(property, old)]
            default:
                mapping.attributeMappings = (mapping.attributeMappings ?? []) + [attribute(property, old)]
            }
        }
        return mapping
    }

    private static func removal(_ entity: NSEntityDescription) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.mappingType = .removeEntityMappingType
        mapping.name = "IEM_Remove_\(entity.name ?? "")"
        mapping.sourceEntityName = entity.name
        mapping.sourceEntityVersionHash = entity.versionHash
        mapping.sourceExpression = fetch(entity)
        return mapping
    }

    /// `FETCH(FUNCTION($manager, "fetchRequestForSourceEntityNamed:predicateString:", …), $manager.sourceContext, NO)`
    private static func fetch(_ entity: NSEntityDescription) -> Predicates.NSExpression {
        let request = ExpressionTree.message(
            .variable("manager"), selector: "fetchRequestForSourceEntityNamed:predicateString:",
            arguments: [
                .constant(PredicateValue(entity.name ?? "")), .constant(PredicateValue("TRUEPREDICATE")),
            ])
        return Predicates.NSExpression(
            tree: .fetch(
                request: request, context: .member(.variable("manager"), ["sourceContext"]),
                countOnly: .constant(PredicateValue(false))))
    }

    /// `FUNCTION($source, "valueForKey:", "name")`
    private static func attribute(_ new: NSPropertyDescription, _ old: NSPropertyDescription)
        -> NSPropertyMapping
    {
        NSPropertyMapping(name: new.name, valueExpression: Predicates.NSExpression(tree: value(old.name)))
    }

    private static func value(_ name: String) -> ExpressionTree {
        .message(.variable("source"), selector: "valueForKey:", arguments: [.constant(PredicateValue(name))])
    }

    /// `FUNCTION($manager, "destinationInstancesForSourceRelationshipNamed:sourceInstances:", "name", …)`
    private static func relationship(_ new: NSPropertyDescription, _ old: NSPropertyDescription)
        -> NSPropertyMapping
    {
        let tree = ExpressionTree.message(
            .variable("manager"), selector: "destinationInstancesForSourceRelationshipNamed:sourceInstances:",
            arguments: [.constant(PredicateValue(old.name)), value(old.name)])
        return NSPropertyMapping(name: new.name, valueExpression: Predicates.NSExpression(tree: tree))
    }
}
