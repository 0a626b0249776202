internal import CStratusSQLite
internal import SQLiteAccess
internal import StratusCoreData

extension SQLiteObjectStore {
    private func compiler(_ open: OpenStore) -> FetchCompiler {
        FetchCompiler(layout: open.layout, storeIdentifier: identifier)
    }

    func objectIDs(_ fetch: StoreFetch, generation: (any StoreGeneration)?) throws -> [NSManagedObjectID] {
        let open = try opened()
        let table = try open.table(of: fetch.entity)
        guard let text = try compiler(open).keys(fetch) else {
            var objectIDs: [NSManagedObjectID] = []
            try self.fetch(fetch, withRows: false, generation: generation) { row in
                objectIDs.append(
                    NSManagedObjectID(reference: row.reference, entity: row.layout.entity, store: self))
            }
            return objectIDs
        }
        let layout = table.layout
        let anchor = anchor
        return try open.reading(generation).stepping(text.sql) { statement in
            statement.bind(text.bindings)
            var objectIDs: [NSManagedObjectID] = []
            while try statement.step() {
                objectIDs.append(
                    NSManagedObjectID(
                        reference: .row(sqlite3_column_int64(statement.handle, 0)), layout: layout,
                        anchor: anchor))
            }
            return objectIDs
        }
    }

    func fetch(
        _ fetch: StoreFetch, withRows: Bool, generation: (any StoreGeneration)?,
        each: (FetchedRow) throws -> Void
    ) throws {
        let open = try opened()
        let table = try open.table(of: fetch.entity)
        let connection = open.reading(generation)
        let shape = open.shape(table, includesSubentities: fetch.includesSubentities)
        guard withRows else {
            let text = try compiler(open).ids(fetch)
            return try connection.stepping(text.sql) { statement in
                statement.bind(text.bindings)
                while try statement.step() {
                    guard let member = shape.member(number: statement.int(1)) else { continue }
                    try each(
                        FetchedRow(layout: member.layout, reference: .row(statement.int(0)), store: self))
                }
            }
        }
        let text = try compiler(open).objects(fetch, shape: shape)
        try connection.stepping(text.sql) { statement in
            statement.bind(text.bindings)
            try readRows(statement, shape, open, each)
        }
    }

    /// Reads pages of rows, and hands out the rows of each page once it is full: a page that was seen never
    /// changes.
    private func readRows(
        _ statement: PreparedStatement, _ shape: RowShape, _ open: OpenStore,
        _ each: (FetchedRow) throws -> Void
    ) throws {
        var found: [FetchedRow] = []
        var lastNumber = Int64.min
        var layout: EntityLayout?
        let anchor = anchor
        var isOver = false
        while !isOver {
            found.removeAll(keepingCapacity: true)
            // Most fetches are small, and a page is kept as long as one of its objects.
            let page = PackedRows(
                shape, context: open.rows, capacity: lastNumber == .min ? 16 : PackedRows.rowLimit)
            while !page.isFull {
                guard try statement.step() else {
                    isOver = true
                    break
                }
                let number = sqlite3_column_int64(statement.handle, 1)
                if number != lastNumber {
                    lastNumber = number
                    layout = shape.member(number: number)?.layout
                }
                // A row without a number, or with one of another family, is no object of the fetch.
                guard let layout else { continue }
                let version = sqlite3_column_int64(statement.handle, 2)
                let row = page.append(statement.handle, from: 3)
                found.append(
                    FetchedRow(
                        layout: layout, reference: .row(sqlite3_column_int64(statement.handle, 0)),
                        snapshot: Snapshot(version: version, page: page, row: row), anchor: anchor))
            }
            for row in found { try each(row) }
        }
    }

    func count(_ fetch: StoreFetch, generation: (any StoreGeneration)?) throws -> Int {
        let open = try opened()
        _ = try open.table(of: fetch.entity)
        let text = try compiler(open).count(fetch)
        let statement = try open.reading(generation).statement(text.sql)
        statement.bind(text.bindings)
        guard try statement.step() else { return 0 }
        defer { statement.reset() }
        return Int(statement.int(0))
    }

    func dictionaries(
        _ fetch: StoreFetch, _ columns: StoreColumns, generation: (any StoreGeneration)?
    ) throws -> [[String: Any]] {
        let open = try opened()
        _ = try open.table(of: fetch.entity)
        let compiled = try compiler(open).dictionaries(fetch, columns)
        return try open.reading(generation).stepping(compiled.text.sql) { statement in
            statement.bind(compiled.text.bindings)
            var result: [[String: Any]] = []
            while try statement.step() {
                var row: [String: Any] = [:]
                for (index, column) in compiled.columns.enumerated() {
                    row[column.name] = value(statement.value(Int32(index)), column, open)
                }
                result.append(row)
            }
            return result
        }
    }

    func check(_ fetch: StoreFetch, _ columns: StoreColumns) throws {
        _ = try compiler(try opened()).dictionaries(fetch, columns)
    }

    private func value(_ binding: SQLBinding, _ column: DictionaryStatement.Column, _ open: OpenStore) -> Any?
    {
        if let attribute = column.attribute {
            return StoredValue.value(
                binding, of: attribute, isMarked: open.layout.isMarked(attribute), files: open.files
            ).anyValue(of: attribute)
        }
        if let destination = column.destination, case .int(let key) = binding {
            return NSManagedObjectID(reference: .row(key), entity: destination, store: self)
        }
        let wanted = NSAttributeDescription()
        wanted.attributeType =
            column.type == .undefinedAttributeType ? column.kind.attributeType : column.type
        guard wanted.attributeType != .undefinedAttributeType else { return binding.plain }
        return StoredValue.value(binding, of: wanted, isMarked: false, files: nil).anyValue(of: wanted)
    }
}

extension SQLKind {
    /// The type of attribute whose values look like this.
    fileprivate var attributeType: NSAttributeType {
        switch self {
        case .bool: .booleanAttributeType
        case .int, .entity: .integer64AttributeType
        case .real: .doubleAttributeType
        case .decimal, .exact: .decimalAttributeType
        case .string: .stringAttributeType
        case .date: .dateAttributeType
        case .data: .binaryDataAttributeType
        case .uuid: .UUIDAttributeType
        case .url: .URIAttributeType
        case .number, .object, .opaque, .nothing: .undefinedAttributeType
        }
    }
}

extension SQLBinding {
    /// The value as SQLite has it.
    fileprivate var plain: Any? {
        switch self {
        case .null: nil
        case .int(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .text(let value): value
        case .blob(let value): value
        }
    }
}
