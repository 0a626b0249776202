internal import StratusCoreData

/// All statements that turn a store of one layout into one of another, in order.
///
/// Tables whose columns only get new names or companions stay where they are; others are made again and filled from
/// the older ones, which go at the end. Indexes are compared by what they index and made last.
struct StoreRewrite {
    let layouts: LayoutMatch
    /// Renames what is in the way, changes and makes tables.
    private(set) var shaping: [String] = []
    /// Moves the rows.
    private(set) var moving: [String] = []
    /// Drops what is left.
    private(set) var dropping: [String] = []
    /// How many rows' tables are copied or changed, for the estimate; by older table.
    private(set) var rewritten: Set<String> = []
    let builder: RewriteBuilder

    /// - Throws: `CocoaError` where a default cannot be stored.
    init(_ match: ModelCorrespondence, old: StoreLayout, new: StoreLayout, schema: StoredSchema) throws {
        layouts = LayoutMatch(match: match, old: old, new: new)
        builder = try RewriteBuilder(layouts, schema: schema)
        var names = Names(schema)
        planJoins(&names)
        let strategies = planTables(&names)
        fill(strategies, names)
    }

    /// What older tables are called while the new ones are made.
    private struct Names {
        /// By the name in upper case.
        var renamed: [String: String] = [:]
        var rebuilt: [String] = []
        private var count = 0
        private let schema: StoredSchema

        init(_ schema: StoredSchema) { self.schema = schema }

        mutating func moveAway(_ table: String) -> String {
            if let known = renamed[table.uppercased()] { return known }
            repeat { count += 1 } while schema.columns(of: "STRATUS_OLD_\(count)") != nil
            let name = "STRATUS_OLD_\(count)"
            renamed[table.uppercased()] = name
            return name
        }

        func current(_ table: String) -> String { renamed[table.uppercased()] ?? SQLName.quoted(table) }
    }

    // MARK: Join tables

    private mutating func planJoins(_ names: inout Names) {
        var kept: Set<String> = []
        var later: [String] = []
        for join in builder.joins {
            guard let (old, columns) = join.renamed, !builder.read.contains(old.name),
                kept.insert(old.name).inserted
            else { continue }
            guard old.name != join.table.name || columns.contains(where: { $0.old != $0.new }) else {
                continue
            }
            var name = old.sqlName
            if old.name != join.table.name {
                name = names.moveAway(old.name)
                shaping.append("ALTER TABLE \(old.sqlName) RENAME TO \(name)")
                later.append("ALTER TABLE \(name) RENAME TO \(join.table.sqlName)")
            }
            for (old, new) in columns where old != new {
                later.append("ALTER TABLE \(name) RENAME COLUMN \(old) TO \(new)")
            }
        }
        // Columns are renamed while the table has the name in between.
        let renames = later.filter { $0.contains(" RENAME COLUMN ") }
        renamingJoins = renames + later.filter { !$0.contains(" RENAME COLUMN ") }
        keptJoins = kept
        for join in layouts.old.joins where !kept.contains(join.name) {
            let name = names.moveAway(join.name)
            shaping.append("ALTER TABLE \(join.sqlName) RENAME TO \(name)")
            dropping.append("DROP TABLE \(name)")
        }
    }

    private var renamingJoins: [String] = []
    private var keptJoins: Set<String> = []

    // MARK: Tables

    private mutating func planTables(_ names: inout Names) -> [(TableRewrite, TableRewrite.Strategy)] {
        var users: [String: Int] = [:]
        for table in layouts.new.tables {
            guard let old = builder.tables[ObjectIdentifier(table)]?.old else { continue }
            users[old.name, default: 0] += 1
        }
        var result: [(TableRewrite, TableRewrite.Strategy)] = []
        var altered: Set<String> = []
        var finalNames: [String] = []
        for table in layouts.new.tables {
            guard var rewrite = builder.tables[ObjectIdentifier(table)] else { continue }
            rewrite.isRead = rewrite.old.map { builder.read.contains($0.name) } ?? false
            let stored = rewrite.old.flatMap { builder.schema.columns(of: $0.name) } ?? []
            let strategy = rewrite.strategy(
                isShared: rewrite.old.map { users[$0.name] != 1 } ?? false, stored: stored)
            result.append((rewrite, strategy))
            guard case .alter(let carriers) = strategy, let old = rewrite.old else { continue }
            altered.insert(old.name)
            var name = old.sqlName
            if old.name != table.name {
                name = names.moveAway(old.name)
                shaping.append("ALTER TABLE \(old.sqlName) RENAME TO \(name)")
                finalNames.append("ALTER TABLE \(name) RENAME TO \(table.sqlName)")
            }
            finalNames = rewrite.columnStatements(carriers, table: name) + finalNames
        }
        for old in layouts.old.tables where !altered.contains(old.name) {
            let name = names.moveAway(old.name)
            shaping.append("ALTER TABLE \(old.sqlName) RENAME TO \(name)")
            dropping.append("DROP TABLE \(name)")
        }
        shaping += finalNames + renamingJoins
        for (rewrite, strategy) in result {
            if case .alter = strategy { continue }
            shaping.append(rewrite.table.createStatement)
        }
        for join in builder.joins where !isKept(join) { shaping.append(join.table.createStatements[0]) }
        return result
    }

    private func isKept(_ join: JoinRewrite) -> Bool {
        join.renamed.map { keptJoins.contains($0.table.name) && !builder.read.contains($0.table.name) }
            ?? false
    }

    // MARK: Rows

    private mutating func fill(_ strategies: [(TableRewrite, TableRewrite.Strategy)], _ names: Names) {
        for (rewrite, strategy) in strategies {
            guard let old = rewrite.old else { continue }
            switch strategy {
            case .create: break
            case .rebuild:
                rewritten.insert(old.name)
                moving.append(rewrite.copyStatement(from: names.current(old.name)))
            case .alter(let carriers):
                let statements = rewrite.rowStatements(
                    carriers, removed: removedNumbers(old), occupied: occupied(old))
                if !statements.isEmpty { rewritten.insert(old.name) }
                moving += statements
            }
        }
        for join in builder.joins where !isKept(join) {
            if let copy = join.copyStatement(renamed: names.current) { moving.append(copy) }
        }
        moving += builder.fills.map { resolve($0, names) }
        moving += builder.cleanups
    }

    private func removedNumbers(_ table: TableLayout) -> [Int] {
        layouts.removed.filter { $0.table === table }.map(\.number)
    }

    /// For each column the entities that have it.
    private func occupied(_ table: TableLayout) -> [String: Set<Int>] {
        var result: [String: Set<Int>] = [:]
        for member in layouts.old.entities {
            for (property, storage) in zip(member.layout.properties, member.slots) {
                if member.table === table {
                    for column in storage.rowColumns { result[column, default: []].insert(member.number) }
                    if case .toOne(let columns) = storage, let order = columns.order {
                        result[order, default: []].insert(member.number)
                    }
                }
                guard case .toManyKey(let key) = storage, !key.hasInverse, key.table === table,
                    let target = (property as? NSRelationshipDescription)?.destinationEntity.flatMap(
                        layouts.old.table(of:))
                else { continue }
                for column in [key.key, key.order].compactMap({ $0 }) {
                    result[column, default: []].formUnion(target.family)
                }
            }
        }
        return result
    }

    /// Puts the names that older tables now have into a statement.
    private func resolve(_ statement: String, _ names: Names) -> String {
        var result = statement
        for table in layouts.old.tables.map(\.name) + layouts.old.joins.map(\.name) {
            result = result.replacing("{\(table)}", with: names.current(table))
        }
        return result
    }

    // MARK: Indexes

    /// The indexes that the newer layout has, by name, and the statements of its spatial indexes.
    var indexes: (plain: [(name: String, sql: String)], spatial: [String]) {
        let statements = layouts.new.createStatements.filter { !$0.hasPrefix("CREATE TABLE") }
        let plain = statements.compactMap { sql in Self.indexName(sql).map { (name: $0, sql: sql) } }
        return (plain, statements.filter { Self.indexName($0) == nil })
    }

    /// The name in `CREATE [UNIQUE] INDEX name ON …`.
    static func indexName(_ sql: String) -> String? {
        guard sql.hasPrefix("CREATE INDEX ") || sql.hasPrefix("CREATE UNIQUE INDEX "),
            let start = sql.range(of: "INDEX "),
            let end = sql.range(of: " ON ", range: start.upperBound..<sql.endIndex)
        else { return nil }
        return sql[start.upperBound..<end.lowerBound].replacing("\"\"", with: "\"").trimmingCharacters(
            in: CharacterSet(charactersIn: "\""))
    }

    /// A statement of an index without what does not matter.
    static func normalized(_ sql: String) -> String {
        sql.replacing("\"", with: "").filter { !$0.isWhitespace }.uppercased().replacing(
            "IFNOTEXISTS", with: "")
    }
}
