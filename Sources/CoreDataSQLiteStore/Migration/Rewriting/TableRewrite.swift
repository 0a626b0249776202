internal import StratusCoreData

/// How one table of the newer layout gets its rows.
struct TableRewrite {
    let table: TableLayout
    /// Nil for a table that starts empty.
    let old: TableLayout?
    /// The entities whose rows stay.
    let numbers: [LayoutMatch.Numbers]
    /// For each newer column, quoted, what it gets for rows of an older entity's number.
    var values: [String: [Int: ColumnValue]] = [:]
    /// Whether the older table has to stay readable until the end, because others take keys from it.
    var isRead = false

    /// How the rows are brought over.
    enum Strategy {
        case create
        /// The table stays and is changed in place; `carriers` is, for each newer column, the older one that it is.
        case alter(carriers: [String: String])
        /// The rows are copied to a new table.
        case rebuild
    }

    init(table: TableLayout, old: TableLayout?, numbers: [LayoutMatch.Numbers]) {
        self.table = table
        self.old = old
        self.numbers = numbers
    }

    /// - Parameter isShared: whether another table takes rows from the same older one.
    /// - Parameter stored: the columns that the file has, which may be more than the model knows.
    func strategy(isShared: Bool, stored: [StoredSchema.Column]) -> Strategy {
        guard old != nil else { return .create }
        guard !isShared, !isRead else { return .rebuild }
        let known = Dictionary(stored.map { (SQLName.quoted($0.name), $0.type) }) { first, _ in first }
        var carriers: [String: String] = [:]
        var carried: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]
        for column in table.columns {
            let name = SQLName.quoted(column.name)
            let sources = Set((values[name] ?? [:]).values.compactMap(\.column))
            guard sources.count <= 1 else { return .rebuild }
            guard let source = sources.first else {
                if known[name] != nil { return .rebuild }
                continue
            }
            // A column that takes another's name while that one is there would need a name in between.
            guard known[source] == column.type, carried.insert(source).inserted,
                source == name || known[name] == nil
            else { return .rebuild }
            carriers[name] = source
        }
        return Set(known.keys).isSubset(of: carried) ? .alter(carriers: carriers) : .rebuild
    }

    // MARK: Statements

    private var oldNumbers: String { numbers.map { String($0.old) }.joined(separator: ", ") }

    private var isRenumbered: Bool { numbers.contains { $0.old != $0.new } }

    private var newNumber: String {
        guard isRenumbered else { return "Z_ENT" }
        return "CASE Z_ENT " + numbers.map { "WHEN \($0.old) THEN \($0.new)" }.joined(separator: " ")
            + " ELSE Z_ENT END"
    }

    /// Copies the rows to the new table.
    func copyStatement(from source: String) -> String {
        let names = ["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map { SQLName.quoted($0.name) }
        let values = ["Z_PK", newNumber, "Z_OPT"] + table.columns.map { copied(SQLName.quoted($0.name)) }
        return "INSERT INTO \(table.sqlName) (\(names.joined(separator: ", "))) SELECT "
            + "\(values.joined(separator: ", ")) FROM \(source) WHERE Z_ENT IN (\(oldNumbers))"
    }

    private func copied(_ column: String) -> String {
        let values = values[column] ?? [:]
        let all = numbers.map { values[$0.old] ?? .null }
        guard Set(all).count > 1 else { return all.first?.sql() ?? "NULL" }
        let cases = zip(numbers, all).filter { $0.1 != .null }.map { "WHEN \($0.old) THEN \($1.sql())" }
        return "CASE Z_ENT \(cases.joined(separator: " ")) END"
    }

    /// Changes the columns of a table that stays.
    func columnStatements(_ carriers: [String: String], table name: String) -> [String] {
        table.columns.compactMap { column in
            let new = SQLName.quoted(column.name)
            guard let carrier = carriers[new] else {
                return "ALTER TABLE \(name) ADD COLUMN \(new) \(column.type)"
            }
            return carrier == new ? nil : "ALTER TABLE \(name) RENAME COLUMN \(carrier) TO \(new)"
        }
    }

    /// Removes and changes rows of a table that stays.
    ///
    /// - Parameter occupied: for each older column the older entities that have values in it.
    func rowStatements(_ carriers: [String: String], removed: [Int], occupied: [String: Set<Int>]) -> [String]
    {
        var result: [String] = []
        if !removed.isEmpty {
            result.append(
                "DELETE FROM \(table.sqlName) WHERE Z_ENT IN (\(removed.map(String.init).joined(separator: ", ")))"
            )
        }
        var changes: [String] = []
        var touched: Set<Int> = []
        for column in table.columns {
            let name = SQLName.quoted(column.name)
            var cases: [String] = []
            for number in numbers.map(\.old) {
                let value = values[name]?[number] ?? .null
                if value.isUnchanged { continue }
                let isEmpty = carriers[name].map { occupied[$0]?.contains(number) != true } ?? true
                if value == .null, isEmpty { continue }
                cases.append("WHEN \(number) THEN \(value.sql(carrier: name))")
                touched.insert(number)
            }
            guard !cases.isEmpty else { continue }
            changes.append("\(name) = CASE Z_ENT \(cases.joined(separator: " ")) ELSE \(name) END")
        }
        if isRenumbered {
            changes.append("Z_ENT = \(newNumber)")
            touched.formUnion(numbers.filter { $0.old != $0.new }.map(\.old))
        }
        guard !changes.isEmpty else { return result }
        let rows = touched.sorted().map(String.init).joined(separator: ", ")
        result.append(
            "UPDATE \(table.sqlName) SET \(changes.joined(separator: ", ")) WHERE Z_ENT IN (\(rows))")
        return result
    }
}
