internal import Foundation

/// Reads the archive of an `NSManagedObjectModel`.
struct ArchivedModelReader {
    static let maximumEntities = 10_000
    static let maximumEntries = 2_000_000
    static let maximumArchivedBytes = 16 << 20

    let name: String?
    private(set) var warnings: [String] = []
    /// Our own archives keep orders, which Apple's lose.
    private var keepsOrder = false
    /// One for all predicates, as its budget is for the whole model.
    var predicates = ArchivedPredicateReader()
    /// Composite types inside their attributes, as in Apple's archives.
    var foundComposites: [CompositeDocument] = []
    var compositeDepth = 0
    private var entryCount = 0
    private var archivedBytes = 0

    init(name: String? = nil) { self.name = name }

    mutating func read(_ data: Data) throws -> ModelDocument {
        do {
            let archive = try KeyedArchive(data)
            return try model(archive)
        } catch var error as ModelDocumentError {
            if error.file == nil { error.file = name ?? "archive" }
            throw error
        }
    }

    private mutating func model(_ archive: KeyedArchive) throws -> ModelDocument {
        guard let root = archive.root, let listed = root["NSEntities"] else {
            let found = archive.root?.className ?? "(none)"
            throw ModelDocumentError(.noModel("the root of the archive is a \(found) without NSEntities"))
        }
        let order = root[OwnKey.entityNames]?.texts
        keepsOrder = order != nil
        var items = listed.entries?.map(\.value) ?? listed.elements ?? []
        guard items.count <= Self.maximumEntities else {
            throw ModelDocumentError(.tooLarge("\(items.count) entities"))
        }
        if items.isEmpty, listed.entries == nil, listed.elements == nil {
            throw ModelDocumentError(.archive("NSEntities is neither a dictionary nor a list"))
        }
        items.sort { ($0["NSEntityName"]?.string ?? "") < ($1["NSEntityName"]?.string ?? "") }
        if let order {
            let places = Dictionary(
                order.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
            let place = { (item: ArchivedItem) in places[item["NSEntityName"]?.string ?? ""] ?? .max }
            items.sort { place($0) < place($1) }
        }
        var model = ModelDocument()
        var seen: Set<String> = []
        for item in items {
            let entity = try entity(item)
            guard seen.insert(entity.name).inserted else {
                throw ModelDocumentError(.duplicate(entity.name), element: "entity '\(entity.name)'")
            }
            model.entities.append(entity)
        }
        try checkParents(model)
        try readRest(root, &model)
        return model
    }

    private mutating func readRest(_ root: ArchivedItem, _ model: inout ModelDocument) throws {
        model.versionIdentifiers = (root["NSVersionIdentifiers"]?.elements ?? []).compactMap(\.string)
        if !keepsOrder { model.versionIdentifiers.sort() }
        for (name, item) in ordered(root["NSFetchRequestTemplates"]?.entries) {
            model.fetchRequests.append(try fetchRequest(item, name: name))
        }
        let mirrored = Set(root[OwnKey.mirroredConfigurations]?.texts ?? [])
        for (name, item) in ordered(root["NSConfigurations"]?.entries)
        // The default configuration holds every entity and is not written in models.
        where name != "PF_DEFAULT_CONFIGURATION_NAME" {
            let names = (item.elements ?? []).compactMap { $0["NSEntityName"]?.string ?? $0.string }
            model.configurations.append(
                ConfigurationDocument(
                    name: name, entityNames: keepsOrder ? names : names.sorted(),
                    isUsedWithCloudKit: mirrored.contains(name)))
        }
        for (name, item) in ordered(root[OwnKey.composites]?.entries) {
            let attributes = try (item.elements ?? []).map { try attribute($0, of: name) }
            model.composites.append(CompositeDocument(name: name, attributes: attributes))
        }
        model.composites += foundComposites
        model.sourceLanguage = root[OwnKey.sourceLanguage]?.string
        model.toolsVersion = root[OwnKey.toolsVersion]?.string
        model.minimumToolsVersion = root[OwnKey.minimumToolsVersion]?.string
        model.isUsedWithCloudKit = root[OwnKey.usedWithCloudKit]?.bool ?? false
        model.isUsedWithSwiftData = root[OwnKey.usedWithSwiftData]?.bool ?? false
    }

    private func ordered(
        _ entries: [(key: String, value: ArchivedItem)]?
    ) -> [(key: String, value: ArchivedItem)] {
        guard let entries else { return [] }
        return keepsOrder ? entries : entries.sorted { $0.key < $1.key }
    }

    private mutating func entity(_ item: ArchivedItem) throws -> EntityDocument {
        guard let name = item["NSEntityName"]?.string, !name.isEmpty else {
            throw ModelDocumentError(.missing, element: "an entity", attribute: "NSEntityName")
        }
        var entity = EntityDocument(name: name)
        entity.className = (item["NSClassNameForEntity"]?.string).flatMap {
            $0 == "NSManagedObject" ? nil : $0
        }
        entity.parentName = item["NSSuperentity"]?["NSEntityName"]?.string
        entity.isAbstract = item["NSIsAbstract"]?.bool ?? false
        entity.renamingIdentifier = renaming(item, name)
        entity.versionHashModifier = item["NSVersionHashModifier"]?.string
        entity.userInfo = try texts(item["NSUserInfo"])
        entity.codeGeneration =
            item[OwnKey.codeGeneration]?.string.flatMap { CodeGeneration(rawValue: $0) } ?? .unspecified
        entity.spotlightDisplayNameExpression = item[OwnKey.spotlightExpression]?.string
        for property in try ownProperties(item) { try read(property, into: &entity) }
        for index in item["NSFetchIndexDescriptions"]?.elements ?? [] {
            entity.indexes.append(try fetchIndex(index, of: name))
        }
        entity.uniquenessConstraints = try lists(item["NSUniqueTuples"])
        entity.compoundIndexes = try compoundIndexes(item, entity)
        return entity
    }

    /// Apple's archives also list each fetch index as a compound index; only the others are real.
    private mutating func compoundIndexes(
        _ item: ArchivedItem, _ entity: EntityDocument
    ) throws -> [[String]] {
        if let own = item[OwnKey.compoundIndexes] { return try lists(own) }
        let fetchIndexes = Set(entity.indexes.map { $0.elements.compactMap(\.propertyName) })
        return try lists(item["NSCompoundIndexes"]).filter { !fetchIndexes.contains($0) }
    }

    /// Counts what is read, as many objects of a small archive can share one large list.
    mutating func spend(_ count: Int) throws {
        entryCount += count + 1
        guard entryCount <= Self.maximumEntries else {
            throw ModelDocumentError(.tooLarge("more than \(Self.maximumEntries) entries"))
        }
    }

    /// An object that is not a plain value, as an archive of its own.
    mutating func archived(_ item: ArchivedItem) throws -> ModelValue {
        let data = try ArchiveBuilder.archive(of: item)
        archivedBytes += data.count
        guard archivedBytes <= Self.maximumArchivedBytes else {
            throw ModelDocumentError(
                .tooLarge("more than \(Self.maximumArchivedBytes) bytes of default values"))
        }
        return .archived(data)
    }

    /// The properties that are not repeated from a parent.
    private mutating func ownProperties(_ item: ArchivedItem) throws -> [ArchivedItem] {
        let all = item["NSProperties"]?.entries ?? []
        try spend(all.count)
        if let names = item[OwnKey.propertyNames]?.texts {
            let known = Dictionary(all.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
            return names.compactMap { known[$0] }
        }
        let inherited = Set((item["NSSuperentity"]?["NSProperties"]?.entries ?? []).map(\.key))
        try spend(inherited.count)
        return ordered(all).filter {
            !inherited.contains($0.key) && $0.value.className != "_NSPropertyDescriptionProxy"
        }
        .map(\.value)
    }

    private mutating func read(_ item: ArchivedItem, into entity: inout EntityDocument) throws {
        switch item.className {
        case "NSRelationshipDescription":
            entity.relationships.append(try relationship(item, of: entity.name))
        case "NSFetchedPropertyDescription":
            entity.fetchedProperties.append(try fetchedProperty(item, of: entity.name))
        case let name? where name.hasSuffix("AttributeDescription"):
            entity.attributes.append(try attribute(item, of: entity.name))
        case let name:
            throw ModelDocumentError(
                .archive("a property has the class \(name ?? "(none)")"), element: "entity '\(entity.name)'")
        }
    }

    private func checkParents(_ model: ModelDocument) throws {
        let parents = Dictionary(
            model.entities.map { ($0.name, $0.parentName) }, uniquingKeysWith: { first, _ in first })
        for entity in model.entities {
            var seen: Set<String> = [entity.name]
            var path = [entity.name]
            var next = entity.parentName
            while let name = next {
                guard let parent = parents[name] else {
                    throw ModelDocumentError(
                        .unknownName(name, what: "entity"), element: "entity '\(path.last ?? "")'",
                        attribute: "NSSuperentity")
                }
                path.append(name)
                guard seen.insert(name).inserted else {
                    throw ModelDocumentError(.cycle(path), element: "entity '\(entity.name)'")
                }
                next = parent
            }
        }
    }

    func renaming(_ item: ArchivedItem, _ name: String) -> String? {
        (item["NSRenamingIdentifier"]?.string).flatMap { $0 == name ? nil : $0 }
    }

    mutating func texts(_ item: ArchivedItem?) throws -> [String: String] {
        var result: [String: String] = [:]
        let entries = item?.entries ?? []
        try spend(entries.count)
        for (key, value) in entries {
            result[key] = value.string ?? value.int.map { "\($0)" } ?? ""
        }
        return result
    }

    /// Lists of property names; an element is a name or the property itself.
    private mutating func lists(_ item: ArchivedItem?) throws -> [[String]] {
        var result: [[String]] = []
        for list in item?.elements ?? [] {
            let names = (list.elements ?? []).compactMap { $0.string ?? $0["NSPropertyName"]?.string }
            try spend(names.count)
            if !names.isEmpty { result.append(names) }
        }
        return result
    }

    mutating func warn(_ text: String) {
        if warnings.count < 1000 { warnings.append("\(name ?? "archive"), \(text)") }
    }
}

extension ArchivedItem {
    /// The strings of a list.
    var texts: [String]? { elements?.compactMap(\.string) }
}

/// Names of our own fields in an archive, for what Apple's fields do not hold. Readers of keyed archives ask
/// for fields by name, so others do not see these.
enum OwnKey {
    static let entityNames = "StratusEntityNames"
    static let propertyNames = "StratusPropertyNames"
    static let composites = "StratusComposites"
    static let compositeName = "StratusCompositeName"
    static let mirroredConfigurations = "StratusMirroredConfigurations"
    static let sourceLanguage = "StratusSourceLanguage"
    static let toolsVersion = "StratusToolsVersion"
    static let minimumToolsVersion = "StratusMinimumToolsVersion"
    static let usedWithCloudKit = "StratusUsedWithCloudKit"
    static let usedWithSwiftData = "StratusUsedWithSwiftData"
    static let codeGeneration = "StratusCodeGeneration"
    static let spotlightExpression = "StratusSpotlightExpression"
    static let compoundIndexes = "StratusCompoundIndexes"
    static let usesScalarType = "StratusUsesScalarType"
    static let customClassName = "StratusCustomClassName"
    static let archivedDefault = "StratusArchivedDefault"
    static let cloudEncryption = "StratusCloudEncryption"
    static let derivation = "StratusDerivation"
    static let derivationFilter = "StratusDerivationFilter"
    static let validations = "StratusValidations"
    static let validationWarnings = "StratusValidationWarnings"
    static let inverseEntity = "StratusInverseEntity"
    static let mappingHashes = "StratusMappingHashes"
    static let mappingExpression = "StratusMappingExpression"
    static let predicate = "StratusPredicate"
    static let expression = "StratusExpression"
    static let expressionType = "StratusExpressionType"
    static let fetchSwitches = "StratusFetchSwitches"
    static let requestName = "StratusRequestName"
}
