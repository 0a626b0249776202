internal import SQLiteAccess
internal import StratusCoreData

/// Does a batch update, in SQL alone.
struct BatchUpdate {
    private let request: NSBatchUpdateRequest
    private let support: BatchSupport
    private let table: EntityTable

    init(
        _ request: NSBatchUpdateRequest, _ store: SQLiteObjectStore, _ open: OpenStore,
        _ context: NSManagedObjectContext?
    ) throws {
        self.request = request
        support = BatchSupport(store: store, open: open, context: context)
        table = try support.entity(request.entityName, request.entity)
    }

    func run() throws -> NSPersistentStoreResult {
        var fetch = StoreFetch(entity: table.entity)
        fetch.includesSubentities = request.includesSubentities
        if let predicate = request.predicate {
            do { fetch.predicate = try PredicateTree(predicate).withCurrentIDs } catch {
                throw CoreDataError(
                    134060,
                    "The batch update of \(request.entityName) has a predicate that cannot be a query. \(error.message)",
                    remedy: error.remedy, cause: error
                ).cocoa
            }
        }
        let files = support.newFiles()
        let found = try support.transaction(files) { try update(fetch, files) }
        let result: Any =
            switch request.resultType {
            case .statusOnlyResultType: true
            case .updatedObjectIDsResultType: found.map { support.objectID($0.key, $0.table) }
            case .updatedObjectsCountResultType: found.count
            }
        return NSBatchUpdateResult(result: result, resultType: request.resultType)
    }

    /// A column and what it gets: a value to be bound, or SQL.
    private enum Assignment {
        case value(PropertyValue, WrittenColumn)
        case sql(SQLPiece, String)
    }

    private func update(_ fetch: StoreFetch, _ files: SaveFiles) throws -> [(key: Int64, table: EntityTable)]
    {
        let found = try support.keys(fetch)
        var slots: [Int] = []
        var assignments: [Assignment] = []
        for (key, any) in request.propertiesToUpdate ?? [:] {
            guard let name = (key.base as? String) ?? (key.base as? NSPropertyDescription)?.name else {
                throw CoreDataError(
                    134060, "propertiesToUpdate has a key that is neither a name nor a property."
                ).cocoa
            }
            let slot = try support.slot(name, table)
            slots.append(slot)
            assignments += try assigned(any, slot)
        }
        guard !found.isEmpty, !assignments.isEmpty else { return found }
        try TemporaryKeys.fill(found.map(\.key), support.connection)
        let external = slots.filter {
            table.layout.attributeDescriptions[$0].map { support.open.layout.hasMarks($0) } ?? false
        }
        try support.noteFiles(table.table, external.flatMap { table.slots[$0].rowColumns }, files)
        try write(assignments, found, files)
        if let number = try support.beginHistory() {
            let names = slots.map { table.layout.properties[$0].name }
            for row in found {
                let own = names.compactMap { row.table.layout.slots[$0] }
                try support.add(.update, row.table, row.key, number, slots: own)
            }
            try support.open.history?.finish()
        }
        return found
    }

    private func assigned(_ any: Any, _ slot: Int) throws -> [Assignment] {
        let columns = WrittenColumn.all(slot, table, support.open.layout)
        if let expression = any as? Predicates.NSExpression {
            if case .constant(let value) = expression.tree {
                return try assigned(value.anyValue ?? NSNull(), slot)
            }
            guard let attribute = table.layout.attributeDescriptions[slot], let column = columns.first,
                columns.count == 1
            else {
                throw CoreDataError(
                    134091, "A batch update cannot compute '\(table.layout.properties[slot].name)'.",
                    remedy: "Expressions are for attributes of one column."
                ).cocoa
            }
            let text = try support.compiler.assignment(
                expression.tree, to: attribute, of: table.entity, alias: "d")
            return [.sql(text, column.name)]
        }
        let value = try support.value(any, slot, table)
        return columns.map { .value(value, $0) }
    }

    private func write(
        _ assignments: [Assignment], _ found: [(key: Int64, table: EntityTable)], _ files: SaveFiles
    ) throws {
        let sets = assignments.map { assignment in
            switch assignment {
            case .value(_, let column): "\(column.name) = ?"
            case .sql(let text, let column): "\(column) = \(text.sql)"
            }
        }
        let statement = try support.connection.makeStatement(
            "UPDATE \(table.table.sqlName) AS d SET \((sets + ["Z_OPT = IFNULL(d.Z_OPT, 0) + 1"]).joined(separator: ", ")) "
                + "WHERE d.Z_PK IN (SELECT pk FROM \(TemporaryKeys.name))")
        let large = try largeValues(assignments)
        var position: Int32 = 1
        for assignment in assignments {
            switch assignment {
            case .value(_, let column) where large[column.name] != nil:
                statement.bindNull(at: position)
                position += 1
            case .value(let value, let column):
                try support.open.writer(table).bind(value, column, statement, position, files)
                position += 1
            case .sql(let text, _):
                statement.bind(text.bindings, from: position)
                position += Int32(text.bindings.count)
            }
        }
        do { try statement.run() } catch let error as CocoaError {
            let failure = error.userInfo[NSUnderlyingErrorKey] as? SQLiteFailure
            guard failure?.isDuplicate == true else { throw error }
            throw BatchSupport.notUnique(table, support.open.layout.constraints(of: table))
        }
        try writeFiles(large, found, files)
    }

    /// The values that belong into files, by column.
    private func largeValues(_ assignments: [Assignment]) throws -> [String: Data] {
        var result: [String: Data] = [:]
        guard support.open.files != nil else { return result }
        for case .value(let value, let column) in assignments where column.mayHaveFiles {
            guard case .data(let data) = try support.open.writer(table).flat(value, column),
                data.count > ExternalFiles.threshold
            else { continue }
            result[column.name] = data
        }
        return result
    }

    /// Writes large values, a file for each row, since rows cannot share one: it goes with its row.
    private func writeFiles(
        _ large: [String: Data], _ found: [(key: Int64, table: EntityTable)], _ files: SaveFiles
    ) throws {
        for (column, data) in large {
            let statement = try support.connection.makeStatement(
                "UPDATE \(table.table.sqlName) SET \(column) = ? WHERE Z_PK = ?")
            for row in found {
                guard let name = try support.open.files?.write(data) else { continue }
                files.written.append(name)
                statement.bind(blob: ExternalFiles.reference(name), at: 1)
                statement.bind(row.key, at: 2)
                try statement.run()
            }
        }
    }
}
