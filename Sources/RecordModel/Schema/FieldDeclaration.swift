/// How the schema's text declares a field whose values are of a plain type.
public enum FieldDeclaration: String, Hashable, Sendable, CaseIterable {
    /// The type alone.
    case plain
    /// `ENCRYPTED`: clients encrypt the values, nothing may be asked of them.
    case encrypted
    /// `NUMBER`, held as DOUBLE.
    case number
    /// `NUMBER PREFERRED AS INT64`, held as INT64.
    case numberAsInt64
    /// `NUMBER PREFERRED AS DOUBLE`, held as DOUBLE.
    case numberAsDouble
}
