/// An entity with its own properties; inherited ones are found through ``parentName``.
public struct EntityDocument: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The class as written (`Note`, `.Note`, `Module.Note`), or nil for plain `NSManagedObject`.
    public var className: String?
    /// The name of the superentity.
    public var parentName: String?
    /// Whether no object of this very entity may exist.
    public var isAbstract: Bool
    /// What a build tool generates for the entity.
    public var codeGeneration: CodeGeneration
    /// The name in an earlier version of the model.
    public var renamingIdentifier: String?
    /// Text that changes the version hash without changing the entity.
    public var versionHashModifier: String?
    /// Free text entries of the model's author.
    public var userInfo: [String: String]
    /// The attributes.
    public var attributes: [AttributeDocument]
    /// The relationships.
    public var relationships: [RelationshipDocument]
    /// The fetched properties.
    public var fetchedProperties: [FetchedPropertyDocument]
    /// The fetch indexes (2017 and later).
    public var indexes: [FetchIndexDocument]
    /// The older indexes over several properties; their names in SQL differ from those of ``indexes``.
    public var compoundIndexes: [[String]]
    /// The sets of properties whose values may occur once.
    public var uniquenessConstraints: [[String]]
    /// The expression Spotlight shows for an object.
    public var spotlightDisplayNameExpression: String?

    /// Makes an entity.
    public init(
        name: String, className: String? = nil, parentName: String? = nil, isAbstract: Bool = false,
        codeGeneration: CodeGeneration = .unspecified, renamingIdentifier: String? = nil,
        versionHashModifier: String? = nil, userInfo: [String: String] = [:],
        attributes: [AttributeDocument] = [], relationships: [RelationshipDocument] = [],
        fetchedProperties: [FetchedPropertyDocument] = [], indexes: [FetchIndexDocument] = [],
        compoundIndexes: [[String]] = [], uniquenessConstraints: [[String]] = [],
        spotlightDisplayNameExpression: String? = nil
    ) {
        self.name = name
        self.className = className
        self.parentName = parentName
        self.isAbstract = isAbstract
        self.codeGeneration = codeGeneration
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
        self.attributes = attributes
        self.relationships = relationships
        self.fetchedProperties = fetchedProperties
        self.indexes = indexes
        self.compoundIndexes = compoundIndexes
        self.uniquenessConstraints = uniquenessConstraints
        self.spotlightDisplayNameExpression = spotlightDisplayNameExpression
    }

    /// The class name with a leading dot replaced by the module; `NSManagedObject` where none is written.
    public func className(inModule module: String) -> String {
        guard let className, !className.isEmpty, className != "." else { return "NSManagedObject" }
        return className.hasPrefix(".") ? module + className : className
    }
}

/// What a build tool generates for an entity.
public enum CodeGeneration: String, Sendable, Hashable, CaseIterable {
    /// The file does not say: older files, whose classes are in the app's source.
    case unspecified = ""
    /// Nothing: the class is in the app's source.
    case none
    /// The class and its properties.
    case `class`
    /// The properties, as an extension of a class in the app's source.
    case category
}
