/// The statements that a connection has prepared, by text; of very many the one used longest ago goes, since each
/// holds memory of the server's backend.
struct PreparedNames {
    private struct Entry {
        var name: String
        /// When it was used last, in uses of all.
        var use: Int
    }

    private var entries: [PostgresStatement: Entry] = [:]
    private var count = 0
    private var uses = 0

    /// How many statements a connection keeps.
    static let limit = 500

    /// The name of a statement that is prepared, which becomes the one used last.
    mutating func use(_ statement: PostgresStatement) -> String? {
        uses += 1
        // Found once: each search hashes the text.
        guard let index = entries.index(forKey: statement) else { return nil }
        entries.values[index].use = uses
        return entries.values[index].name
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
        uses += 1
        entries[statement] = Entry(name: name, use: uses)
        guard entries.count > Self.limit, let oldest = entries.min(by: { $0.value.use < $1.value.use }) else {
            return nil
        }
        entries[oldest.key] = nil
        return oldest.value.name
    }
}
