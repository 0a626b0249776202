public import RecordModel

/// The type of a field in the words of the schema language.
public struct DeclaredType: Hashable, Sendable, CustomStringConvertible {
    /// The type of the values.
    public let type: FieldType
    /// What the text says of it beyond that.
    public let declaration: FieldDeclaration

    /// Declares a type.
    ///
    /// `NUMBER` decides the values' type by itself: INT64 where that is preferred, else DOUBLE.
    public init(_ type: FieldType, _ declaration: FieldDeclaration = .plain) {
        self.declaration = declaration
        switch declaration {
        case .plain, .encrypted: self.type = type
        case .numberAsInt64: self.type = FieldType(.int64, isList: type.isList)
        case .number, .numberAsDouble: self.type = FieldType(.double, isList: type.isList)
        }
    }

    /// The type as it is written: `LIST<STRING>`, `ENCRYPTED BYTES`, `NUMBER PREFERRED AS INT64`.
    public var description: String {
        let element: String
        switch declaration {
        case .plain: element = type.scalar.keyword
        case .encrypted: element = "ENCRYPTED " + type.scalar.keyword
        case .number: element = "NUMBER"
        case .numberAsInt64: element = "NUMBER PREFERRED AS INT64"
        case .numberAsDouble: element = "NUMBER PREFERRED AS DOUBLE"
        }
        return type.isList ? "LIST<\(element)>" : element
    }
}

extension FieldType.Scalar {
    /// The word of the schema language; the wire's for a file is another.
    var keyword: String { self == .asset ? "ASSET" : rawValue.uppercased() }

    /// The type that a word names, in any case.
    init?(keyword: String) {
        let word = keyword.uppercased()
        guard let scalar = Self.allCases.first(where: { $0.keyword == word }) else { return nil }
        self = scalar
    }
}
