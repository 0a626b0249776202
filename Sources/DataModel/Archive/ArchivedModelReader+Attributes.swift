internal import Foundation
internal import Predicates

extension ArchivedModelReader {
    func propertyName(_ item: ArchivedItem, of owner: String) throws -> String {
        guard let name = item["NSPropertyName"]?.string, !name.isEmpty else {
            throw ModelDocumentError(
                .missing, element: "a property of '\(owner)'", attribute: "NSPropertyName")
        }
        return name
    }

    mutating func attribute(_ item: ArchivedItem, of owner: String) throws -> AttributeDocument {
        let name = try propertyName(item, of: owner)
        let title = "attribute '\(name)' of '\(owner)'"
        let number = item["NSAttributeType"]?.int ?? 0
        guard let type = Int(exactly: number).flatMap({ AttributeType(rawValue: $0) }) else {
            throw ModelDocumentError(
                .value("\(number)", expected: "the number of an attribute type"), element: title,
                attribute: "NSAttributeType")
        }
        var attribute = AttributeDocument(name: name, type: type)
        attribute.isOptional = item["NSIsOptional"]?.bool ?? false
        attribute.isTransient = item["NSIsTransient"]?.bool ?? false
        attribute.isIndexed = item["NSIsIndexed"]?.bool ?? false
        attribute.isSpotlightIndexed = item["NSIndexedBySpotlight"]?.bool ?? false
        let flags = item["NSFlagsKey"]?.int ?? 0
        attribute.allowsExternalStorage = flags & 4 != 0
        attribute.preservesValueOnDeletion = flags & 16 != 0
        attribute.allowsCloudEncryption = item[OwnKey.cloudEncryption]?.bool ?? false
        attribute.valueTransformerName = item["NSValueTransformerName"]?.string
        attribute.customClassName = item[OwnKey.customClassName]?.string
        attribute.usesScalarType = item[OwnKey.usesScalarType]?.bool
        attribute.compositeName = item[OwnKey.compositeName]?.string
        attribute.renamingIdentifier = renaming(item, name)
        attribute.versionHashModifier = item["NSVersionHashModifier"]?.string
        attribute.userInfo = try texts(item["NSUserInfo"])
        do {
            // The bytes that were given, as the same object could be archived in another order.
            if let data = item[OwnKey.archivedDefault]?.data {
                attribute.defaultValue = .archived(data)
            } else {
                attribute.defaultValue = try item["NSDefaultValue"]?.modelValue(type) { try archived($0) }
            }
            try readComposite(item, &attribute, of: owner)
            try readDerivation(item, &attribute)
            try readValidations(item, &attribute)
        } catch let error as ModelDocumentError {
            throw error.within(title)
        }
        return attribute
    }

    /// Gives the elements inside a composite attribute a type named after the attribute.
    ///
    /// No such archive was seen, so the elements are found by what they are, not by the name of a field.
    private mutating func readComposite(
        _ item: ArchivedItem, _ attribute: inout AttributeDocument, of owner: String
    ) throws {
        guard attribute.type == .composite, attribute.compositeName == nil else { return }
        let lists = item.keys.compactMap { item[$0]?.elements }
        let found = lists.first { list in
            !list.isEmpty && list.allSatisfy { $0.className?.hasSuffix("AttributeDescription") == true }
        }
        guard let found else { return }
        guard compositeDepth < 8 else {
            throw ModelDocumentError(.tooLarge("composite attributes nest too deeply"))
        }
        compositeDepth += 1
        defer { compositeDepth -= 1 }
        try spend(found.count)
        let name = "\(owner).\(attribute.name)"
        let elements = try found.map { try self.attribute($0, of: name) }
        foundComposites.append(CompositeDocument(name: name, attributes: elements))
        attribute.compositeName = name
    }

    private mutating func readDerivation(_ item: ArchivedItem, _ attribute: inout AttributeDocument) throws {
        if let text = item[OwnKey.derivation]?.string {
            attribute.derivationExpression = text
        } else if let expression = item["NSDerivationExpression"] {
            attribute.derivationExpression = try predicates.expression(expression).description
        }
        if let text = item[OwnKey.derivationFilter]?.string {
            attribute.derivationFilter = text
        } else if let predicate = item["NSFilteringPredicate"] {
            attribute.derivationFilter = try predicates.predicate(predicate).description
        }
    }

    /// Bounds, lengths and patterns become fields; other predicates stay as format strings.
    private mutating func readValidations(_ item: ArchivedItem, _ attribute: inout AttributeDocument) throws {
        let own = item[OwnKey.validations]?.texts
        let warnings = item["NSValidationWarnings"]?.elements ?? []
        for (index, archived) in (item["NSValidationPredicates"]?.elements ?? []).enumerated() {
            // Predicates of ours that have no field of their own are also there as text.
            if own != nil, archived[OwnKey.predicate]?.bool == true { continue }
            let tree = try predicates.predicate(archived)
            var parts = [tree]
            if case .and(let all) = tree { parts = all }
            var changed = attribute
            let isKnown = parts.allSatisfy { part in
                guard let validation = Validation(part) else { return false }
                return validation.apply(to: &changed)
            }
            if isKnown {
                attribute = changed
            } else {
                attribute.validationPredicates.append(tree.description)
                let warning = warnings.indices.contains(index) ? warnings[index] : nil
                let text = warning?.string ?? (warning?.int).map { "\($0)" } ?? ""
                attribute.validationWarnings.append(text == "1550" ? "" : text)
            }
        }
        if !attribute.validationWarnings.contains(where: { !$0.isEmpty }) {
            attribute.validationWarnings = []
        }
        attribute.validationPredicates += own ?? []
        attribute.validationWarnings += item[OwnKey.validationWarnings]?.texts ?? []
    }
}

/// A validation predicate of the kind that Xcode makes.
private enum Validation {
    case minimum(ModelValue)
    case maximum(ModelValue)
    case minimumLength(Int)
    case maximumLength(Int)
    case pattern(String)

    init?(_ tree: PredicateTree) {
        guard case .comparison(let comparison) = tree, comparison.modifier == .direct,
            comparison.options.isEmpty,
            case .constant(let constant) = comparison.right, let value = ModelValue(constant)
        else { return nil }
        let isLength = comparison.left == .keyPath(["length"])
        guard isLength || comparison.left == .selfObject else { return nil }
        switch (comparison.operator, value) {
        case (.matches, .string(let text)) where !isLength: self = .pattern(text)
        case (.greaterThanOrEqualTo, .integer(let count)) where isLength:
            guard let count = Int(exactly: count), count >= 0 else { return nil }
            self = .minimumLength(count)
        case (.lessThanOrEqualTo, .integer(let count)) where isLength:
            guard let count = Int(exactly: count), count >= 0 else { return nil }
            self = .maximumLength(count)
        case (.greaterThanOrEqualTo, _) where !isLength: self = .minimum(value)
        case (.lessThanOrEqualTo, _) where !isLength: self = .maximum(value)
        default: return nil
        }
    }

    /// False where the attribute has such a rule already or its type has no such rule.
    func apply(to attribute: inout AttributeDocument) -> Bool {
        switch self {
        case .minimum(let value):
            guard attribute.minimumValue == nil, let value = value.bound(of: attribute.type) else {
                return false
            }
            attribute.minimumValue = value
        case .maximum(let value):
            guard attribute.maximumValue == nil, let value = value.bound(of: attribute.type) else {
                return false
            }
            attribute.maximumValue = value
        case .minimumLength(let count):
            guard attribute.minimumLength == nil else { return false }
            attribute.minimumLength = count
        case .maximumLength(let count):
            guard attribute.maximumLength == nil else { return false }
            attribute.maximumLength = count
        case .pattern(let text):
            guard attribute.regularExpression == nil else { return false }
            attribute.regularExpression = text
        }
        return true
    }
}

extension ModelValue {
    /// The same number or date in the form that values of the type have; nil for what is not a bound of it.
    func bound(of type: AttributeType) -> ModelValue? {
        if suits(type), isNumber || type == .date { return self }
        switch (self, type) {
        case (.integer(let value), .double), (.integer(let value), .float): return .double(Double(value))
        case (.integer(let value), .decimal): return .decimal(Decimal(value))
        case (.double(let value), .integer16), (.double(let value), .integer32),
            (.double(let value), .integer64):
            return Int64(exactly: value).map { .integer($0) }
        case (.double(let value), .decimal) where value.isFinite: return .decimal(Decimal(value))
        case (.decimal(let value), .double), (.decimal(let value), .float):
            return .double(NSDecimalNumber(decimal: value).doubleValue)
        case (.decimal(let value), .integer16), (.decimal(let value), .integer32),
            (.decimal(let value), .integer64):
            return Int64("\(value)").map { .integer($0) }
        default: return nil
        }
    }
}

extension ModelDocumentError {
    /// The same error with the element it happened in, where it names none yet.
    func within(_ title: String) -> ModelDocumentError {
        element == nil ? ModelDocumentError(self, element: title) : self
    }
}
