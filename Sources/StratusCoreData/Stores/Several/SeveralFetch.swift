/// A fetch that several stores answer together, as one store with all of their objects would.
///
/// Objects that a fetch puts in no order come in the order of the stores.
struct SeveralFetch {
    private let fetch: StoreFetch
    private let readers: [ObjectReader]

    init(_ fetch: StoreFetch, _ stores: [any GraphStore], _ generation: StoreGenerations?) {
        self.fetch = fetch
        readers = stores.map { ObjectReader($0, generation?[$0]) }
    }

    /// The rows, in order.
    func rows(withRows: Bool) throws -> [FetchedRow] {
        let keys = fetch.sort.map { ExpressionTree.keyPath($0.path) }
        var found: [(row: FetchedRow, keys: [PropertyValue])] = []
        for reader in readers {
            try reader.fetch(ofOneStore, withRows: withRows || !keys.isEmpty) { object in
                let values = try keys.map { key in
                    PropertyValue(
                        predicate: try DictionaryQuery.evaluating { () throws(PredicateEvaluationError) in
                            try key.value(on: object)
                        })
                }
                found.append((object.row, values))
            }
        }
        if !keys.isEmpty { found.sort { fetch.sort.precede($0.keys, $1.keys) } }
        return fetch.page(of: found).map(\.row)
    }

    /// The number of objects; limit and offset count.
    func count() throws -> Int {
        var all = fetch
        all.offset = 0
        all.limit = 0
        let rest = max(0, try readers.reduce(0) { try $0 + $1.count(all) } - fetch.offset)
        return fetch.limit > 0 ? min(rest, fetch.limit) : rest
    }

    /// The dictionaries: order, limits, groups and statistics are those of the objects of all stores.
    ///
    /// - Throws: `CocoaError` 134060 for columns that cannot be fetched, and what the stores throw.
    func dictionaries(_ columns: StoreColumns) throws -> [[String: Any]] {
        guard !readers.isEmpty else { return [] }
        for reader in readers { try reader.store.check(fetch, columns) }
        var query = try DictionaryQuery(fetch, columns)
        var own = ofOneStore
        if !query.isOfEachObject {
            own.limit = 0
            own.sort = []
        }
        for reader in readers { try reader.fetch(own) { try query.add($0) } }
        return try query.dictionaries()
    }

    /// The fetch of one store: as many rows as may be needed of it.
    private var ofOneStore: StoreFetch {
        var own = fetch
        own.offset = 0
        own.limit = fetch.limitFromStart
        return own
    }
}

extension StoreFetch {
    /// The number of results up to the end of the page that is asked for; 0 for all.
    var limitFromStart: Int {
        guard limit > 0 else { return 0 }
        let (end, overflows) = offset.addingReportingOverflow(limit)
        return overflows ? 0 : end
    }

    /// What offset and limit leave of all results.
    func page<Result>(of results: [Result]) -> ArraySlice<Result> {
        let rest = results.dropFirst(offset)
        return limit > 0 ? rest.prefix(limit) : rest
    }
}

extension [StoreSort] {
    /// Whether an object comes before another, by what the two have at the end of each key path.
    func precede(_ first: [PropertyValue], _ second: [PropertyValue]) -> Bool {
        for (place, sort) in enumerated() {
            let order = sort.order(first[place], second[place])
            if order != .orderedSame { return order == .orderedAscending }
        }
        return false
    }
}
