internal import Foundation
internal import Predicates

extension MappingSource {
    /// Makes the mapping model of two versions, with the expressions that Xcode makes for what the author left alone.
    ///
    /// - Throws: ``ModelDocumentError`` that names the mapping, for an entity or a property that its model does not
    ///   have, and for two mappings of one name.
    public func compiled(from source: ModelDocument, to destination: ModelDocument) throws -> MappingDocument
    {
        var compiler = MappingCompiler(mapping: self, source: source, destination: destination)
        return try compiler.compile()
    }
}

/// Compiles one mapping model.
private struct MappingCompiler {
    let mapping: MappingSource
    let source: ModelDocument
    let destination: ModelDocument
    private let sourceHashes: [String: Data]
    private let destinationHashes: [String: Data]
    private var names: Set<String> = []

    init(mapping: MappingSource, source: ModelDocument, destination: ModelDocument) {
        self.mapping = mapping
        self.source = source
        self.destination = destination
        sourceHashes = source.entityVersionHashes
        destinationHashes = destination.entityVersionHashes
    }

    mutating func compile() throws -> MappingDocument {
        var document = MappingDocument()
        for entity in mapping.entities { document.entityMappings.append(try compile(entity)) }
        return document
    }

    private mutating func compile(_ entity: MappingSource.Entity) throws -> EntityMappingDocument {
        let name = Self.name(of: entity)
        func fault(_ missing: String, _ what: String) -> ModelDocumentError {
            ModelDocumentError(
                .unknownName(missing, what: what), file: mapping.file, line: entity.line,
                element: "mapping '\(name)'")
        }
        guard names.insert(name).inserted else {
            throw ModelDocumentError(.duplicate(name), file: mapping.file, line: entity.line)
        }
        var result = EntityMappingDocument(
            name: name, sourceEntityName: entity.sourceName, destinationEntityName: entity.destinationName,
            policyClassName: entity.policyClassName, userInfo: entity.userInfo)
        if let name = entity.sourceName {
            guard source.entity(named: name) != nil else { throw fault(name, "entity of the source model") }
            result.sourceVersionHash = sourceHashes[name]
            result.sourceExpression = entity.sourceExpression ?? Self.fetch(name, entity.filter)
        }
        if let name = entity.destinationName {
            guard destination.entity(named: name) != nil else {
                throw fault(name, "entity of the destination model")
            }
            result.destinationVersionHash = destinationHashes[name]
        }
        result.kind = kind(of: result)
        let old = source.properties(of: entity.sourceName)
        let new = destination.properties(of: entity.destinationName)
        for property in entity.attributes + entity.relationships where !new.contains(property.name) {
            throw fault(property.name, "property of '\(entity.destinationName ?? "")'")
        }
        result.attributeMappings = entity.attributes.map { property in
            PropertyMappingDocument(
                name: property.name, valueExpression: property.valueExpression ?? attribute(property, old),
                userInfo: property.userInfo)
        }
        result.relationshipMappings = entity.relationships.map { property in
            PropertyMappingDocument(
                name: property.name, valueExpression: property.valueExpression ?? relationship(property, old),
                userInfo: property.userInfo)
        }
        return result
    }

    /// The name that Xcode shows where the author gave none.
    private static func name(of entity: MappingSource.Entity) -> String {
        if let name = entity.name, !name.isEmpty { return name }
        return [entity.sourceName, entity.destinationName].compactMap(\.self).joined(separator: "To")
    }

    /// What is done follows from the entities, and from whether a policy does it.
    private func kind(of mapping: EntityMappingDocument) -> EntityMappingDocument.Kind {
        if mapping.policyClassName?.isEmpty == false { return .custom }
        if mapping.sourceEntityName == nil { return .add }
        if mapping.destinationEntityName == nil { return .remove }
        let isSame =
            mapping.sourceEntityName == mapping.destinationEntityName
            && mapping.sourceVersionHash == mapping.destinationVersionHash
        return isSame ? .copy : .transform
    }

    /// `FETCH(FUNCTION($manager, "fetchRequestForSourceEntityNamed:predicateString:", …), $manager.sourceContext, NO)`
    private static func fetch(_ entity: String, _ filter: String?) -> String {
        let filter = filter.flatMap { $0.isEmpty ? nil : $0 } ?? "TRUEPREDICATE"
        let request = ExpressionTree.message(
            .variable("manager"), selector: "fetchRequestForSourceEntityNamed:predicateString:",
            arguments: [.constant(.string(entity)), .constant(.string(filter))])
        return ExpressionTree.fetch(
            request: request, context: .member(.variable("manager"), ["sourceContext"]),
            countOnly: .constant(.bool(false))
        ).description
    }

    /// The source's property of the same name; nothing for what is new.
    private func attribute(_ property: MappingSource.Property, _ old: Set<String>) -> String? {
        value(property, old)?.description
    }

    private func value(_ property: MappingSource.Property, _ old: Set<String>) -> ExpressionTree? {
        let path = property.sourceKeyPath.flatMap { $0.isEmpty ? nil : $0 }
        let keys = (path ?? property.name).split(separator: ".").map(String.init)
        guard let first = keys.first, old.contains(first) else { return nil }
        return .member(.variable("source"), keys)
    }

    /// The new objects of those that the source's relationship leads to.
    private func relationship(_ property: MappingSource.Property, _ old: Set<String>) -> String? {
        guard let value = value(property, old) else { return nil }
        var selector = "destinationInstancesForEntityMappingNamed:sourceInstances:"
        var name = property.sourceMappingName ?? ""
        if name.isEmpty {
            selector = "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
            name = property.sourceKeyPath ?? property.name
        }
        return ExpressionTree.message(
            .variable("manager"), selector: selector, arguments: [.constant(.string(name)), value]
        ).description
    }
}

extension ModelDocument {
    /// The names of an entity's properties, inherited ones too.
    func properties(of name: String?) -> Set<String> {
        var names: Set<String> = []
        var seen: Set<String> = []
        var next = name
        while let current = next, seen.insert(current).inserted, let entity = entity(named: current) {
            names.formUnion(entity.propertyNames)
            next = entity.parentName
        }
        return names
    }
}
