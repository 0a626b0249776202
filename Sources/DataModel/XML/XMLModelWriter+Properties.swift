internal import Foundation

extension XMLModelWriter {
    mutating func write(_ attribute: AttributeDocument) throws {
        let title = "attribute '\(attribute.name)'"
        guard attribute.validationPredicates.isEmpty, attribute.derivationFilter == nil else {
            throw Self.notExpressible("a predicate", title)
        }
        var fields = Fields(name: attribute.name)
        fields.add("optional", flag: attribute.isOptional)
        fields.add("transient", flag: attribute.isTransient)
        if attribute.type != .undefined { fields.add("attributeType", attribute.type.modelText) }
        try add(attribute.defaultValue, of: attribute, to: &fields)
        try addBounds(of: attribute, to: &fields)
        fields.add("regularExpressionString", attribute.regularExpression)
        fields.add("usesScalarValueType", attribute.usesScalarType.map { $0 ? "YES" : "NO" })
        fields.add("allowsExternalBinaryDataStorage", flag: attribute.allowsExternalStorage)
        fields.add("allowsCloudEncryption", flag: attribute.allowsCloudEncryption)
        fields.add("preserveAfterDeletion", flag: attribute.preservesValueOnDeletion)
        fields.add("valueTransformerName", attribute.valueTransformerName)
        fields.add("customClassName", attribute.customClassName)
        fields.add("indexed", flag: attribute.isIndexed)
        fields.add("spotlightIndexingEnabled", flag: attribute.isSpotlightIndexed)
        fields.add("derived", flag: attribute.derivationExpression != nil)
        fields.add("derivationExpression", attribute.derivationExpression)
        fields.add("composite", attribute.compositeName)
        fields.add("elementID", attribute.renamingIdentifier)
        fields.add("versionHashModifier", attribute.versionHashModifier)
        try element("attribute", fields) { try $0.write(userInfo: attribute.userInfo) }
    }

    private func add(_ value: ModelValue?, of attribute: AttributeDocument, to fields: inout Fields) throws {
        guard let value else { return }
        if case .date(let date) = value, attribute.type == .date {
            fields.add("defaultDateTimeInterval", "\(date.timeIntervalSinceReferenceDate)")
        } else if let text = value.modelText, value.suits(attribute.type) {
            fields.add("defaultValueString", text)
        } else {
            throw Self.notExpressible("this default value", "attribute '\(attribute.name)'")
        }
    }

    private func addBounds(of attribute: AttributeDocument, to fields: inout Fields) throws {
        let title = "attribute '\(attribute.name)'"
        let isString = attribute.type == .string
        guard isString || (attribute.minimumLength == nil && attribute.maximumLength == nil) else {
            throw Self.notExpressible("a length of a value that is not a string", title)
        }
        fields.add("minValueString", attribute.minimumLength.map { "\($0)" })
        fields.add("maxValueString", attribute.maximumLength.map { "\($0)" })
        for (name, bound) in [("min", attribute.minimumValue), ("max", attribute.maximumValue)] {
            guard let bound else { continue }
            if case .date(let date) = bound, attribute.type == .date {
                fields.add("\(name)DateTimeInterval", "\(date.timeIntervalSinceReferenceDate)")
            } else if bound.isNumber, bound.suits(attribute.type), let text = bound.modelText {
                fields.add("\(name)ValueString", text)
            } else {
                throw Self.notExpressible("this bound", title)
            }
        }
    }

    mutating func write(_ relationship: RelationshipDocument) throws {
        var fields = Fields(name: relationship.name)
        fields.add("optional", flag: relationship.isOptional)
        fields.add("transient", flag: relationship.isTransient)
        fields.add("toMany", flag: relationship.isToMany)
        fields.add("minCount", count: relationship.minCount)
        fields.add("maxCount", count: relationship.maxCount)
        fields.add("ordered", flag: relationship.isOrdered)
        fields.add("deletionRule", relationship.deleteRule.modelText)
        fields.add("destinationEntity", relationship.destinationEntityName)
        fields.add("inverseName", relationship.inverseName)
        fields.add("inverseEntity", relationship.inverseEntityName)
        fields.add("indexed", flag: relationship.isIndexed)
        fields.add("spotlightIndexingEnabled", flag: relationship.isSpotlightIndexed)
        fields.add("elementID", relationship.renamingIdentifier)
        fields.add("versionHashModifier", relationship.versionHashModifier)
        try element("relationship", fields) { try $0.write(userInfo: relationship.userInfo) }
    }

    mutating func write(_ property: FetchedPropertyDocument) throws {
        var fields = Fields(name: property.name)
        fields.add("optional", flag: property.isOptional)
        fields.add("elementID", property.renamingIdentifier)
        fields.add("versionHashModifier", property.versionHashModifier)
        try element("fetchedProperty", fields) { writer in
            if let request = property.fetchRequest { try writer.write(request) }
            try writer.write(userInfo: property.userInfo)
        }
    }

    mutating func write(_ request: FetchRequestDocument) throws {
        guard request.sortKeys.isEmpty, request.fetchOffset == 0 else {
            throw Self.notExpressible("a sort key or an offset", "fetchRequest '\(request.name)'")
        }
        var fields = Fields(name: request.name)
        fields.add("entity", request.entityName)
        fields.add("predicateString", request.predicateFormat)
        fields.add("fetchLimit", count: request.fetchLimit)
        fields.add("fetchBatchSize", count: request.fetchBatchSize)
        fields.add("resultType", count: request.resultType)
        let switches = [
            ("includeSubentities", request.includesSubentities, true),
            ("includePropertyValues", request.includesPropertyValues, true),
            ("includesPendingChanges", request.includesPendingChanges, true),
            ("returnObjectsAsFaults", request.returnsObjectsAsFaults, true),
            ("returnDistinctResults", request.returnsDistinctResults, false),
        ]
        for (name, value, usual) in switches where value != usual { fields.add(name, value ? "YES" : "NO") }
        try element("fetchRequest", fields)
    }

    mutating func write(_ index: FetchIndexDocument) throws {
        var fields = Fields(name: index.name)
        fields.add("partialIndexPredicate", index.partialIndexPredicate)
        try element("fetchIndex", fields) { writer in
            for element in index.elements {
                var fields = Fields()
                switch element.subject {
                case .property(let name): fields.add("property", name)
                case .expression(let text, let type):
                    fields.add("expression", text)
                    fields.add("expressionType", type.modelText)
                }
                fields.add("type", element.kind == .binary ? "Binary" : "RTree")
                fields.add("order", element.isAscending ? "ascending" : "descending")
                try writer.element("fetchIndexElement", fields)
            }
        }
    }
}

extension ModelValue {
    /// The value as XML writes it; nil for what it has no words for.
    var modelText: String? {
        switch self {
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .decimal(let value): value.isNaN ? nil : NSDecimalNumber(decimal: value).stringValue
        case .string(let value): value
        case .boolean(let value): value ? "YES" : "NO"
        case .uuid(let value): value.uuidString
        case .uri(let value): value.isEmpty ? nil : value
        case .date, .data, .archived: nil
        }
    }

    var isNumber: Bool {
        switch self {
        case .integer, .double, .decimal: true
        default: false
        }
    }

    /// Whether values of the type have this form.
    func suits(_ type: AttributeType) -> Bool {
        switch (self, type) {
        case (.integer, .integer16), (.integer, .integer32), (.integer, .integer64), (.double, .double),
            (.double, .float), (.decimal, .decimal), (.string, .string), (.string, .undefined),
            (.boolean, .boolean), (.date, .date), (.data, .binaryData), (.uuid, .uuid), (.uri, .uri):
            true
        default: false
        }
    }
}
