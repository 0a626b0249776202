/// One attribute of an entity.
///
/// Unchecked sendable as in ``NSPropertyDescription``: mutable only until a coordinator uses its model.
open class NSAttributeDescription: NSPropertyDescription, @unchecked Sendable {
    /// The type, which also decides the column's.
    open var attributeType: NSAttributeType = .undefinedAttributeType { willSet { freeze.requireMutable() } }
    /// The newer spelling of ``attributeType``.
    open var type: AttributeType {
        get { AttributeType(rawValue: attributeType.rawValue) }
        set { attributeType = NSAttributeType(rawValue: newValue.rawValue) ?? .undefinedAttributeType }
    }
    /// The name of the class of the values; for a transformable attribute what the model says.
    open var attributeValueClassName: String? {
        get { ownValueClassName ?? attributeType.valueClassName }
        set {
            freeze.requireMutable()
            ownValueClassName = newValue
        }
    }
    var ownValueClassName: String?
    /// The value that a new object starts with.
    open var defaultValue: Any? {
        willSet { freeze.requireMutable() }
        didSet { notes.defaultValue = nil }
    }
    /// The name of the transformer of a transformable attribute; nil or empty is the secure unarchiver.
    open var valueTransformerName: String? { willSet { freeze.requireMutable() } }
    /// Whether large values may live in a file beside the store.
    open var allowsExternalBinaryDataStorage = false { willSet { freeze.requireMutable() } }
    /// Whether the last value is kept in the history when the object is deleted.
    open var preservesValueInHistoryOnDeletion = false { willSet { freeze.requireMutable() } }
    /// Whether a cloud may keep it encrypted only.
    open var allowsCloudEncryption = false { willSet { freeze.requireMutable() } }

    /// The default as objects hold it; made when the model is frozen.
    package var defaultPropertyValue: PropertyValue = .null
    /// The bounds that a model file states, kept for writing it again.
    var bounds = AttributeBounds()
    /// What a model file says beyond that.
    var notes = AttributeNotes()

    override var boundRules: [(predicate: NSPredicate, code: Int)] {
        bounds.rules(isDate: attributeType == .dateAttributeType)
    }

    override func removeBounds() {
        bounds = AttributeBounds()
        notes.minimum = nil
        notes.maximum = nil
        notes.unreadValidations = []
    }

    override func makeEmptyCopy() -> NSPropertyDescription { NSAttributeDescription() }

    override func copied() -> NSPropertyDescription {
        let copy = super.copied()
        guard let attribute = copy as? NSAttributeDescription else { return copy }
        attribute.attributeType = attributeType
        attribute.ownValueClassName = ownValueClassName
        attribute.defaultValue = defaultValue
        attribute.valueTransformerName = valueTransformerName
        attribute.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
        attribute.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
        attribute.allowsCloudEncryption = allowsCloudEncryption
        attribute.bounds = bounds
        attribute.notes = notes
        return attribute
    }
}

/// The bounds of an attribute as a model file states them.
struct AttributeBounds {
    /// The least and greatest number, or date in seconds since 2001.
    var minimum: Decimal?
    var maximum: Decimal?
    /// The least and greatest length of a text.
    var minimumLength: Int?
    var maximumLength: Int?
    /// What the whole text has to match.
    var pattern: String?
}

extension NSAttributeType {
    /// The class whose instances Apple's Core Data hands out for the type.
    var valueClassName: String? {
        switch self {
        case .undefinedAttributeType, .transformableAttributeType, .objectIDAttributeType: nil
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .doubleAttributeType,
            .floatAttributeType, .booleanAttributeType:
            "NSNumber"
        case .decimalAttributeType: "NSDecimalNumber"
        case .stringAttributeType: "NSString"
        case .dateAttributeType: "NSDate"
        case .binaryDataAttributeType: "NSData"
        case .UUIDAttributeType: "NSUUID"
        case .URIAttributeType: "NSURL"
        case .compositeAttributeType: "NSDictionary"
        }
    }
}
