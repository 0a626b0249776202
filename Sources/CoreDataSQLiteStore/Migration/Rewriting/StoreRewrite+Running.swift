internal import CStratusSQLite
internal import SQLiteAccess
internal import StratusCoreData

extension StoreRewrite {
    /// Runs everything on a connection, in a transaction of the caller's.
    ///
    /// - Parameter step: called before each statement with its text; may throw to stop.
    func run(
        _ connection: SQLiteConnection, files: ExternalFiles?, history: Bool = true,
        step: (String) throws -> Void
    ) throws {
        let before = try connection.counts(layouts.old.entities.map { ($0.table.sqlName, $0.number) })
        try dropTriggers(connection)
        for sql in shaping + moving + dropping {
            try step(sql)
            try connection.execute(sql)
        }
        connection.forgetStatements()
        try internalise(connection, files)
        try fitIndexes(connection, step)
        try computeDerived(connection, step)
        try rewriteNumbers(connection)
        try HistoryRewrite(layouts, connection).run()
        try check(connection, before)
    }

    /// The triggers of derived attributes and spatial indexes: the store computes the first itself, and the others
    /// are made again.
    private func dropTriggers(_ connection: SQLiteConnection) throws {
        let tables = Set(layouts.old.tables.map { $0.name.uppercased() })
        for row in try connection.rows("SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger'") {
            guard case .text(let name) = row[0], case .text(let table) = row[1],
                tables.contains(table.uppercased())
            else { continue }
            try connection.execute("DROP TRIGGER \(SQLName.quoted(name))")
        }
        let trees = try connection.rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z\\_RT\\_%' ESCAPE '\\' "
                + "AND sql LIKE 'CREATE VIRTUAL%'")
        for case .text(let name)? in trees.map(\.first) {
            try connection.execute("DROP TABLE \(SQLName.quoted(name))")
        }
    }

    // MARK: Indexes

    private func fitIndexes(_ connection: SQLiteConnection, _ step: (String) throws -> Void) throws {
        let (plain, spatial) = indexes
        let tables = Set(
            (layouts.new.tables.map(\.name) + layouts.new.joins.map(\.name)).map { $0.uppercased() })
        var wanted = Dictionary(plain.map { ($0.name.uppercased(), $0.sql) }) { first, _ in first }
        let rows = try connection.rows(
            "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index' AND sql NOT NULL")
        for row in rows {
            guard case .text(let name) = row[0], case .text(let table) = row[1], case .text(let sql) = row[2],
                tables.contains(table.uppercased())
            else { continue }
            if let same = wanted[name.uppercased()], Self.normalized(same) == Self.normalized(sql) {
                wanted[name.uppercased()] = nil
            } else {
                try connection.execute("DROP INDEX \(SQLName.quoted(name))")
            }
        }
        for index in plain where wanted[index.name.uppercased()] != nil {
            try step(index.sql)
            do {
                try connection.execute(index.sql)
            } catch let error as CocoaError {
                throw duplicates(error, index.name)
            }
        }
        for sql in spatial { try connection.execute(sql) }
        try fillSpatial(connection)
    }

    /// A constraint that is new and that the objects break has an error of its own.
    private func duplicates(_ error: CocoaError, _ index: String) -> any Error {
        let code = (error.userInfo[NSSQLiteErrorDomain] as? NSNumber)?.int32Value ?? 0
        guard code & 0xFF == SQLITE_CONSTRAINT else { return error }
        for member in layouts.new.entities {
            let name = member.entity.name ?? ""
            for constraint in member.entity.uniquenessConstraints.map(NSEntityDescription.names)
            where index == "Z_\(name)_UNIQUE_\(constraint.joined(separator: "_"))" {
                return CoreDataError(
                    134_111,
                    "'\(name)' has a new uniqueness constraint on \(constraint.joined(separator: ", ")), and there are "
                        + "objects with equal values.",
                    remedy: "Remove the duplicates before the migration, for example in a custom stage.",
                    userInfo: ["entity": name, "constraint": constraint], cause: error
                ).cocoa
            }
        }
        return error
    }

    private func fillSpatial(_ connection: SQLiteConnection) throws {
        for member in layouts.new.entities {
            for index in member.entity.indexes
            where index.elements.contains(where: { $0.collationType == .rTree }) {
                guard let fill = SpatialIndex(index, member)?.fillStatement else { continue }
                try connection.execute(fill)
            }
        }
    }

    // MARK: Values

    /// Takes values out of files where the attribute may not have any more, and the marks off the others.
    private func internalise(_ connection: SQLiteConnection, _ files: ExternalFiles?) throws {
        for (table, column, numbers) in builder.internalised {
            let list = numbers.map(String.init).joined(separator: ", ")
            // Noted before the marks go: what is below a mark may look like one.
            let named = try connection.rows(
                "SELECT Z_PK, \(column) FROM \(table) WHERE Z_ENT IN (\(list)) AND typeof(\(column)) = 'blob' "
                    + "AND length(\(column)) = 38 AND substr(\(column), 1, 1) = x'02'")
            try connection.execute(
                "UPDATE \(table) SET \(column) = substr(\(column), 2) WHERE Z_ENT IN (\(list)) "
                    + "AND typeof(\(column)) = 'blob' AND substr(\(column), 1, 1) = x'01'")
            for row in named {
                guard case .blob(let bytes) = row[1],
                    let name = bytes.withUnsafeBytes(ExternalFiles.fileName)
                else { continue }
                try connection.run(
                    "UPDATE \(table) SET \(column) = ? WHERE Z_PK = ?",
                    [try files?.content(name).map { .blob($0) } ?? .null, row[0]])
            }
        }
    }

    /// Computes derived attributes where they are new, or where what they are made of may have changed.
    private func computeDerived(_ connection: SQLiteConnection, _ step: (String) throws -> Void) throws {
        let derived = DerivedAttributes(layouts.new)
        guard !derived.isEmpty, needsDerived else { return }
        try step("-- derived attributes")
        try derived.updateAll(connection)
    }

    private var needsDerived: Bool {
        guard layouts.removed.isEmpty, builder.cleanups.isEmpty, builder.fills.isEmpty else { return true }
        return layouts.new.entities.contains { member in
            guard let before = layouts.match.match(of: member.entity) else { return false }
            return member.entity.properties.contains { property in
                guard let new = property as? NSDerivedAttributeDescription, before.source != nil else {
                    return false
                }
                guard let old = before.properties[new.name] as? NSAttributeDescription else { return true }
                return !RewriteBuilder.isSame(new, old) || isMade(of: new, before)
            }
        }
    }

    /// Whether a derived attribute is made of something that is not what it was.
    private func isMade(of new: NSDerivedAttributeDescription, _ match: EntityMatch) -> Bool {
        guard let tree = new.derivationExpression?.tree else { return false }
        let keys = tree.allKeys
        return layouts.match.entities.contains { entity in
            guard entity.source != nil else { return false }
            return entity.destination.properties.contains {
                keys.contains($0.name) && entity.properties[$0.name]?.name != $0.name
            }
        }
    }

    // MARK: Numbers

    private func rewriteNumbers(_ connection: SQLiteConnection) throws {
        // By number: in stores that were migrated before, names may be older ones.
        var greatest: [Int: Int64] = [:]
        for row in try connection.rows("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY") {
            if case .int(let number) = row[0], case .int(let value) = row[1] { greatest[Int(number)] = value }
        }
        try connection.execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < \(StoreOpening.firstPrivateNumber)")
        try layouts.new.writeNumbers(connection)
        for table in layouts.new.tables {
            guard let old = builder.tables[ObjectIdentifier(table)]?.old,
                let member = layouts.new.table(of: table.root)
            else { continue }
            // Subentities have no highest key of their own, but stores of other tools may have one there.
            let known =
                layouts.old.entities.filter { $0.table === old }.compactMap { greatest[$0.number] }.max() ?? 0
            try connection.execute(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = max(\(known), IFNULL((SELECT max(Z_PK) FROM \(table.sqlName)), 0)) "
                    + "WHERE Z_ENT = \(member.number)")
        }
    }

    // MARK: Checking

    /// Every object that was to be kept is there, under its new number.
    private func check(_ connection: SQLiteConnection, _ before: [Int: Int64]) throws {
        let after = try connection.counts(layouts.new.entities.map { ($0.table.sqlName, $0.number) })
        for member in layouts.new.entities {
            let expected = layouts.oldTable(of: member).flatMap { before[$0.number] } ?? 0
            let found = after[member.number] ?? 0
            guard expected == found else {
                throw CoreDataError(
                    134110,
                    "After the migration there are \(found) objects of '\(member.entity.name ?? "")', and there should be \(expected). "
                        + "The store was left as it was."
                ).cocoa
            }
        }
    }
}

extension ExpressionTree {
    /// All names that the expression mentions.
    fileprivate var allKeys: Set<String> {
        switch self {
        case .keyPath(let path): Set(path)
        case .member(let base, let path): base.allKeys.union(path)
        case .function(_, let arguments): arguments.reduce(into: []) { $0.formUnion($1.allKeys) }
        default: []
        }
    }
}

extension SpatialIndex {
    /// Fills the index from the rows that there are.
    var fillStatement: String {
        let bounds = columns.flatMap { [bound($0, "_MIN"), bound($0, "_MAX")] }
        let hasAll = columns.map { "\($0) NOT NULL" }.joined(separator: " AND ")
        return "INSERT OR REPLACE INTO \(SQLName.quoted(name)) (Z_PK, \(bounds.joined(separator: ", "))) "
            + "SELECT Z_PK, \(columns.flatMap { [$0, $0] }.joined(separator: ", ")) FROM \(table.sqlName) WHERE \(hasAll)"
    }
}
