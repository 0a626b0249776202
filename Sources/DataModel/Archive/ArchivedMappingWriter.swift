internal import Foundation

/// Writes a mapping model as the archive of an `NSMappingModel`.
struct ArchivedMappingWriter {
    typealias Value = ArchiveBuilder.Value

    private var builder = ArchiveBuilder()

    static func write(_ document: MappingDocument) -> Data {
        var writer = ArchivedMappingWriter()
        let mappings = document.entityMappings.map { writer.entity($0) }
        let byName = zip(document.entityMappings.map(\.name), mappings).map { ($0, $1) }
        var fields: [String: Value?] = [
            "NSEntityMappings": writer.builder.array(mappings),
            "NSEntityMappingsByName": writer.builder.dictionary(byName),
        ]
        if document.hasOwnHashes { fields[OwnKey.mappingHashes] = .bool(true) }
        let root = writer.builder.object(["NSMappingModel", "NSObject"], fields)
        return writer.builder.encoded(root: root)
    }

    private mutating func entity(_ mapping: EntityMappingDocument) -> Value {
        var fields: [String: Value?] = [
            "NSMappingName": builder.string(mapping.name),
            "NSMappingType": .int(Int64(mapping.kind.rawValue)),
            "NSSourceEntityName": mapping.sourceEntityName.map { builder.string($0) },
            "NSSourceEntityVersionHash": mapping.sourceVersionHash.map { builder.plain(.data($0)) },
            "NSDestinationEntityName": mapping.destinationEntityName.map { builder.string($0) },
            "NSDestinationEntityVersionHash": mapping.destinationVersionHash.map { builder.plain(.data($0)) },
            "NSEntityMigrationPolicyClassName": mapping.policyClassName.map { builder.string($0) },
            "NSAttributeMappings": properties(mapping.attributeMappings),
            "NSRelationshipMappings": properties(mapping.relationshipMappings),
            "NSUserInfo": userInfo(mapping.userInfo),
        ]
        write(mapping.sourceExpression, as: "NSSourceExpression", &fields)
        return builder.object(["NSEntityMapping", "NSObject"], fields)
    }

    private mutating func properties(_ mappings: [PropertyMappingDocument]) -> Value {
        var values: [Value] = []
        for mapping in mappings {
            var fields: [String: Value?] = [
                "NSDestinationPropertyName": builder.string(mapping.name),
                "NSUserInfo": userInfo(mapping.userInfo),
            ]
            write(mapping.valueExpression, as: "NSValueExpression", &fields)
            values.append(builder.object(["NSPropertyMapping", "NSObject"], fields))
        }
        return builder.array(values)
    }

    private mutating func userInfo(_ entries: [String: String]) -> Value? {
        guard !entries.isEmpty else { return nil }
        let values = entries.sorted { $0.key < $1.key }.map { ($0.key, builder.string($0.value)) }
        return builder.dictionary(values)
    }

    /// The expression as objects, and as text, which loses nothing on the way back.
    private mutating func write(_ expression: String?, as key: String, _ fields: inout [String: Value?]) {
        guard let expression else { return }
        fields[key] = ArchivedPredicateWriter.expression(expression, &builder)
        fields[OwnKey.mappingExpression] = builder.string(expression)
    }
}
