internal import GRDB

/// The SQL functions that every connection of a store has.
enum StoreFunctions {
    static var all: [DatabaseFunction] { affected + texts }

    static var collations: [DatabaseCollation] { [] }

    /// What the triggers of Apple's stores call when they changed a derived attribute: without them every write
    /// to such a table would fail (coredata.md 3.5). The store reads the rows again itself.
    private static let affected = [
        "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
    ].map { DatabaseFunction($0, argumentCount: 5) { _ in nil } }

    /// The functions of derived attributes, with the folding of the predicate language.
    private static let texts = [
        text("stratus_uppercase") { $0.uppercased() },
        text("stratus_lowercase") { $0.lowercased() },
        text("stratus_canonical") {
            StringFolding.fold($0, options: [.caseInsensitive, .diacriticInsensitive])
        },
    ]

    private static func text(
        _ name: String, _ body: @escaping @Sendable (String) -> String
    ) -> DatabaseFunction {
        DatabaseFunction(name, argumentCount: 1, pure: true) { values in
            String.fromDatabaseValue(values[0]).map(body)
        }
    }
}
