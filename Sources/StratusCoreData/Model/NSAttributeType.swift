/// The type of an attribute, with Apple's numbers, which are also in archived models.
public enum NSAttributeType: UInt, Sendable, CaseIterable {
    /// No type; only sensible for a transient attribute.
    case undefinedAttributeType = 0
    /// `Int16`
    case integer16AttributeType = 100
    /// `Int32`
    case integer32AttributeType = 200
    /// `Int64`
    case integer64AttributeType = 300
    /// `NSDecimalNumber`
    case decimalAttributeType = 400
    /// `Double`
    case doubleAttributeType = 500
    /// `Float`
    case floatAttributeType = 600
    /// `String`
    case stringAttributeType = 700
    /// `Bool`
    case booleanAttributeType = 800
    /// `Date`
    case dateAttributeType = 900
    /// `Data`
    case binaryDataAttributeType = 1000
    /// `UUID`
    case UUIDAttributeType = 1100
    /// `URL`
    case URIAttributeType = 1200
    /// Any object that its value transformer can write as bytes.
    case transformableAttributeType = 1800
    /// `NSManagedObjectID`; only in results of fetches.
    case objectIDAttributeType = 2000
    /// A dictionary of the values of a composite attribute's elements.
    case compositeAttributeType = 2100
}

extension NSAttributeDescription {
    /// The newer spelling of ``NSAttributeType``.
    public struct AttributeType: RawRepresentable, Hashable, Sendable {
        /// Apple's number.
        public let rawValue: UInt
        /// Takes one of Apple's numbers.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// No type.
        public static let undefined = AttributeType(rawValue: 0)
        /// `Int16`
        public static let integer16 = AttributeType(rawValue: 100)
        /// `Int32`
        public static let integer32 = AttributeType(rawValue: 200)
        /// `Int64`
        public static let integer64 = AttributeType(rawValue: 300)
        /// `NSDecimalNumber`
        public static let decimal = AttributeType(rawValue: 400)
        /// `Double`
        public static let double = AttributeType(rawValue: 500)
        /// `Float`
        public static let float = AttributeType(rawValue: 600)
        /// `String`
        public static let string = AttributeType(rawValue: 700)
        /// `Bool`
        public static let boolean = AttributeType(rawValue: 800)
        /// `Date`
        public static let date = AttributeType(rawValue: 900)
        /// `Data`
        public static let binaryData = AttributeType(rawValue: 1000)
        /// `UUID`
        public static let uuid = AttributeType(rawValue: 1100)
        /// `URL`
        public static let uri = AttributeType(rawValue: 1200)
        /// Any object that a value transformer can write.
        public static let transformable = AttributeType(rawValue: 1800)
        /// `NSManagedObjectID`
        public static let objectID = AttributeType(rawValue: 2000)
        /// A dictionary of elements.
        public static let composite = AttributeType(rawValue: 2100)
    }
}
