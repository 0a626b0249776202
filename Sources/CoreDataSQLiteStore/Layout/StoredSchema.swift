internal import StratusCoreData

/// The tables and columns that a file has, and the numbers that it gives its entities.
struct StoredSchema {
    struct Column {
        var name: String
        var type: String
    }

    /// By table, in upper case, since SQLite ignores case.
    var tables: [String: [Column]] = [:]
    /// The number of each entity by name, from `Z_PRIMARYKEY`.
    var numbers: [String: Int] = [:]

    /// The number of an entity.
    ///
    /// Apple's migration leaves the old name of a renamed entity in `Z_PRIMARYKEY`; then the number is that of a
    /// row whose name no entity of the model has.
    func number(of name: String, expected: Int, known: Set<String>) -> Int? {
        if let number = numbers[name] { return number }
        return numbers.contains { $0.value == expected && !known.contains($0.key) } ? expected : nil
    }

    func columns(of table: String) -> [Column]? { tables[table.uppercased()] }
}

/// What a file lacks that the model needs.
enum LayoutMismatch: Error {
    case entity(String)
    case table(String, entity: String)
    case column(String, table: String, property: NSPropertyDescription)
    case join(String, entity: String)

    /// In a sentence.
    var sentence: String {
        switch self {
        case .entity(let name): "The store knows no entity '\(name)'."
        case .table(let name, let entity): "The store has no table \(name) for the entity '\(entity)'."
        case .column(let name, let table, let property):
            "The table \(table) has no column \(name) for '\(property.entity?.name ?? "?").\(property.name)'."
        case .join(let name, let entity):
            "The store has no table for the many-to-many relationship '\(entity).\(name)'."
        }
    }
}
