internal import DataModel

/// What a model file says and a model's public properties have no place for; kept so that nothing is lost when the
/// model is written again, into a store for example.
struct ModelNotes {
    /// The named composite types, used or not.
    var composites: [CompositeDocument] = []
    var sourceLanguage: String?
    var toolsVersion: String?
    var minimumToolsVersion: String?
    var isUsedWithCloudKit = false
    var isUsedWithSwiftData = false
    /// The names of the configurations that are mirrored.
    var mirroredConfigurations: Set<String> = []
    /// Templates whose predicate cannot be parsed; the model does not offer them.
    var unreadRequests: [FetchRequestDocument] = []
}

/// What a model file says about an entity beyond its description.
struct EntityNotes {
    var codeGeneration = CodeGeneration.unspecified
    /// The Spotlight expression, where it cannot be parsed.
    var spotlightText: String?
    /// Indexes that name a property that does not exist, or whose predicate cannot be parsed.
    var unreadIndexes: [FetchIndexDocument] = []
}

/// What a model file says about an attribute beyond its description.
struct AttributeNotes {
    /// The default as it was written; nil once code sets another.
    var defaultValue: ModelValue?
    /// The bounds as they were written, since ``AttributeBounds`` holds decimals.
    var minimum: ModelValue?
    var maximum: ModelValue?
    var usesScalarType: Bool?
    /// The class of a value that is not transformable.
    var customClassName: String?
    var compositeName: String?
    /// The derivation, where it cannot be parsed.
    var derivation: String?
    var derivationFilter: String?
    /// Validation predicates that cannot be parsed, with their warnings.
    var unreadValidations: [(format: String, warning: String)] = []
}

/// Names in a relationship that lead nowhere.
struct RelationshipNotes {
    var destinationName: String?
    var inverseName: String?
    var inverseEntityName: String?
}
