internal import DataModel

extension ModelBuilder {
    mutating func attribute(
        _ source: AttributeDocument, _ owner: String, path: [String]
    ) -> NSAttributeDescription {
        let place = "attribute '\(source.name)' \(owner)"
        let attribute: NSAttributeDescription
        if let text = source.derivationExpression {
            let derived = NSDerivedAttributeDescription()
            derived.derivationExpression = expression(text)
            if derived.derivationExpression == nil {
                derived.notes.derivation = text
                warn("\(place): its derivation cannot be parsed, so it is never computed: \(text)")
            }
            attribute = derived
        } else if source.type == .composite {
            let composite = NSCompositeAttributeDescription()
            if let name = source.compositeName {
                composite.elements = elements(of: name, path: path, place)
            }
            attribute = composite
        } else {
            attribute = NSAttributeDescription()
        }
        Self.setBasics(of: attribute, source)
        attribute.bounds = AttributeBounds(
            minimum: source.minimumValue?.decimalBound, maximum: source.maximumValue?.decimalBound,
            minimumLength: source.minimumLength, maximumLength: source.maximumLength,
            pattern: source.regularExpression)
        addValidations(to: attribute, source, place)
        return attribute
    }

    private static func setBasics(of attribute: NSAttributeDescription, _ source: AttributeDocument) {
        attribute.name = source.name
        attribute.attributeType = type(source.type)
        attribute.isOptional = source.isOptional
        attribute.isTransient = source.isTransient
        attribute.isIndexed = source.isIndexed
        attribute.isIndexedBySpotlight = source.isSpotlightIndexed
        attribute.valueTransformerName = source.valueTransformerName
        attribute.allowsExternalBinaryDataStorage = source.allowsExternalStorage
        attribute.allowsCloudEncryption = source.allowsCloudEncryption
        attribute.preservesValueInHistoryOnDeletion = source.preservesValueOnDeletion
        attribute.ownRenamingIdentifier = source.renamingIdentifier
        attribute.versionHashModifier = source.versionHashModifier
        attribute.userInfo = userInfo(source.userInfo)
        attribute.defaultValue = source.defaultValue?.anyValue
        attribute.notes.defaultValue = source.defaultValue
        attribute.notes.minimum = source.minimumValue
        attribute.notes.maximum = source.maximumValue
        attribute.notes.usesScalarType = source.usesScalarType
        attribute.notes.compositeName = source.compositeName
        attribute.notes.derivationFilter = source.derivationFilter
        if source.type == .transformable {
            attribute.ownValueClassName = source.customClassName
        } else {
            attribute.notes.customClassName = source.customClassName
        }
    }

    private mutating func addValidations(
        to attribute: NSAttributeDescription, _ source: AttributeDocument, _ place: String
    ) {
        for (index, format) in source.validationPredicates.enumerated() {
            let warnings = source.validationWarnings
            let warning = warnings.indices.contains(index) ? warnings[index] : ""
            if let predicate = try? NSPredicate.parsed(format) {
                attribute.furtherPredicates.append(predicate)
                attribute.furtherWarnings.append(warning.isEmpty ? "1550" : warning)
            } else {
                attribute.notes.unreadValidations.append((format, warning))
                warn("\(place): a validation predicate cannot be parsed and is not checked: \(format)")
            }
        }
    }

    static func relationship(_ source: RelationshipDocument) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = source.name
        relationship.isOptional = source.isOptional
        relationship.isTransient = source.isTransient
        relationship.isOrdered = source.isOrdered
        relationship.isIndexed = source.isIndexed
        relationship.isIndexedBySpotlight = source.isSpotlightIndexed
        relationship.minCount = source.minCount
        relationship.maxCount = source.maxCount
        relationship.deleteRule =
            NSDeleteRule(rawValue: UInt(source.deleteRule.rawValue)) ?? .nullifyDeleteRule
        relationship.ownRenamingIdentifier = source.renamingIdentifier
        relationship.versionHashModifier = source.versionHashModifier
        relationship.userInfo = userInfo(source.userInfo)
        return relationship
    }

    mutating func fetchedProperty(
        _ source: FetchedPropertyDocument, _ owner: String
    ) -> NSFetchedPropertyDescription {
        let property = NSFetchedPropertyDescription()
        property.name = source.name
        property.isOptional = source.isOptional
        property.ownRenamingIdentifier = source.renamingIdentifier
        property.versionHashModifier = source.versionHashModifier
        property.userInfo = Self.userInfo(source.userInfo)
        if let request = source.fetchRequest {
            property.fetchRequest = fetchRequest(request, "fetchedProperty '\(source.name)' \(owner)")
            if property.fetchRequest == nil { property.unreadRequest = request }
        }
        return property
    }

    /// The request; nil where its predicate cannot be parsed, since without it everything would be found.
    mutating func fetchRequest(
        _ source: FetchRequestDocument, _ place: String
    ) -> NSFetchRequest<any NSFetchRequestResult>? {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entityName = source.entityName
        if let format = source.predicateFormat {
            guard let predicate = try? NSPredicate.parsed(format) else {
                warn("\(place): its predicate cannot be parsed; the request is left out: \(format)")
                return nil
            }
            request.predicate = predicate
        }
        if !source.sortKeys.isEmpty {
            request.sortDescriptors = source.sortKeys.map { sort in
                NSSortDescriptor(
                    key: sort.keyPath, ascending: sort.isAscending,
                    selector: sort.selectorName.map { Selector($0) })
            }
        }
        request.fetchLimit = source.fetchLimit
        request.fetchOffset = source.fetchOffset
        request.fetchBatchSize = source.fetchBatchSize
        request.resultType = NSFetchRequestResultType(rawValue: UInt(clamping: source.resultType))
        request.includesSubentities = source.includesSubentities
        request.includesPropertyValues = source.includesPropertyValues
        request.includesPendingChanges = source.includesPendingChanges
        request.returnsObjectsAsFaults = source.returnsObjectsAsFaults
        request.returnsDistinctResults = source.returnsDistinctResults
        return request
    }

    func expression(_ text: String) -> Predicates.NSExpression? {
        guard let tree = try? ExpressionTree(parsing: text) else { return nil }
        return Predicates.NSExpression(tree: tree)
    }

    static func type(_ type: DataModel.AttributeType) -> NSAttributeType {
        NSAttributeType(rawValue: UInt(type.rawValue)) ?? .undefinedAttributeType
    }

    static func userInfo(_ entries: [String: String]) -> [AnyHashable: Any]? {
        entries.isEmpty ? nil : entries
    }
}
