internal import SQLiteStatements

extension SQLiteConnection {
    /// All rows of a statement; for small answers.
    func rows(_ sql: String, _ values: [SQLBinding] = []) throws -> [[SQLBinding]] {
        let statement = try makeStatement(sql)
        statement.bind(values)
        var result: [[SQLBinding]] = []
        while try statement.step() {
            result.append((0..<statement.columnCount).map { statement.binding($0) })
        }
        return result
    }

    /// Runs a statement with values.
    func run(_ sql: String, _ values: [SQLBinding]) throws {
        let statement = try self.statement(sql)
        statement.bind(values)
        try statement.run()
    }

    /// The first number of an answer; 0 where there is none.
    func number(_ sql: String) throws -> Int64 {
        switch try rows(sql).first?.first {
        case .int(let value)?: value
        case .double(let value)?: Int64(exactly: value.rounded()) ?? 0
        default: 0
        }
    }

    /// How many rows of each entity there are, by its number.
    func counts(_ entities: [(table: String, number: Int)]) throws -> [Int: Int64] {
        var result: [Int: Int64] = [:]
        for (table, members) in Dictionary(grouping: entities, by: \.table) {
            let wanted = Set(members.map { Int64($0.number) })
            for row in try rows("SELECT Z_ENT, count(*) FROM \(table) GROUP BY Z_ENT") {
                guard case .int(let number) = row[0], case .int(let count) = row[1], wanted.contains(number)
                else { continue }
                result[Int(number)] = count
            }
        }
        return result
    }
}
