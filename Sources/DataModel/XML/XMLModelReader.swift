internal import Foundation

/// Reads the XML of a model.
struct XMLModelReader {
    let file: String
    var warnings: [String] = []

    init(file: String) { self.file = file }

    mutating func read(_ data: Data) throws -> ModelDocument {
        let root = try XMLScanner.root(of: data, file: file)
        guard root.name == "model" else {
            throw ModelDocumentError(
                .noModel("the root element is <\(root.name)>, not <model>"), file: file, line: root.line)
        }
        noteUnknown(in: root)
        var model = ModelDocument(
            sourceLanguage: text("sourceLanguage", root), toolsVersion: text("lastSavedToolsVersion", root),
            minimumToolsVersion: text("minimumToolsVersion", root),
            isUsedWithCloudKit: try flag("usedWithCloudKit", root),
            isUsedWithSwiftData: try flag("usedWithSwiftData", root))
        if let version = text("userDefinedModelVersionIdentifier", root) {
            model.versionIdentifiers = [version]
        }
        for element in root.children("composite") {
            model.composites.append(
                CompositeDocument(
                    name: try name(element),
                    attributes: try element.children("attribute").map { try attribute($0) }))
        }
        let count = root.children("entity").count
        guard count <= ArchivedModelReader.maximumEntities else {
            throw ModelDocumentError(.tooLarge("\(count) entities"), file: file, line: root.line)
        }
        for element in root.children("entity") { model.entities.append(try entity(element)) }
        for element in root.children("fetchRequest") {
            model.fetchRequests.append(try fetchRequest(element, name: name(element)))
        }
        for element in root.children("configuration") {
            model.configurations.append(try configuration(element, model))
        }
        var checker = XMLModelChecker(model: model, root: root, file: file)
        try checker.check()
        warnings += checker.warnings
        return model
    }

    private mutating func configuration(
        _ element: XMLElement, _ model: ModelDocument
    ) throws -> ConfigurationDocument {
        let known = Set(model.entities.map(\.name))
        var members: [String] = []
        for member in element.children("memberEntity") {
            let name = try name(member)
            if known.contains(name), !members.contains(name) {
                members.append(name)
            } else if !known.contains(name) {
                warn("the configuration names an entity '\(name)' that does not exist", member)
            }
        }
        return ConfigurationDocument(
            name: try name(element), entityNames: members,
            isUsedWithCloudKit: try flag("usedWithCloudKit", element))
    }

    private mutating func entity(_ element: XMLElement) throws -> EntityDocument {
        var entity = EntityDocument(name: try name(element))
        // Plain NSManagedObject is what an absent class means, so it is not kept as a name.
        entity.className = text("representedClassName", element).flatMap {
            $0 == "NSManagedObject" ? nil : $0
        }
        entity.parentName = text("parentEntity", element)
        entity.isAbstract = try flag("isAbstract", element)
        if let text = text("codeGenerationType", element) {
            // Only build tools ask for it, so an unknown word does not keep a model from loading.
            if let generation = CodeGeneration(rawValue: text.lowercased()) {
                entity.codeGeneration = generation
            } else {
                warn(
                    "codeGenerationType '\(text)' is none of class, category and none, and is ignored",
                    element)
            }
        }
        entity.renamingIdentifier = renaming(element)
        entity.versionHashModifier = text("versionHashModifier", element)
        entity.spotlightDisplayNameExpression = text("coreSpotlightDisplayNameExpression", element)
        entity.userInfo = userInfo(element)
        for child in element.children {
            switch child.name {
            case "attribute": entity.attributes.append(try attribute(child))
            case "relationship": entity.relationships.append(try relationship(child))
            case "fetchedProperty": entity.fetchedProperties.append(try fetchedProperty(child))
            case "fetchIndex": entity.indexes.append(try fetchIndex(child))
            case "compoundIndexes":
                entity.compoundIndexes += lists(child, of: "compoundIndex", values: "index")
            case "uniquenessConstraints":
                entity.uniquenessConstraints += lists(child, of: "uniquenessConstraint", values: "constraint")
            default: break
            }
        }
        return entity
    }

    /// The `value`s of the grandchildren: a list for each child.
    private func lists(_ element: XMLElement, of name: String, values: String) -> [[String]] {
        element.children(name).map { child in
            child.children(values).compactMap { $0.attributes["value"] }.filter { !$0.isEmpty }
        }
        .filter { !$0.isEmpty }
    }
}
