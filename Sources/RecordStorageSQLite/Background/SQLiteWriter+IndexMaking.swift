import RecordModel
import RecordStorage
import SQLiteAccess

/// Making and removing indexes in slices.
///
/// SQLite makes an index in one go, in which nobody else writes. So ours are partial: an index has a slot, a column
/// `i<slot>` of its type's table, and holds the rows that have 1 there. It begins with none; new rows come with their
/// mark; slices mark the others, each mark entering its row. Once all rows are marked, queries that ask for the mark
/// as well walk it as they would walk any index, without a look at the table. Taking the marks away empties it again.
extension SQLiteWriter {
    /// Orders an index; another one may go for it.
    func orderIndex(_ shape: IndexShape, type: Int64, replacing old: AutomaticIndex? = nil) throws {
        // Who asked may have seen an older schema.
        guard catalog.recordType(type) != nil, catalog.hasColumns(of: shape, type: type) else { return }
        let known = catalog.indexes[type] ?? []
        guard !known.contains(where: { $0.shape == shape && $0.state != .removing }) else { return }
        if let old { try removeIndex(old) }
        let taken = Set(known.compactMap(\.slot))
        guard let slot = (0...Int64(taken.count)).first(where: { !taken.contains($0) }) else { return }
        var index = AutomaticIndex(
            name: "", type: type, shape: shape, slot: slot, state: .ordered)
        index.name = "auto_\(type)_\(slot)_\(try nextSequence())"
        try run(
            "INSERT INTO automatic_index (name, type, shape, slot, state) VALUES (?, ?, ?, ?, ?)",
            .text(index.name), .int(type), .text(shape.text), .int(slot), .int(index.state.rawValue))
        catalog.indexes[type, default: []].append(index)
        try begin(BackgroundJob(kind: .index, type: type, number: slot, name: index.name))
    }

    /// Takes an index from readers, and lets the room that it has be given back.
    func removeIndex(_ index: AutomaticIndex) throws {
        guard index.state != .removing else { return }
        try run("DELETE FROM job WHERE kind = 'index' AND name = ?", .text(index.name))
        try set(.removing, of: index)
        try begin(BackgroundJob(kind: .unindex, type: index.type, number: index.slot ?? -1, name: index.name))
    }

    /// - Returns: whether the index holds all rows, and serves from now on.
    func fillIndex(_ job: inout BackgroundJob, within budget: inout WorkBudget) throws -> Bool {
        guard let index = catalog.index(named: job.name, type: job.type), let slot = index.slot else {
            return true
        }
        if job.phase == 0 {
            // Tables change in a transaction without savepoints only.
            guard !isInSavepoint else { return false }
            try makeEmptyIndex(index, slot)
            try set(.filling, of: index)
            job.phase = 1
            job.place = .min
        }
        let sql = "UPDATE r\(job.type) SET i\(slot) = 1 WHERE id > ? AND id <= ? AND i\(slot) IS NULL"
        while !budget.isSpent {
            guard let (last, count) = try range(ofType: job.type, after: job.place, budget.step) else {
                if let filled = catalog.index(named: job.name, type: job.type) { try set(.ready, of: filled) }
                return true
            }
            try run(sql, .int(job.place), .int(last))
            job.place = last
            job.done += Int64(count)
            budget.spend(count)
        }
        return false
    }

    /// - Returns: whether nothing is left of the index.
    func emptyIndex(_ job: inout BackgroundJob, within budget: inout WorkBudget) throws -> Bool {
        // An index of version 0.1 holds all rows by itself: SQLite gives its pages back in one go.
        if job.number >= 0, try connection.int(Self.isThere(job.name)) > 0 {
            if job.phase == 0 {
                job.phase = 1
                job.place = .min
            }
            let column = "i\(job.number)"
            let sql =
                "UPDATE r\(job.type) SET \(column) = NULL WHERE id > ? AND id <= ? AND \(column) IS NOT NULL"
            while true {
                guard !budget.isSpent else { return false }
                guard let (last, count) = try range(ofType: job.type, after: job.place, budget.step) else {
                    break
                }
                try run(sql, .int(job.place), .int(last))
                job.place = last
                job.done += Int64(count)
                budget.spend(count)
            }
        }
        guard !isInSavepoint else { return false }
        connection.forgetStatements()
        try connection.execute("DROP INDEX IF EXISTS \(job.name)")
        try run("DELETE FROM automatic_index WHERE name = ?", .text(job.name))
        catalog.indexes[job.type]?.removeAll { $0.name == job.name }
        markCatalogChanged()
        return true
    }

    private static func isThere(_ name: String) -> String {
        "SELECT count(*) FROM sqlite_master WHERE type = 'index' AND name = '\(name)'"
    }

    /// The end of the next rows of a type, and their number; nil after the last.
    private func range(
        ofType type: Int64, after place: Int64, _ count: Int
    ) throws -> (last: Int64, count: Int)? {
        let statement = try connection.statement(
            "SELECT max(id), count(*) FROM (SELECT id FROM r\(type) NOT INDEXED WHERE id > ? ORDER BY id LIMIT ?)"
        )
        defer { statement.reset() }
        statement.bind(place, at: 1)
        statement.bind(Int64(count), at: 2)
        guard try statement.step(), let last = statement.optionalInt(0) else { return nil }
        return (last, Int(statement.int(1)))
    }

    private func set(_ state: AutomaticIndex.State, of index: AutomaticIndex) throws {
        try run(
            "UPDATE automatic_index SET state = ? WHERE name = ?", .int(state.rawValue), .text(index.name))
        for position in (catalog.indexes[index.type] ?? []).indices
        where catalog.indexes[index.type]?[position].name == index.name {
            catalog.indexes[index.type]?[position].state = state
        }
        markCatalogChanged()
    }

    /// Makes an index without a row in it, whatever the size of the table.
    ///
    /// `CREATE INDEX` looks at every row of its table, also where none will be in the index. So it is made on an empty
    /// table with these columns and then said to be the other table's, which `PRAGMA writable_schema` is for
    /// (sqlite.org/pragma.html). What comes out is a file that SQLite could have written: no row has the mark.
    private func makeEmptyIndex(_ index: AutomaticIndex, _ slot: Int64) throws {
        connection.forgetStatements()
        let table = "r\(index.type)"
        let columns = try connection.texts("SELECT name FROM pragma_table_info('\(table)')")
        if !columns.contains("i\(slot)") {
            try connection.execute("ALTER TABLE \(table) ADD COLUMN i\(slot) INTEGER")
        }
        #if DEBUG
        let marked = "SELECT EXISTS (SELECT 1 FROM \(table) WHERE i\(slot) = 1)"
        let count = try connection.int(marked)
        assert(count == 0, "A slot is free only when no row has its mark.")
        #endif
        let keys = "(i\(slot), zone, \(index.shape.columns.joined(separator: ", "))) WHERE i\(slot) = 1"
        try connection.execute(
            "CREATE TABLE mold (i\(slot) INTEGER, zone INTEGER, \(index.shape.names.joined(separator: ", ")))"
        )
        try connection.execute("CREATE INDEX \(index.name) ON mold \(keys)")
        try connection.execute("PRAGMA writable_schema = ON")
        do {
            try connection.execute(
                """
                UPDATE sqlite_master SET tbl_name = '\(table)', sql = 'CREATE INDEX \(index.name) ON \(table) \(keys)'
                WHERE type = 'index' AND name = '\(index.name)'
                """)
        } catch {
            try connection.execute("PRAGMA writable_schema = RESET")
            throw error
        }
        // Reads the schema again, and forbids further changes of this kind.
        try connection.execute("PRAGMA writable_schema = RESET")
        try connection.execute("DROP TABLE mold")
    }
}
