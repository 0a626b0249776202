internal import Foundation

/// Writes a model as the XML that Xcode reads.
struct XMLModelWriter {
    private(set) var text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
    private var depth = 0

    mutating func write(_ model: ModelDocument) throws {
        if model.versionIdentifiers.count > 1 {
            throw Self.notExpressible("several version identifiers", "the model")
        }
        var fields = Fields()
        fields.add("type", "com.apple.IDECoreDataModeler.DataModel")
        fields.add("documentVersion", "1.0")
        fields.add("lastSavedToolsVersion", model.toolsVersion)
        fields.add("minimumToolsVersion", model.minimumToolsVersion)
        fields.add("sourceLanguage", model.sourceLanguage)
        fields.add("usedWithCloudKit", flag: model.isUsedWithCloudKit)
        fields.add("usedWithSwiftData", flag: model.isUsedWithSwiftData)
        fields.add("userDefinedModelVersionIdentifier", model.versionIdentifiers.first ?? "")
        try element("model", fields) { writer in
            for entity in model.entities { try writer.write(entity) }
            for request in model.fetchRequests { try writer.write(request) }
            for configuration in model.configurations { try writer.write(configuration) }
            for composite in model.composites {
                try writer.element("composite", Fields(name: composite.name)) { writer in
                    for attribute in composite.attributes { try writer.write(attribute) }
                }
            }
        }
    }

    private mutating func write(_ entity: EntityDocument) throws {
        var fields = Fields(name: entity.name)
        fields.add("representedClassName", entity.className)
        fields.add("parentEntity", entity.parentName)
        fields.add("elementID", entity.renamingIdentifier)
        fields.add("versionHashModifier", entity.versionHashModifier)
        fields.add("isAbstract", flag: entity.isAbstract)
        fields.add("syncable", "YES")
        if entity.codeGeneration != .unspecified {
            fields.add("codeGenerationType", entity.codeGeneration.rawValue)
        }
        fields.add("coreSpotlightDisplayNameExpression", entity.spotlightDisplayNameExpression)
        try element("entity", fields) { writer in
            for attribute in entity.attributes { try writer.write(attribute) }
            for relationship in entity.relationships { try writer.write(relationship) }
            for property in entity.fetchedProperties { try writer.write(property) }
            for index in entity.indexes { try writer.write(index) }
            try writer.lists(entity.compoundIndexes, ["compoundIndexes", "compoundIndex", "index"])
            try writer.lists(
                entity.uniquenessConstraints, ["uniquenessConstraints", "uniquenessConstraint", "constraint"])
            try writer.write(userInfo: entity.userInfo)
        }
    }

    private mutating func write(_ configuration: ConfigurationDocument) throws {
        var fields = Fields(name: configuration.name)
        fields.add("usedWithCloudKit", flag: configuration.isUsedWithCloudKit)
        try element("configuration", fields) { writer in
            for name in configuration.entityNames { try writer.element("memberEntity", Fields(name: name)) }
        }
    }

    private mutating func lists(_ lists: [[String]], _ names: [String]) throws {
        guard !lists.isEmpty else { return }
        try element(names[0], Fields()) { writer in
            for list in lists {
                try writer.element(names[1], Fields()) { writer in
                    for value in list {
                        var fields = Fields()
                        fields.add("value", value)
                        try writer.element(names[2], fields)
                    }
                }
            }
        }
    }

    mutating func write(userInfo: [String: String]) throws {
        guard !userInfo.isEmpty else { return }
        try element("userInfo", Fields()) { writer in
            for (key, value) in userInfo.sorted(by: { $0.key < $1.key }) {
                var fields = Fields()
                fields.add("key", key)
                fields.add("value", value)
                try writer.element("entry", fields)
            }
        }
    }

    mutating func element(
        _ name: String, _ fields: Fields, _ content: (inout XMLModelWriter) throws -> Void = { _ in }
    ) throws {
        let indent = String(repeating: "    ", count: depth)
        text += indent + "<" + name + fields.text
        let end = text.utf8.count
        text += ">\n"
        depth += 1
        try content(&self)
        depth -= 1
        if text.utf8.count == end + 2 {
            text.removeLast(2)
            text += "/>\n"
        } else {
            text += indent + "</\(name)>\n"
        }
    }

    static func notExpressible(_ what: String, _ element: String) -> ModelDocumentError {
        ModelDocumentError(.notExpressible(what), element: element)
    }

    /// The attributes of one element, as text.
    struct Fields {
        private(set) var text = ""

        init() {}

        init(name: String) { add("name", name) }

        mutating func add(_ name: String, _ value: String?) {
            guard let value else { return }
            text += " \(name)=\""
            for scalar in value.unicodeScalars {
                switch scalar {
                case "&": text += "&amp;"
                case "<": text += "&lt;"
                case ">": text += "&gt;"
                case "\"": text += "&quot;"
                // A reader would turn these into blanks.
                case "\u{0}"..."\u{1F}": text += "&#\(scalar.value);"
                default: text.unicodeScalars.append(scalar)
                }
            }
            text += "\""
        }

        mutating func add(_ name: String, flag: Bool) {
            if flag { add(name, "YES") }
        }

        mutating func add(_ name: String, count: Int) {
            if count != 0 { add(name, "\(count)") }
        }
    }
}

extension ModelDocument {
    /// The model as the text of a `contents` file.
    ///
    /// Reading it gives the same model.
    ///
    /// - Throws: ``ModelDocumentError`` for what XML has no words for, such as a default value of bytes or a
    ///   sort key of a fetch request; archives hold these.
    public func xml() throws -> String {
        var writer = XMLModelWriter()
        try writer.write(self)
        return writer.text
    }
}
