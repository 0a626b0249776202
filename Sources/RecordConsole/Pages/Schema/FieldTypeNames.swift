import RecordModel
import SchemaLanguage

/// What pages call the types of fields: the words of the schema language, `LIST<STRING>` and `ASSET`.
///
/// The protocol's JSON has words of its own (`STRING_LIST`, `ASSETID`); only pages that show JSON show those.
extension FieldType {
    /// The name on pages.
    var title: String { DeclaredType(self).description }

    /// The type of a name that a page offered; nil for another text.
    init?(title: String) {
        guard let type = Self.all.first(where: { $0.title == title }) else { return nil }
        self = type
    }

    /// Every type: each kind of value, and lists of it.
    static let all: [FieldType] = Scalar.allCases.flatMap { [FieldType($0), .list($0)] }
}
