internal import Foundation

extension XMLModelReader {
    /// The attribute's text; nil where it is absent or empty.
    func text(_ name: String, _ element: XMLElement) -> String? {
        guard let text = element.attributes[name], !text.isEmpty else { return nil }
        return text
    }

    /// The required name of an element.
    func name(_ element: XMLElement) throws -> String {
        guard let name = text("name", element) else {
            throw ModelDocumentError(
                .missing, file: file, line: element.line, element: Self.title(element), attribute: "name")
        }
        return name
    }

    /// The identifier that finds the old name; the element's own name says nothing.
    func renaming(_ element: XMLElement) -> String? {
        text("elementID", element).flatMap { $0 == element.attributes["name"] ? nil : $0 }
    }

    func flag(_ name: String, _ element: XMLElement, absent: Bool = false) throws -> Bool {
        guard let text = text(name, element) else { return absent }
        guard let value = Self.truth(text) else { throw invalid(text, "YES or NO", element, name) }
        return value
    }

    static func truth(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "yes", "true", "1": true
        case "no", "false", "0": false
        default: nil
        }
    }

    /// A count: an integer from 0; nil where the attribute is absent.
    func count(_ name: String, _ element: XMLElement) throws -> Int? {
        guard let text = text(name, element) else { return nil }
        guard let value = ModelNumber.integer(text), let count = Int(exactly: value), count >= 0 else {
            throw invalid(text, "an integer from 0", element, name)
        }
        return count
    }

    func interval(_ name: String, _ element: XMLElement) throws -> ModelValue? {
        guard let text = text(name, element) else { return nil }
        guard let seconds = ModelNumber.double(text) else {
            throw invalid(text, "a number of seconds since 2001", element, name)
        }
        return .date(Date(timeIntervalSinceReferenceDate: seconds))
    }

    func userInfo(_ element: XMLElement) -> [String: String] {
        var entries: [String: String] = [:]
        for entry in element.children("userInfo").flatMap({ $0.children("entry") }) {
            if let key = entry.attributes["key"] { entries[key] = entry.attributes["value"] ?? "" }
        }
        return entries
    }

    func invalid(
        _ value: String, _ expected: String, _ element: XMLElement, _ attribute: String
    ) -> ModelDocumentError {
        ModelDocumentError(
            .value(value, expected: expected), file: file, line: element.line, element: Self.title(element),
            attribute: attribute)
    }

    /// How messages name an element.
    static func title(_ element: XMLElement) -> String {
        guard let name = element.attributes["name"], !name.isEmpty else { return "<\(element.name)>" }
        return "\(element.name) '\(name)'"
    }

    mutating func warn(_ text: String, _ element: XMLElement) {
        guard warnings.count < 1000 else { return }
        warnings.append("\(file):\(element.line), \(Self.title(element)): \(text)")
    }

    /// Notes elements and attributes that no known version of the format has.
    mutating func noteUnknown(in element: XMLElement) {
        guard let known = Self.attributes[element.name] else { return }
        for name in element.attributes.keys.sorted() where !known.contains(name) {
            warn("the attribute '\(name)' is not known and is ignored", element)
        }
        let children = Self.children[element.name] ?? []
        for child in element.children {
            if children.contains(child.name) {
                noteUnknown(in: child)
            } else {
                warn("<\(child.name)> is not known here and is ignored", child)
            }
        }
    }

    private static let children: [String: Set<String>] = [
        "model": ["entity", "composite", "fetchRequest", "configuration", "elements"],
        "entity": [
            "attribute", "relationship", "fetchedProperty", "fetchIndex", "compoundIndexes",
            "uniquenessConstraints", "userInfo",
        ],
        "composite": ["attribute", "userInfo"], "attribute": ["userInfo"], "relationship": ["userInfo"],
        "fetchedProperty": ["fetchRequest", "userInfo"], "fetchIndex": ["fetchIndexElement"],
        "compoundIndexes": ["compoundIndex"], "compoundIndex": ["index"],
        "uniquenessConstraints": ["uniquenessConstraint"], "uniquenessConstraint": ["constraint"],
        "userInfo": ["entry"], "configuration": ["memberEntity"], "elements": ["element"],
    ]

    private static let attributes: [String: Set<String>] = [
        "model": [
            "type", "documentVersion", "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion",
            "sourceLanguage", "userDefinedModelVersionIdentifier", "macOSVersion", "iOSVersion",
            "usedWithCloudKit", "usedWithSwiftData", "name",
        ],
        "entity": [
            "name", "representedClassName", "parentEntity", "isAbstract", "codeGenerationType", "elementID",
            "versionHashModifier", "syncable", "coreSpotlightDisplayNameExpression",
        ],
        "attribute": [
            "name", "attributeType", "optional", "transient", "defaultValueString", "defaultDateTimeInterval",
            "minValueString", "maxValueString", "minDateTimeInterval", "maxDateTimeInterval",
            "regularExpressionString", "usesScalarValueType", "allowsExternalBinaryDataStorage",
            "allowsCloudEncryption", "preserveAfterDeletion", "valueTransformerName", "customClassName",
            "indexed", "spotlightIndexingEnabled", "storedInTruthFile", "derived", "derivationExpression",
            "composite", "elementID", "versionHashModifier", "syncable",
        ],
        "relationship": [
            "name", "optional", "transient", "ordered", "indexed", "syncable", "elementID",
            "spotlightIndexingEnabled", "versionHashModifier", "toMany", "maxCount", "minCount",
            "deletionRule", "deleteRule", "destinationEntity", "inverseName", "inverseEntity",
            "storedInTruthFile",
        ],
        "fetchedProperty": ["name", "optional", "syncable", "elementID", "versionHashModifier", "transient"],
        "fetchRequest": [
            "name", "entity", "predicateString", "fetchLimit", "fetchBatchSize", "includeSubentities",
            "includePropertyValues", "includePendingChanges", "includesPendingChanges",
            "returnObjectsAsFaults", "returnDistinctResults", "resultType",
        ],
        "fetchIndex": ["name", "partialIndexPredicate"],
        "fetchIndexElement": ["property", "type", "order", "expression", "expressionType"],
        "compoundIndexes": [], "compoundIndex": [], "index": ["value"], "uniquenessConstraints": [],
        "uniquenessConstraint": [], "constraint": ["value"], "userInfo": [], "entry": ["key", "value"],
        "configuration": ["name", "usedWithCloudKit"], "memberEntity": ["name"], "composite": ["name"],
        "elements": [],
    ]
}
