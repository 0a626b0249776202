/// The type of a field: one of eight kinds of value, or a list of one kind.
public struct FieldType: Hashable, Sendable {
    /// The kinds of single values.
    public enum Scalar: String, Hashable, Sendable, CaseIterable {
        /// Unicode text.
        case string
        /// A 64-bit integer; booleans are 0 and 1.
        case int64
        /// A 64-bit floating-point number.
        case double
        /// Milliseconds since 1970.
        case timestamp
        /// Raw bytes.
        case bytes
        /// A link to another record of the same database.
        case reference
        /// A file.
        case asset
        /// A place on Earth.
        case location
    }

    /// The kind of the value, or of the list's elements.
    public var scalar: Scalar
    /// Whether the field holds a list.
    public var isList: Bool

    /// Names a type.
    public init(_ scalar: Scalar, isList: Bool = false) {
        self.scalar = scalar
        self.isList = isList
    }

    /// A list of the given kind.
    public static func list(_ scalar: Scalar) -> FieldType { FieldType(scalar, isList: true) }

    /// Whether anything can be asked of values: of bytes, files and lists of places nothing can.
    public var canBeQueried: Bool {
        switch scalar {
        case .string, .int64, .double, .timestamp, .reference: true
        case .location: !isList
        case .bytes, .asset: false
        }
    }

    /// Whether values have an order that filters and sorts can use.
    public var isOrdered: Bool {
        switch scalar {
        case .string, .int64, .double, .timestamp: !isList
        case .bytes, .reference, .asset, .location: false
        }
    }
}
