internal import SQLiteAccess
internal import StratusCoreData

/// Makes the statements of fetches: SQL with bound values, the same text for every fetch of the same shape.
///
/// - Throws: `CocoaError` 134060 for what cannot be said: unknown, transient and misplaced to-many keys, values
///   that cannot be compared, and the few expressions that only memory knows.
struct FetchCompiler {
    let layout: StoreLayout
    /// The identity of the store, which object IDs in predicates are checked against.
    var storeIdentifier: String?
    /// What `now()` answers.
    var now = Date()

    init(layout: StoreLayout, storeIdentifier: String? = nil, now: Date = Date()) {
        self.layout = layout
        self.storeIdentifier = storeIdentifier
        self.now = now
    }

    /// The rows of the objects: `Z_PK`, `Z_ENT`, `Z_OPT`, then the columns of the shape.
    func objects(_ fetch: StoreFetch, shape: RowShape) throws -> SQLPiece {
        try select(fetch) { "\(shape.selectList($0))" }
    }

    /// `Z_PK` and `Z_ENT` of the objects.
    func ids(_ fetch: StoreFetch) throws -> SQLPiece {
        try select(fetch) { "\($0).Z_PK, \($0).Z_ENT" }
    }

    /// `Z_PK` of the objects, where all of the table are of one entity; an index alone can answer that.
    func keys(_ fetch: StoreFetch) throws -> SQLPiece? {
        let table = try table(of: fetch.entity)
        guard !table.table.hasSubentities, !layout.isForeign else { return nil }
        return try select(fetch) { "\($0).Z_PK" }
    }

    /// The number of objects; limit and offset count.
    func count(_ fetch: StoreFetch) throws -> SQLPiece {
        let (compiler, row) = try start(fetch)
        if let predicate = fetch.predicate {
            row.scope.conditions.append(try compiler.condition(predicate, row))
        }
        guard fetch.limit > 0 || fetch.offset > 0 else { return "SELECT COUNT(*)\(row.scope.tail)" }
        return "SELECT COUNT(*) FROM (SELECT 1\(row.scope.tail)\(Self.limit(fetch)))"
    }

    /// A condition over the table of the entity, named by itself, for UPDATE and DELETE.
    func condition(_ fetch: StoreFetch) throws -> SQLPiece {
        "Z_PK IN (\(try select(fetch) { "\($0).Z_PK" }))"
    }

    /// The value of a column for `UPDATE ZTABLE AS <alias> SET column = …`, converted to the attribute's type.
    ///
    /// Paths over to-one relationships become a sub-select.
    func assignment(
        _ expression: ExpressionTree, to attribute: NSAttributeDescription, of entity: NSEntityDescription,
        alias: String
    ) throws -> SQLPiece {
        let compiler = PredicateCompiler(layout: layout, storeIdentifier: storeIdentifier, now: now)
        let scope = SelectScope(source: "")
        let row = RowSource(
            scope: scope, entity: try table(of: entity), key: "\(alias).Z_PK", isOptional: false,
            alias: alias)
        let value = try compiler.scalar(try compiler.operand(expression, row), "An update")
        let text = try converted(value, to: attribute)
        return scope.joins.isEmpty ? text : "(SELECT \(text)\(scope.tail))"
    }

    private func converted(_ value: Scalar, to attribute: NSAttributeDescription) throws -> SQLPiece {
        let wanted = SQLKind(attribute.attributeType)
        if layout.isMarked(attribute) { throw CoreDataError.notInSQL("An update of a file") }
        switch (wanted, value.kind) {
        case (_, .nothing): return value.text
        case (let one, let other) where one == other && one != .opaque: return value.text
        case (.int, let kind) where kind.isNumber: return "CAST(\(value.text) AS INTEGER)"
        case (.bool, let kind) where kind.isNumber: return "(CAST(\(value.text) AS REAL) <> 0)"
        case (.real, let kind) where kind.isNumber: return "CAST(\(value.text) AS REAL)"
        case (.decimal, let kind) where kind.isNumber: return "CAST(\(value.text) AS NUMERIC)"
        default:
            throw CoreDataError.badArgument("'\(attribute.name)'", value.kind.name)
        }
    }

    // MARK: Parts

    func table(of entity: NSEntityDescription) throws -> EntityTable {
        guard let table = layout.table(of: entity) else {
            throw CoreDataError(
                134060, "The store holds no objects of \(entity.name ?? "?").",
                remedy: "Add the entity to the store's configuration."
            ).cocoa
        }
        return table
    }

    /// The rows that a fetch is over, without its predicate.
    func start(_ fetch: StoreFetch) throws -> (PredicateCompiler, RowSource) {
        let compiler = PredicateCompiler(layout: layout, storeIdentifier: storeIdentifier, now: now)
        let row = compiler.source(of: try table(of: fetch.entity))
        let wanted = fetch.includesSubentities ? row.entity.family : [row.entity.number]
        let isPart = row.entity.table.hasSubentities && wanted.count < layout.members(of: row.entity.table)
        if isPart || layout.isForeign {
            let numbers = wanted.map(String.init).joined(separator: ", ")
            // Without statistics SQLite takes the entity for more selective than a range or an order; the plus
            // keeps it from that index where another one serves.
            let plus = hasIndex(fetch) ? "+" : ""
            let column = row.column("Z_ENT", compiler)
            row.scope.conditions.append(
                wanted.count == 1 ? "\(plus)\(column) = \(numbers)" : "\(plus)\(column) IN (\(numbers))")
        }
        return (compiler, row)
    }

    private func select(_ fetch: StoreFetch, _ columns: (String) -> SQLPiece) throws -> SQLPiece {
        let (compiler, row) = try start(fetch)
        if let predicate = fetch.predicate {
            row.scope.conditions.append(try compiler.condition(predicate, row))
        }
        // Sorting may join tables, so it comes before the text of the joins.
        let order = try compiler.order(fetch.sort, row, tie: true)
        return "SELECT \(columns("t0"))\(row.scope.tail)\(order)\(Self.limit(fetch))"
    }

    static func limit(_ fetch: StoreFetch) -> SQLPiece {
        if fetch.limit <= 0, fetch.offset <= 0 { return "" }
        let limit = fetch.limit > 0 ? Int64(fetch.limit) : -1
        guard fetch.offset > 0 else { return " LIMIT \(bind: .int(limit))" }
        return " LIMIT \(bind: .int(limit)) OFFSET \(bind: .int(Int64(fetch.offset)))"
    }
}

extension StoreLayout {
    /// The number of entities that share a table.
    fileprivate func members(of table: TableLayout) -> Int { self.table(of: table.root)?.family.count ?? 1 }
}

extension PredicateCompiler {
    /// `ORDER BY`, nulls first when ascending; objects with equal keys follow in the order of their primary keys.
    func order(_ sorts: [StoreSort], _ row: RowSource, tie: Bool) throws -> SQLPiece {
        var terms: [SQLPiece] = []
        for sort in sorts { terms.append(try term(sort, row)) }
        if tie, !sorts.isEmpty { terms.append(SQLPiece(row.key)) }
        return terms.isEmpty ? "" : " ORDER BY \(SQLPiece.joined(terms, ", "))"
    }

    private func term(_ sort: StoreSort, _ row: RowSource) throws -> SQLPiece {
        let direction = sort.ascending ? "" : " DESC"
        let path = sort.path.joined(separator: ".")
        let value: Scalar
        switch try rootPath(sort.path, row) {
        case .object(let object) where object === row: return "\(row.key)\(direction)"
        case .object, .constant, .list: throw CoreDataError.notSortable(path, "a relationship")
        case .collection: throw CoreDataError.notSortable(path, "a to-many key")
        case .scalar(let scalar): value = scalar
        }
        switch value.kind {
        case .opaque, .entity, .object: throw CoreDataError.notSortable(path, value.kind.name)
        case .exact:
            // Decimals that were computed are texts here.
            return "CAST(\(value.text) AS REAL)\(direction)"
        case .string: break
        default: return "\(value.text)\(direction)"
        }
        switch sort.comparison {
        case .values: return "\(value.text)\(direction)"
        case .caseInsensitive: return "\(folded(value.text, .caseInsensitive))\(direction)"
        case .localized: return "\(value.text) COLLATE \(sort.comparison.collationName)\(direction)"
        }
    }
}

extension CoreDataError {
    static func notSortable(_ path: String, _ what: String) -> CocoaError {
        CoreDataError(
            134060, "'\(path)' is \(what), which has no order.",
            remedy: "Sort by an attribute, or by one of the object that a to-one relationship leads to."
        ).cocoa
    }
}
