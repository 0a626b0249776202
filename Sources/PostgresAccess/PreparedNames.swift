internal import OrderedCollections

/// The statements that a connection has prepared, by text; of very many the one used longest ago goes, since each
/// holds memory of the server's backend.
struct PreparedNames {
    private var names: OrderedDictionary<PostgresStatement, String> = [:]
    private var count = 0

    /// How many statements a connection keeps.
    static let limit = 500

    /// The name of a statement that is prepared, which becomes the one used last.
    mutating func use(_ statement: PostgresStatement) -> String? {
        guard let name = names.removeValue(forKey: statement) else { return nil }
        names[statement] = name
        return name
    }

    /// A name that was never used.
    mutating func makeName() -> String {
        count += 1
        return "s\(count)"
    }

    /// Notes that the server has prepared a statement.
    ///
    /// - Returns: The name of one that has to go for it.
    mutating func note(_ statement: PostgresStatement, _ name: String) -> String? {
        names[statement] = name
        guard names.count > Self.limit else { return nil }
        return names.removeFirst().value
    }
}
