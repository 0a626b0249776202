internal import DataModel

extension ModelDescriber {
    mutating func document(of attribute: NSAttributeDescription) -> AttributeDocument {
        let type = Self.type(attribute.attributeType)
        var document = AttributeDocument(name: attribute.name, type: type)
        document.isOptional = attribute.isOptional
        document.isTransient = attribute.isTransient
        document.isIndexed = attribute.isIndexed
        document.isSpotlightIndexed = attribute.isIndexedBySpotlight
        document.valueTransformerName = attribute.valueTransformerName
        document.allowsExternalStorage = attribute.allowsExternalBinaryDataStorage
        document.allowsCloudEncryption = attribute.allowsCloudEncryption
        document.preservesValueOnDeletion = attribute.preservesValueInHistoryOnDeletion
        document.renamingIdentifier = attribute.ownRenamingIdentifier
        document.versionHashModifier = attribute.versionHashModifier
        document.userInfo = Self.userInfo(attribute.userInfo)
        document.defaultValue = attribute.statedDefault
        if case .archived? = document.defaultValue, !attribute.freeze.isFrozen {
            // Archives of equal objects can differ in their bytes, so one is made for good.
            attribute.notes.defaultValue = document.defaultValue
        }
        document.minimumValue = attribute.notes.minimum
        document.maximumValue = attribute.notes.maximum
        document.minimumLength = attribute.bounds.minimumLength
        document.maximumLength = attribute.bounds.maximumLength
        document.regularExpression = attribute.bounds.pattern
        document.usesScalarType = attribute.notes.usesScalarType
        document.customClassName = attribute.notes.customClassName ?? attribute.ownValueClassName
        document.compositeName = compositeName(of: attribute)
        document.derivationFilter = attribute.notes.derivationFilter
        if let derived = attribute as? NSDerivedAttributeDescription {
            // Without an expression it would come back as an ordinary attribute.
            document.derivationExpression =
                attribute.notes.derivation ?? derived.derivationExpression?.description ?? ""
        }
        Self.addValidations(to: &document, attribute)
        return document
    }

    private static func addValidations(
        to document: inout AttributeDocument, _ attribute: NSAttributeDescription
    ) {
        var warnings: [String] = []
        for (index, predicate) in attribute.furtherPredicates.enumerated() {
            let known = attribute.furtherWarnings.indices.contains(index)
            let warning = known ? "\(attribute.furtherWarnings[index])" : ""
            document.validationPredicates.append(text(of: predicate))
            warnings.append(warning == "1550" ? "" : warning)
        }
        for (format, warning) in attribute.notes.unreadValidations {
            document.validationPredicates.append(format)
            warnings.append(warning)
        }
        document.validationWarnings = warnings.contains { !$0.isEmpty } ? warnings : []
    }

    static func document(of relationship: NSRelationshipDescription) -> RelationshipDocument {
        let inverse = relationship.inverseRelationship
        return RelationshipDocument(
            name: relationship.name, isOptional: relationship.isOptional,
            isTransient: relationship.isTransient,
            isOrdered: relationship.isOrdered, minCount: relationship.minCount,
            maxCount: relationship.maxCount,
            deleteRule: RelationshipDeleteRule(rawValue: Int(relationship.deleteRule.rawValue)) ?? .nullify,
            destinationEntityName: relationship.destinationEntity?.name ?? relationship.notes.destinationName,
            inverseName: inverse?.name ?? relationship.notes.inverseName,
            inverseEntityName: inverse == nil ? relationship.notes.inverseEntityName : inverse?.entity?.name,
            renamingIdentifier: relationship.ownRenamingIdentifier,
            versionHashModifier: relationship.versionHashModifier, isIndexed: relationship.isIndexed,
            isSpotlightIndexed: relationship.isIndexedBySpotlight, userInfo: userInfo(relationship.userInfo))
    }

    func document(of property: NSFetchedPropertyDescription) -> FetchedPropertyDocument {
        FetchedPropertyDocument(
            name: property.name, isOptional: property.isOptional,
            fetchRequest: property.fetchRequest.map { document(of: $0, name: "fetchedPropertyFetchRequest") }
                ?? property.unreadRequest,
            renamingIdentifier: property.ownRenamingIdentifier,
            versionHashModifier: property.versionHashModifier, userInfo: Self.userInfo(property.userInfo))
    }

    func document(of request: AnyFetchRequest, name: String) -> FetchRequestDocument {
        FetchRequestDocument(
            name: name, entityName: request.entityName, predicateFormat: request.predicate.map(Self.text),
            sortKeys: (request.sortDescriptors ?? []).compactMap { sort in
                sort.key.map {
                    FetchSortDocument(
                        keyPath: $0, isAscending: sort.ascending, selectorName: sort.selectorName)
                }
            },
            fetchLimit: request.fetchLimit, fetchOffset: request.fetchOffset,
            fetchBatchSize: request.fetchBatchSize, resultType: Int(clamping: request.resultType.rawValue),
            includesSubentities: request.includesSubentities,
            includesPropertyValues: request.includesPropertyValues,
            includesPendingChanges: request.includesPendingChanges,
            returnsObjectsAsFaults: request.returnsObjectsAsFaults,
            returnsDistinctResults: request.returnsDistinctResults)
    }

    static func document(of index: NSFetchIndexDescription) -> FetchIndexDocument {
        let elements = index.elements.map { element in
            var subject = FetchIndexElementDocument.Subject.property(element.propertyName ?? "")
            if let expression = element.property as? NSExpressionDescription {
                subject = .expression(
                    expression.expression?.description ?? "",
                    resultType: type(expression.expressionResultType))
            }
            return FetchIndexElementDocument(
                subject: subject, kind: element.collationType == .rTree ? .rTree : .binary,
                isAscending: element.isAscending)
        }
        return FetchIndexDocument(
            name: index.name, elements: elements, partialIndexPredicate: index.partialIndexPredicate.map(text)
        )
    }

    static func text(of predicate: NSPredicate) -> String {
        predicate.tree?.description ?? predicate.description
    }

    static func type(_ type: NSAttributeType) -> DataModel.AttributeType {
        DataModel.AttributeType(rawValue: Int(type.rawValue)) ?? .undefined
    }
}

extension NSAttributeDescription {
    /// The default as a document has it; nil too for an object that cannot be archived.
    var statedDefault: ModelValue? {
        if let stated = notes.defaultValue { return stated }
        let type = ModelDescriber.type(attributeType)
        return defaultValue.flatMap(PropertyValue.unwrapped).flatMap { ModelValue($0, type: type) }
    }
}
