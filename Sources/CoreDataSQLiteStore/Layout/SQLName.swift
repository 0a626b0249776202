import SQLiteAccess
internal import StratusCoreData

/// Names of tables and columns in Core Data's layout (Documentation/CoreDataStore.md, 'Tables and columns').
enum SQLName {
    /// A name as it can appear in a statement.
    ///
    /// Only names with other than ASCII letters, digits and underscores are quoted, as in stores of Apple's.
    static func quoted(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard !isPlain else { return name }
        return SQLQuotes.identifier(name)
    }

    /// The table of a root entity.
    static func table(_ root: NSEntityDescription) -> String { "Z" + (root.name ?? "").uppercased() }

    /// The column of a property without regard to clashes.
    static func column(_ property: String) -> String { "Z" + property.uppercased() }
}
