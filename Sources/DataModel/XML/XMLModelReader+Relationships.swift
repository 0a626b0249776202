extension XMLModelReader {
    mutating func relationship(_ element: XMLElement) throws -> RelationshipDocument {
        var relationship = RelationshipDocument(name: try name(element))
        relationship.isOptional = try flag("optional", element)
        relationship.isTransient = try flag("transient", element)
        relationship.isOrdered = try flag("ordered", element)
        relationship.isIndexed = try flag("indexed", element)
        relationship.isSpotlightIndexed = try flag("spotlightIndexingEnabled", element)
        relationship.destinationEntityName = text("destinationEntity", element)
        relationship.inverseName = text("inverseName", element)
        relationship.inverseEntityName = text("inverseEntity", element)
        relationship.renamingIdentifier = renaming(element)
        relationship.versionHashModifier = text("versionHashModifier", element)
        relationship.userInfo = userInfo(element)
        relationship.deleteRule = try deleteRule(element)
        relationship.minCount = try count("minCount", element) ?? 0
        let isToMany = try flag("toMany", element)
        // Older tools write -1 for 'any number'.
        let isUnbounded = text("maxCount", element) == "-1"
        let maxCount = isUnbounded ? 0 : try count("maxCount", element)
        relationship.maxCount = maxCount.map { $0 } ?? (isToMany ? 0 : 1)
        if !isToMany, relationship.maxCount != 1 {
            warn("maxCount is not 1, yet toMany is absent; the relationship is read as to-one", element)
            relationship.maxCount = 1
        }
        if isToMany, relationship.maxCount == 1 {
            warn("toMany with a maxCount of 1 is a to-one relationship", element)
        }
        if relationship.maxCount > 0, relationship.minCount > relationship.maxCount {
            warn("minCount is larger than maxCount", element)
        }
        if relationship.destinationEntityName == nil {
            warn("the relationship has no destinationEntity", element)
        }
        return relationship
    }

    private func deleteRule(_ element: XMLElement) throws -> RelationshipDeleteRule {
        // `deleteRule` occurs in files written by hand.
        let attribute = element.attributes["deletionRule"] == nil ? "deleteRule" : "deletionRule"
        guard let text = text(attribute, element) else { return .nullify }
        guard let rule = RelationshipDeleteRule(modelText: text) else {
            throw invalid(text, "Nullify, Cascade, Deny or No Action", element, attribute)
        }
        return rule
    }

    mutating func fetchedProperty(_ element: XMLElement) throws -> FetchedPropertyDocument {
        let request = try element.child("fetchRequest").map {
            try fetchRequest($0, name: text("name", $0) ?? "fetchedPropertyFetchRequest")
        }
        if request == nil { warn("the fetched property has no fetchRequest", element) }
        return FetchedPropertyDocument(
            name: try name(element), isOptional: try flag("optional", element), fetchRequest: request,
            renamingIdentifier: renaming(element), versionHashModifier: text("versionHashModifier", element),
            userInfo: userInfo(element))
    }

    /// Switches that are absent have the defaults of the API, as most files write none of them.
    func fetchRequest(_ element: XMLElement, name: String) throws -> FetchRequestDocument {
        let pending =
            element.attributes["includePendingChanges"] == nil
            ? "includesPendingChanges" : "includePendingChanges"
        return FetchRequestDocument(
            name: name, entityName: text("entity", element),
            predicateFormat: text("predicateString", element),
            fetchLimit: try count("fetchLimit", element) ?? 0,
            fetchBatchSize: try count("fetchBatchSize", element) ?? 0,
            resultType: try count("resultType", element) ?? 0,
            includesSubentities: try flag("includeSubentities", element, absent: true),
            includesPropertyValues: try flag("includePropertyValues", element, absent: true),
            includesPendingChanges: try flag(pending, element, absent: true),
            returnsObjectsAsFaults: try flag("returnObjectsAsFaults", element, absent: true),
            returnsDistinctResults: try flag("returnDistinctResults", element))
    }

    func fetchIndex(_ element: XMLElement) throws -> FetchIndexDocument {
        FetchIndexDocument(
            name: try name(element),
            elements: try element.children("fetchIndexElement").map { try fetchIndexElement($0) },
            partialIndexPredicate: text("partialIndexPredicate", element))
    }

    private func fetchIndexElement(_ element: XMLElement) throws -> FetchIndexElementDocument {
        var result: FetchIndexElementDocument
        if let property = text("property", element) {
            result = FetchIndexElementDocument(subject: .property(property))
        } else if let expression = text("expression", element) {
            var type = AttributeType.undefined
            if let text = text("expressionType", element) {
                guard let known = AttributeType(modelText: text) else {
                    throw invalid(text, "a type such as String or Integer 64", element, "expressionType")
                }
                type = known
            }
            result = FetchIndexElementDocument(subject: .expression(expression, resultType: type))
        } else {
            throw ModelDocumentError(
                .missing, file: file, line: element.line, element: Self.title(element), attribute: "property")
        }
        if let text = text("type", element) {
            switch text.lowercased() {
            case "binary": result.kind = .binary
            case "rtree": result.kind = .rTree
            default: throw invalid(text, "Binary or RTree", element, "type")
            }
        }
        if let text = text("order", element) {
            switch text.lowercased() {
            case "ascending": result.isAscending = true
            case "descending": result.isAscending = false
            default: throw invalid(text, "ascending or descending", element, "order")
            }
        }
        return result
    }
}

extension RelationshipDeleteRule {
    /// The rule of that name in the XML.
    init?(modelText: String) {
        let compact = modelText.lowercased().filter { $0 != " " }
        guard
            let rule = Self.allCases.first(where: {
                $0.modelText.lowercased().filter { $0 != " " } == compact
            })
        else { return nil }
        self = rule
    }

    /// The name in the XML.
    var modelText: String {
        switch self {
        case .noAction: "No Action"
        case .nullify: "Nullify"
        case .cascade: "Cascade"
        case .deny: "Deny"
        }
    }
}
