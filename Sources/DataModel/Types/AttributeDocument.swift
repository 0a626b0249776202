public import Foundation

/// The type of an attribute; raw values are those of Apple's `NSAttributeType`.
public enum AttributeType: Int, Sendable, Hashable, CaseIterable {
    /// No type: only transient attributes can have it.
    case undefined = 0
    /// A 16-bit integer.
    case integer16 = 100
    /// A 32-bit integer.
    case integer32 = 200
    /// A 64-bit integer.
    case integer64 = 300
    /// A decimal number.
    case decimal = 400
    /// A double.
    case double = 500
    /// A float.
    case float = 600
    /// A string.
    case string = 700
    /// A Boolean.
    case boolean = 800
    /// A date.
    case date = 900
    /// Bytes.
    case binaryData = 1000
    /// A UUID.
    case uuid = 1100
    /// A URI.
    case uri = 1200
    /// A value that a transformer turns into bytes.
    case transformable = 1800
    /// The identifier of an object.
    case objectID = 2000
    /// A value with named elements.
    case composite = 2100
}

/// A value written in a model: a default or a bound.
public enum ModelValue: Sendable, Hashable {
    /// An integer.
    case integer(Int64)
    /// A floating-point number.
    case double(Double)
    /// A decimal number.
    case decimal(Decimal)
    /// Text.
    case string(String)
    /// A truth value.
    case boolean(Bool)
    /// A date.
    case date(Date)
    /// Bytes.
    case data(Data)
    /// A UUID.
    case uuid(UUID)
    /// A URI, as text.
    case uri(String)
    /// Any other object, as a keyed archive of its own.
    case archived(Data)
}

/// An attribute of an entity or an element of a composite type.
public struct AttributeDocument: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The type.
    public var type: AttributeType
    /// Whether the value may be missing.
    public var isOptional: Bool
    /// Whether the value stays out of the store.
    public var isTransient: Bool
    /// Whether the attribute has an index of its own, as models before 2017 said it.
    public var isIndexed: Bool
    /// The value of a new object.
    public var defaultValue: ModelValue?
    /// The smallest value: a number or a date.
    public var minimumValue: ModelValue?
    /// The largest value: a number or a date.
    public var maximumValue: ModelValue?
    /// The smallest length of a string.
    public var minimumLength: Int?
    /// The largest length of a string.
    public var maximumLength: Int?
    /// The regular expression that a whole string has to match.
    public var regularExpression: String?
    /// Format strings of the further validation predicates that an archive holds.
    public var validationPredicates: [String]
    /// What is reported for each of ``validationPredicates``: a text or the number of an error, empty for the
    /// general one. Empty where no predicate has one.
    public var validationWarnings: [String]
    /// Whether generated classes use a scalar type; nil where the model does not say.
    public var usesScalarType: Bool?
    /// The Swift or Objective-C type of a transformable value, as written.
    public var customClassName: String?
    /// The name of the transformer; nil and empty mean the default one.
    public var valueTransformerName: String?
    /// Whether large values may be kept in files beside the store.
    public var allowsExternalStorage: Bool
    /// Whether CloudKit may hold the value encrypted.
    public var allowsCloudEncryption: Bool
    /// Whether the history keeps the value of a deleted object.
    public var preservesValueOnDeletion: Bool
    /// Whether Spotlight indexes the value.
    public var isSpotlightIndexed: Bool
    /// The expression of a derived attribute, as written; nil for others.
    public var derivationExpression: String?
    /// The predicate that filters what a derivation sees.
    public var derivationFilter: String?
    /// The name of the composite type.
    public var compositeName: String?
    /// The name in an earlier version of the model.
    public var renamingIdentifier: String?
    /// Text that changes the version hash without changing the attribute.
    public var versionHashModifier: String?
    /// Free text entries of the model's author.
    public var userInfo: [String: String]

    /// Makes an attribute.
    public init(
        name: String, type: AttributeType = .undefined, isOptional: Bool = false, isTransient: Bool = false,
        isIndexed: Bool = false, defaultValue: ModelValue? = nil, minimumValue: ModelValue? = nil,
        maximumValue: ModelValue? = nil, minimumLength: Int? = nil, maximumLength: Int? = nil,
        regularExpression: String? = nil, validationPredicates: [String] = [],
        validationWarnings: [String] = [], usesScalarType: Bool? = nil,
        customClassName: String? = nil, valueTransformerName: String? = nil,
        allowsExternalStorage: Bool = false, allowsCloudEncryption: Bool = false,
        preservesValueOnDeletion: Bool = false, isSpotlightIndexed: Bool = false,
        derivationExpression: String? = nil, derivationFilter: String? = nil, compositeName: String? = nil,
        renamingIdentifier: String? = nil, versionHashModifier: String? = nil,
        userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.isTransient = isTransient
        self.isIndexed = isIndexed
        self.defaultValue = defaultValue
        self.minimumValue = minimumValue
        self.maximumValue = maximumValue
        self.minimumLength = minimumLength
        self.maximumLength = maximumLength
        self.regularExpression = regularExpression
        self.validationPredicates = validationPredicates
        self.validationWarnings = validationWarnings
        self.usesScalarType = usesScalarType
        self.customClassName = customClassName
        self.valueTransformerName = valueTransformerName
        self.allowsExternalStorage = allowsExternalStorage
        self.allowsCloudEncryption = allowsCloudEncryption
        self.preservesValueOnDeletion = preservesValueOnDeletion
        self.isSpotlightIndexed = isSpotlightIndexed
        self.derivationExpression = derivationExpression
        self.derivationFilter = derivationFilter
        self.compositeName = compositeName
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
    }
}
