public import RecordModel

/// A column of a record type's table.
public enum Column: Hashable, Sendable {
    /// A field's value: text, number, milliseconds, the record name of a reference, or the elements of a list.
    case field(FieldSchema)
    /// A location's latitude in degrees.
    case latitude(FieldSchema)
    /// A location's longitude in degrees.
    case longitude(FieldSchema)
    case recordName
    case createdAt
    case modifiedAt
    case createdBy
    case modifiedBy
    case parent
}

/// How a column compares with a value.
public enum Comparison: Hashable, Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}

/// How text compares with a pattern.
public struct TextMatch: Hashable, Sendable {
    /// The kind of comparison.
    public enum Kind: String, Hashable, Sendable {
        case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
        case contains, beginsWith, endsWith, like
    }

    /// The kind of comparison.
    public var kind: Kind
    /// What to compare with.
    public var pattern: String
    /// Whether case is ignored.
    public var ignoresCase: Bool
    /// Whether diacritics are ignored.
    public var ignoresDiacritics: Bool

    /// Creates a comparison.
    public init(_ kind: Kind, _ pattern: String, ignoresCase: Bool = false, ignoresDiacritics: Bool = false) {
        self.kind = kind
        self.pattern = pattern
        self.ignoresCase = ignoresCase
        self.ignoresDiacritics = ignoresDiacritics
    }
}

/// What a row has to fulfil.
///
/// Every condition is true or false, never unknown: a missing value equals nothing but null, differs from
/// every value, and is neither less nor greater than any. `not` turns exactly the rows around.
public indirect enum Condition: Hashable, Sendable {
    case constant(Bool)
    case and([Condition])
    case or([Condition])
    case not(Condition)
    /// The column against a value; `equal` and `notEqual` take null as well.
    case compare(Column, Comparison, StorageValue)
    /// The column against another column.
    case compareColumns(Column, Comparison, Column)
    /// The column is one of the values.
    case among(Column, [StorageValue])
    /// The text begins with the given one, to the byte; an index serves it.
    case prefix(Column, String)
    /// The text matches.
    case text(Column, TextMatch)
    /// Some element of the list fulfils the test.
    case anyElement(Column, ElementTest)
    /// The list holds all of the values.
    case allValues(Column, [StorageValue])
    /// The list has so many elements, compared so.
    case elementCount(Column, Comparison, Int64)
    /// The text columns together hold all, or any, of the words (see ``TextTokens``).
    case tokens([Column], [String], all: Bool)
    /// The location is so many metres away from a place, or nearer.
    case near(FieldSchema, Location, metres: Double)
}

/// What one element of a list may be tested for.
public enum ElementTest: Hashable, Sendable {
    case compare(Comparison, StorageValue)
    case among([StorageValue])
    case text(TextMatch)
}
