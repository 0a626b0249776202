import Foundation
import RecordStorage
import SQLiteAccess

/// Copies the rows of a damaged database into a new one, around the pages that cannot be read.
struct RowSalvage {
    /// The damaged database.
    let image: String
    /// The file of the new one.
    let target: String
    let progress: StoreRecovery.Progress

    /// - Returns: the tables with their rows, and sentences about what did not fit.
    /// - Throws: `StorageError` where not even the list of tables can be read.
    func run() throws -> (tables: [RecoveryReport.Table], notes: [String]) {
        try Migrations.run(path: target).close()
        let source = try Connection(lookingAt: image, isServed: false)
        defer { source.close() }
        let sink = try Connection(path: target, role: .writer, cacheKiB: 16_384)
        defer { sink.close() }
        let names = try makeTables(source, sink)
        var tables: [RecoveryReport.Table] = []
        for (number, name) in names.enumerated() {
            progress("Copying rows", number, names.count)
            tables.append(try sink.transaction { try copy(name, source, sink) })
        }
        let notes = try sink.transaction { try pair(names, sink) }
        makeIndexes(source, sink)
        return (tables, notes)
    }

    /// Makes the tables that are not part of every store.
    private func makeTables(_ source: Connection, _ sink: Connection) throws -> [String] {
        let there = try Set(sink.texts("SELECT name FROM sqlite_master WHERE type = 'table'"))
        let rows = try source.rows(
            "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        )
        return try rows.compactMap { row in
            guard case .text(let name) = row[0], case .text(let sql) = row[1] else { return nil }
            if !there.contains(name) { try sink.execute(sql) }
            return name
        }
    }

    /// Indexes follow from the tables: one that cannot be made is reported by the doctor, which makes it again.
    private func makeIndexes(_ source: Connection, _ sink: Connection) {
        // As said: the doctor makes what is missing.
        let rows = try? source.rows("SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
        for row in rows ?? [] {
            // As said: the doctor makes what is missing.
            if case .text(let sql) = row[0] { try? sink.execute(sql) }
        }
    }

    // MARK: Rows

    private func copy(_ table: String, _ source: Connection, _ sink: Connection) throws
        -> RecoveryReport.Table
    {
        var result = RecoveryReport.Table(name: table)
        let quoted = SQLQuotes.identifier(table)
        let known = try Set(sink.texts("SELECT name FROM pragma_table_info(\(SQLQuotes.literal(table)))"))
        let info = try source.rows(
            "SELECT name, pk FROM pragma_table_info(\(SQLQuotes.literal(table))) ORDER BY cid")
        let columns = info.compactMap { row -> (name: String, key: Int64)? in
            guard case .text(let name) = row[0], case .int(let key) = row[1], known.contains(name) else {
                return nil
            }
            return (name, key)
        }
        guard !columns.isEmpty else { return result }
        let list = columns.map { SQLQuotes.identifier($0.name) }.joined(separator: ", ")
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        let insert = "INSERT OR REPLACE INTO \(quoted) (\(list)) VALUES (\(places))"
        func take(_ row: [SQLiteValue]) throws {
            do {
                try sink.run(insert, row)
                result.rows += 1
            } catch let error as StorageError where !error.isFull {
                // A value that damage has made breaks a rule of the table.
                result.gaps += 1
            }
        }
        if let key = columns.firstIndex(where: { $0.name == "id" && $0.key == 1 }) {
            result.gaps += try walk("SELECT \(list) FROM \(quoted)", key, source, take)
        } else {
            let keys = columns.filter { $0.key > 0 }.sorted { $0.key < $1.key }
            let order = keys.map { SQLQuotes.identifier($0.name) + " DESC" }.joined(separator: ", ")
            // From both ends, each to the first page that cannot be read.
            if try !read("SELECT \(list) FROM \(quoted)", [], source, take) {
                result.gaps += 1
                if !order.isEmpty {
                    _ = try read("SELECT \(list) FROM \(quoted) ORDER BY \(order)", [], source, take)
                }
            }
        }
        return result
    }

    /// Reads rows to the end or to the first that cannot be read.
    ///
    /// - Returns: whether the end was reached.
    private func read(
        _ sql: String, _ values: [SQLiteValue], _ source: Connection, _ take: ([SQLiteValue]) throws -> Void
    ) throws -> Bool {
        // A table that cannot be read has not been read to its end, which is the answer.
        guard let statement = try? source.makeStatement(sql) else { return false }
        statement.bind(values)
        while true {
            let row: [SQLiteValue]
            do {
                guard try statement.step() else { return true }
                row = (0..<statement.columnCount).map { statement.value($0) }
            } catch { return false }
            try take(row)
        }
    }

    /// Reads a table by its numbers, and goes on after each place that cannot be read.
    ///
    /// - Returns: how many such places there are.
    private func walk(
        _ select: String, _ key: Int, _ source: Connection, _ take: ([SQLiteValue]) throws -> Void
    ) throws -> Int {
        var gaps = 0
        var last = Int64.min
        while true {
            let isOver = try read("\(select) WHERE id > ? ORDER BY id", [.int(last)], source) { row in
                if case .int(let number) = row[key] { last = number }
                try take(row)
            }
            if isOver { return gaps }
            gaps += 1
            guard let next = firstReadable(after: last, select, source) else { return gaps }
            last = next
        }
    }

    /// The number after which rows can be read again: doubling the step finds one, halving it the first.
    private func firstReadable(after last: Int64, _ select: String, _ source: Connection) -> Int64? {
        func canRead(after number: Int64) -> Bool {
            // What cannot be read is what is asked here.
            guard let statement = try? source.makeStatement("\(select) WHERE id > ? ORDER BY id LIMIT 1")
            else {
                return false
            }
            statement.bind(number, at: 1)
            do {
                _ = try statement.step()
                return true
            } catch { return false }
        }
        let start = max(last, 0)
        var step: Int64 = 1
        while !canRead(after: start.addingReportingOverflow(step).overflow ? .max : start + step) {
            guard step < .max / 4, start <= .max - step * 2 else { return nil }
            step *= 2
        }
        var (low, high) = (start + step / 2, start + step)
        while low + 1 < high {
            let middle = low + (high - low) / 2
            if canRead(after: middle) { high = middle } else { low = middle }
        }
        return high
    }

    // MARK: Halves of records

    /// Removes what has lost its other half, and keeps bodies without columns in a file.
    private func pair(_ names: [String], _ sink: Connection) throws -> [String] {
        var bodies = 0
        var columns: Int64 = 0
        var lines = Data()
        for name in names where name.hasPrefix("r") && Int64(name.dropFirst()) != nil {
            let other = "b" + name.dropFirst()
            guard names.contains(other) else { continue }
            for row in try sink.rows("SELECT body FROM \(other) WHERE id NOT IN (SELECT id FROM \(name))") {
                guard case .blob(let body) = row[0] else { continue }
                lines += body + Data("}\n".utf8)
                bodies += 1
            }
            try sink.execute("DELETE FROM \(other) WHERE id NOT IN (SELECT id FROM \(name))")
            try sink.execute("DELETE FROM \(name) WHERE id NOT IN (SELECT id FROM \(other))")
            columns += Int64(sink.changeCount)
        }
        var notes: [String] = []
        if columns > 0 { notes.append("\(columns) records have lost their values, and were left out.") }
        if bodies > 0 {
            let file = URL(fileURLWithPath: target).deletingLastPathComponent()
                .appendingPathComponent("records.jsonl")
            try lines.write(to: file)
            notes.append(
                "\(bodies) records have lost their columns; they are in records.jsonl, one on each line.")
        }
        return notes
    }
}
