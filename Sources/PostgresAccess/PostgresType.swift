/// The types whose values go over the wire in binary form, by their object identifiers.
///
/// The numbers are fixed for all versions: <https://www.postgresql.org/docs/15/catalog-pg-type.html>.
public enum PostgresType: UInt32, Sendable {
    /// Any bytes.
    case bytea = 17
    /// True or false.
    case bool = 16
    /// A whole number of 8 bytes.
    case int8 = 20
    /// UTF-8 without NUL.
    case text = 25
    /// A number of 8 bytes.
    case float8 = 701
    /// One-dimensional arrays, of which elements may be NULL: one statement writes many rows through `unnest`.
    case byteaArray = 1001
    case boolArray = 1000
    case textArray = 1009
    case int8Array = 1016
    case float8Array = 1022

    /// The type of an array's elements; nil for the others.
    public var element: PostgresType? {
        switch self {
        case .byteaArray: .bytea
        case .boolArray: .bool
        case .textArray: .text
        case .int8Array: .int8
        case .float8Array: .float8
        case .bytea, .bool, .int8, .text, .float8: nil
        }
    }
}
