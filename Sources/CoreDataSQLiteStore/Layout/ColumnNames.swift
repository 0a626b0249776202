internal import StratusCoreData

/// Gives the columns of one table their names.
struct ColumnNames {
    private var taken: Set<String> = []
    /// The columns that the file has; nil for a new store.
    private let stored: [StoredSchema.Column]?
    private let table: String

    init(stored: [StoredSchema.Column]?, table: String) {
        self.stored = stored
        self.table = table
    }

    /// The name of a column: the second of the same name gets a 1 after it, and so on.
    ///
    /// - Throws: ``LayoutMismatch`` where the file has no such column.
    mutating func take(_ base: String, _ type: String, _ property: NSPropertyDescription) throws -> String {
        var candidates: [String] = []
        if let stored {
            // Of columns that differ in the number only, one of the right type is meant.
            let free = stored.filter { !taken.contains($0.name) }
            let named = free.filter { $0.name == base || Self.isSuffixed($0.name, of: base) }
            candidates = named.sorted { left, right in
                let (leftFits, rightFits) = (left.type == type, right.type == type)
                if leftFits != rightFits { return leftFits }
                return (left.name.count, left.name) < (right.name.count, right.name)
            }.map(\.name)
            guard let name = candidates.first else {
                throw LayoutMismatch.column(base, table: table, property: property)
            }
            taken.insert(name)
            return name
        }
        var name = base
        var suffix = 0
        while !taken.insert(name).inserted {
            suffix += 1
            name = base + String(suffix)
        }
        return name
    }

    /// The column with the entity number of a destination: in an existing store the number in its name may be
    /// another one, or the column may be missing where the destination got its first subentity later.
    mutating func takeEntityColumn(_ expected: String, _ relationship: String) -> String? {
        guard let stored else {
            taken.insert(expected)
            return expected
        }
        let names = stored.map(\.name).filter { !taken.contains($0) }
        let ending = "_" + relationship.uppercased()
        let found = names.contains(expected) ? expected : names.first { $0.isNumbered(ending: ending) }
        if let found { taken.insert(found) }
        return found
    }

    /// Whether a name is another one with digits after it.
    static func isSuffixed(_ name: String, of base: String) -> Bool {
        guard name.count > base.count, name.hasPrefix(base) else { return false }
        return name.dropFirst(base.count).allSatisfy { $0.isASCII && $0.isNumber }
    }
}

extension String {
    /// Whether it is `Z`, digits, and the ending.
    fileprivate func isNumbered(ending: String) -> Bool {
        guard hasPrefix("Z"), hasSuffix(ending) else { return false }
        let digits = dropFirst().dropLast(ending.count)
        return !digits.isEmpty && digits.allSatisfy { $0.isASCII && $0.isNumber }
    }
}

/// The groups of a table's columns.
enum ColumnGroup {
    case integers, reals, texts, uuids, transformables, binaries
}

extension NSAttributeDescription {
    var columnGroup: ColumnGroup {
        switch attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType:
            .integers
        case .dateAttributeType, .doubleAttributeType, .floatAttributeType, .decimalAttributeType: .reals
        case .stringAttributeType, .URIAttributeType: .texts
        case .UUIDAttributeType: .uuids
        case .binaryDataAttributeType: .binaries
        case .transformableAttributeType, .undefinedAttributeType, .objectIDAttributeType,
            .compositeAttributeType:
            .transformables
        }
    }

    var columnType: String {
        switch attributeType {
        case .dateAttributeType: "TIMESTAMP"
        case .doubleAttributeType, .floatAttributeType: "FLOAT"
        case .decimalAttributeType: "DECIMAL"
        default:
            switch columnGroup {
            case .integers: "INTEGER"
            case .texts: "VARCHAR"
            default: "BLOB"
            }
        }
    }
}

extension FlatAttribute {
    /// `ZADDRESS_CITY` for an element. How Apple names these columns is unknown
    /// (Documentation/CoreDataStore.md, 'Tables and columns').
    var columnName: String { SQLName.column(([owner.name] + path).joined(separator: "_")) }
}
