/// A Core Data model as a plain value: what a `.xcdatamodel`, a `.mom` or a store's `Z_MODELCACHE` says.
///
/// Every entity holds its own properties only; those of its parents are not repeated.
public struct ModelDocument: Sendable, Hashable {
    /// The entities, in the order of the file; an archive has no order, so its entities come by name.
    public var entities: [EntityDocument]
    /// The composite types that attributes of type ``AttributeType/composite`` name.
    public var composites: [CompositeDocument]
    /// The fetch request templates.
    public var fetchRequests: [FetchRequestDocument]
    /// The named configurations; the default one, which holds every entity, is not listed.
    public var configurations: [ConfigurationDocument]
    /// The version identifiers; empty where the model has none.
    public var versionIdentifiers: [String]
    /// The language of the generated classes (`Swift`, `Objective-C`), where the file says it.
    public var sourceLanguage: String?
    /// The build of the tool that last saved the file.
    public var toolsVersion: String?
    /// The oldest tool that should read the file.
    public var minimumToolsVersion: String?
    /// Whether the model is meant for mirroring to CloudKit.
    public var isUsedWithCloudKit: Bool
    /// Whether the model is shared with SwiftData.
    public var isUsedWithSwiftData: Bool

    /// Makes a model from its parts.
    public init(
        entities: [EntityDocument] = [], composites: [CompositeDocument] = [],
        fetchRequests: [FetchRequestDocument] = [], configurations: [ConfigurationDocument] = [],
        versionIdentifiers: [String] = [], sourceLanguage: String? = nil, toolsVersion: String? = nil,
        minimumToolsVersion: String? = nil, isUsedWithCloudKit: Bool = false,
        isUsedWithSwiftData: Bool = false
    ) {
        self.entities = entities
        self.composites = composites
        self.fetchRequests = fetchRequests
        self.configurations = configurations
        self.versionIdentifiers = versionIdentifiers
        self.sourceLanguage = sourceLanguage
        self.toolsVersion = toolsVersion
        self.minimumToolsVersion = minimumToolsVersion
        self.isUsedWithCloudKit = isUsedWithCloudKit
        self.isUsedWithSwiftData = isUsedWithSwiftData
    }

    /// The entity of that name.
    public func entity(named name: String) -> EntityDocument? {
        entities.first { $0.name == name }
    }
}

/// A named set of entities, which a store can be limited to.
public struct ConfigurationDocument: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The names of the entities it holds.
    public var entityNames: [String]
    /// Whether the configuration is meant for mirroring to CloudKit.
    public var isUsedWithCloudKit: Bool

    /// Makes a configuration.
    public init(name: String, entityNames: [String] = [], isUsedWithCloudKit: Bool = false) {
        self.name = name
        self.entityNames = entityNames
        self.isUsedWithCloudKit = isUsedWithCloudKit
    }
}

/// A composite type: named attributes that one attribute of an entity holds together.
public struct CompositeDocument: Sendable, Hashable {
    /// The name that ``AttributeDocument/compositeName`` refers to.
    public var name: String
    /// The elements; one of them may be composite itself.
    public var attributes: [AttributeDocument]

    /// Makes a composite type.
    public init(name: String, attributes: [AttributeDocument] = []) {
        self.name = name
        self.attributes = attributes
    }
}
