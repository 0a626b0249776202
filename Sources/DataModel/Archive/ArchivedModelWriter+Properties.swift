internal import Foundation
internal import Predicates

extension ArchivedModelWriter {
    mutating func write(
        _ attribute: AttributeDocument, at uid: Int, entity: Value, owner: String
    ) throws {
        let isDerived = attribute.derivationExpression != nil
        let chain = ["NSAttributeDescription", "NSPropertyDescription", "NSObject"]
        var flags: Int64 = 0
        if attribute.allowsExternalStorage { flags |= 4 }
        if attribute.preservesValueOnDeletion { flags |= 16 }
        let validations = validations(of: attribute)
        let defaultValue: Value
        do {
            defaultValue = try attribute.defaultValue.map { try builder.value($0) } ?? ArchiveBuilder.null
        } catch let error as ModelDocumentError {
            throw error.within("attribute '\(attribute.name)' of '\(owner)'")
        }
        var archivedDefault: Value?
        if case .archived(let data) = attribute.defaultValue { archivedDefault = .data(data) }
        let extra = attribute.validationPredicates
        var fields = shared(
            attribute.name, entity, attribute.renamingIdentifier, attribute.versionHashModifier,
            attribute.userInfo)
        fields.merge(
            [
                "NSAttributeType": .int(Int64(attribute.type.rawValue)),
                "NSAttributeValueClassName": builder.string(attribute.type.archivedClassName),
                "NSDefaultValue": defaultValue,
                "NSValueTransformerName": builder.string(attribute.valueTransformerName),
                "NSFlagsKey": .int(flags), "NSIsOptional": flag(attribute.isOptional),
                "NSIsTransient": flag(attribute.isTransient), "NSIsIndexed": flag(attribute.isIndexed),
                "NSIndexedBySpotlight": flag(attribute.isSpotlightIndexed), "NSIsReadOnly": flag(isDerived),
                "NSValidationPredicates": validations.predicates,
                "NSValidationWarnings": validations.warnings,
                "NSDerivationExpression": attribute.derivationExpression.flatMap {
                    ArchivedPredicateWriter.expression($0, &builder)
                },
                "NSFilteringPredicate": attribute.derivationFilter.flatMap {
                    ArchivedPredicateWriter.predicate($0, &builder)
                },
                OwnKey.derivation: optional(attribute.derivationExpression),
                OwnKey.derivationFilter: optional(attribute.derivationFilter),
                OwnKey.validations: extra.isEmpty ? nil : builder.strings(extra),
                OwnKey.validationWarnings: attribute.validationWarnings.isEmpty
                    ? nil : builder.strings(attribute.validationWarnings),
                OwnKey.archivedDefault: archivedDefault,
                OwnKey.customClassName: optional(attribute.customClassName),
                OwnKey.compositeName: optional(attribute.compositeName),
                OwnKey.usesScalarType: attribute.usesScalarType.map { .bool($0) },
                OwnKey.cloudEncryption: flag(attribute.allowsCloudEncryption),
            ], uniquingKeysWith: { $1 })
        builder.fill(uid, isDerived ? ["NSDerivedAttributeDescription"] + chain : chain, fields)
    }

    /// The bounds as predicates, each with the error code of its failure, then the free predicates.
    private mutating func validations(of attribute: AttributeDocument) -> (
        predicates: Value?, warnings: Value?
    ) {
        let isDate = attribute.type == .date
        let length = ExpressionTree.keyPath(["length"])
        var rules: [(PredicateTree, Int64)] = []
        func add(_ left: ExpressionTree, _ kind: PredicateOperator, _ value: PredicateValue?, _ code: Int64) {
            guard let value else { return }
            rules.append(
                (.comparison(PredicateComparison(left: left, operator: kind, right: .constant(value))), code))
        }
        add(.selfObject, .greaterThanOrEqualTo, attribute.minimumValue?.predicateValue, isDate ? 1640 : 1620)
        add(.selfObject, .lessThanOrEqualTo, attribute.maximumValue?.predicateValue, isDate ? 1630 : 1610)
        add(length, .greaterThanOrEqualTo, attribute.minimumLength.map { .int(Int64($0)) }, 1670)
        add(length, .lessThanOrEqualTo, attribute.maximumLength.map { .int(Int64($0)) }, 1660)
        add(.selfObject, .matches, attribute.regularExpression.map { .string($0) }, 1680)
        var predicates: [Value] = []
        var warnings: [Value] = []
        for (tree, code) in rules {
            guard let predicate = ArchivedPredicateWriter.predicate(tree, &builder) else { continue }
            predicates.append(predicate)
            warnings.append(builder.plain(.int(code)))
        }
        for (index, format) in attribute.validationPredicates.enumerated() {
            guard let predicate = ArchivedPredicateWriter.predicate(format, marked: true, &builder) else {
                continue
            }
            let known = attribute.validationWarnings
            let warning = known.indices.contains(index) ? known[index] : ""
            predicates.append(predicate)
            warnings.append(
                warning.isEmpty || Int64(warning) != nil
                    ? builder.plain(.int(Int64(warning) ?? 1550)) : builder.string(warning))
        }
        guard !predicates.isEmpty else { return (nil, nil) }
        return (builder.array(predicates), builder.array(warnings))
    }

    mutating func write(_ relationship: RelationshipDocument, at uid: Int, entity: Value) {
        let home = relationship.inverseEntityName ?? relationship.destinationEntityName
        var fields = shared(
            relationship.name, entity, relationship.renamingIdentifier, relationship.versionHashModifier,
            relationship.userInfo)
        fields.merge(
            [
                "NSIsOptional": flag(relationship.isOptional),
                "NSIsTransient": flag(relationship.isTransient),
                "NSIsIndexed": flag(relationship.isIndexed), "NSIsOrdered": flag(relationship.isOrdered),
                "NSIndexedBySpotlight": flag(relationship.isSpotlightIndexed),
                "NSMinCount": .int(Int64(relationship.minCount)),
                "NSMaxCount": .int(Int64(relationship.maxCount)),
                "NSDeleteRule": .int(Int64(relationship.deleteRule.rawValue)),
                "NSDestinationEntity": self.entity(relationship.destinationEntityName),
                "_NSDestinationEntityName": builder.string(relationship.destinationEntityName),
                "NSInverseRelationship": relationship.inverseName.map { property($0, of: home) }
                    ?? ArchiveBuilder.null,
                "_NSInverseRelationshipName": builder.string(relationship.inverseName),
                OwnKey.inverseEntity: builder.string(relationship.inverseEntityName),
            ], uniquingKeysWith: { $1 })
        builder.fill(uid, ["NSRelationshipDescription", "NSPropertyDescription", "NSObject"], fields)
    }

    mutating func write(_ property: FetchedPropertyDocument, at uid: Int, entity: Value) {
        var fields = shared(
            property.name, entity, property.renamingIdentifier, property.versionHashModifier,
            property.userInfo)
        fields["NSIsOptional"] = flag(property.isOptional)
        fields["NSIsTransient"] = .bool(true)
        fields["NSIsReadOnly"] = .bool(true)
        fields["NSFetchRequest"] = property.fetchRequest.map { write($0) }
        fields["_NSFetchRequestEntityName"] = builder.string(property.fetchRequest?.entityName)
        builder.fill(uid, ["NSFetchedPropertyDescription", "NSPropertyDescription", "NSObject"], fields)
    }

    mutating func write(_ request: FetchRequestDocument) -> Value {
        let switches = [
            ("includesSubentities", request.includesSubentities),
            ("includesPropertyValues", request.includesPropertyValues),
            ("includesPendingChanges", request.includesPendingChanges),
            ("returnsObjectsAsFaults", request.returnsObjectsAsFaults),
            ("returnsDistinctResults", request.returnsDistinctResults),
        ]
        let sorts = request.sortKeys.map { sort in
            builder.object(
                ["NSSortDescriptor", "NSObject"],
                [
                    "NSKey": builder.string(sort.keyPath), "NSAscending": .bool(sort.isAscending),
                    "NSSelector": builder.string(sort.selectorName ?? "compare:"),
                    "NSReverseNullOrder": .bool(false),
                ])
        }
        let fields: [String: Value?] = [
            "NSEntity": entity(request.entityName), "NSEntityName": optional(request.entityName),
            "NSPredicate": request.predicateFormat.flatMap { ArchivedPredicateWriter.predicate($0, &builder) }
                ?? ArchiveBuilder.null,
            "NSSortDescriptors": sorts.isEmpty ? ArchiveBuilder.null : builder.array(sorts),
            "NSFetchLimit": .int(Int64(request.fetchLimit)),
            "NSFetchOffset": .int(Int64(request.fetchOffset)),
            "NSBatchSize": .int(Int64(request.fetchBatchSize)),
            "NSResultType": .int(Int64(request.resultType)),
            "NSHasFetchRequestFlags": .bool(true), "NSFetchRequestFlags": .int(30),
            OwnKey.predicate: optional(request.predicateFormat),
            OwnKey.requestName: builder.string(request.name),
            OwnKey.fetchSwitches: builder.strings(switches.filter(\.1).map(\.0)),
        ]
        return builder.object(["NSFetchRequest", "NSPersistentStoreRequest", "NSObject"], fields)
    }

    mutating func indexes(of entity: EntityDocument, _ place: Value) -> Value {
        var values: [Value] = []
        for index in entity.indexes {
            let uid = builder.reserve()
            let elements = index.elements.map { write($0, index: .uid(uid)) }
            let fields: [String: Value?] = [
                "NSIndexName": builder.string(index.name), "NSEntity": place,
                "NSIndexElements": builder.array(elements),
                "NSPartialIndexPredicate": index.partialIndexPredicate.flatMap {
                    ArchivedPredicateWriter.predicate($0, &builder)
                } ?? ArchiveBuilder.null,
                OwnKey.predicate: optional(index.partialIndexPredicate),
            ]
            builder.fill(uid, ["NSFetchIndexDescription", "NSObject"], fields)
            values.append(.uid(uid))
        }
        return builder.array(values)
    }

    private mutating func write(_ element: FetchIndexElementDocument, index: Value) -> Value {
        var fields: [String: Value?] = [
            "NSFetchIndexElementType": .int(Int64(element.kind.rawValue)),
            "NSAscending": .bool(element.isAscending),
            "NSFetchIndexDescription": index, "NSPropertyName": builder.string(element.propertyName),
        ]
        if case .expression(let text, let type) = element.subject {
            fields[OwnKey.expression] = builder.string(text)
            fields[OwnKey.expressionType] = .int(Int64(type.rawValue))
            fields["NSProperty"] = builder.object(
                ["NSExpressionDescription", "NSPropertyDescription", "NSObject"],
                [
                    "NSExpression": ArchivedPredicateWriter.expression(text, &builder),
                    "NSExpressionResultType": .int(Int64(type.rawValue)),
                ])
        }
        return builder.object(["NSFetchIndexElementDescription", "NSObject"], fields)
    }

    /// The fields that every property has.
    private mutating func shared(
        _ name: String, _ entity: Value, _ renaming: String?, _ modifier: String?, _ entries: [String: String]
    ) -> [String: Value?] {
        [
            "NSPropertyName": builder.string(name), "NSEntity": entity,
            "NSRenamingIdentifier": builder.string(renaming ?? name),
            "NSVersionHashModifier": optional(modifier),
            "NSUserInfo": entries.isEmpty ? nil : userInfo(entries),
        ]
    }

    private func flag(_ value: Bool) -> Value? { value ? .bool(true) : nil }
}

extension AttributeType {
    /// The class that Apple's archives name for values of the type.
    var archivedClassName: String? {
        switch self {
        case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
        case .decimal: "NSDecimalNumber"
        case .string: "NSString"
        case .date: "NSDate"
        case .binaryData: "NSData"
        case .uuid: "NSUUID"
        case .uri: "NSURL"
        case .undefined, .transformable, .objectID, .composite: nil
        }
    }
}
