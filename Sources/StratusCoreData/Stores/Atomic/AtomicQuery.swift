/// A fetch on the nodes of an ``NSAtomicStore``.
struct AtomicQuery {
    let fetch: StoreFetch

    /// The nodes that the fetch finds, in order.
    ///
    /// - Throws: `CocoaError` 134060 where the predicate cannot be evaluated.
    func run(on nodes: some Sequence<NSAtomicStoreCacheNode>) throws -> [NSAtomicStoreCacheNode] {
        let layout = fetch.entity.layout
        let family = fetch.includesSubentities ? layout.family : [layout.number]
        var found = try nodes.filter { try family.contains($0.objectID.layout.number) && matches($0) }
        if fetch.sort.isEmpty {
            found.sort { $0.objectID.description < $1.objectID.description }
        } else {
            let keys = fetch.sort.map { ExpressionTree.keyPath($0.path) }
            var rows = found.map { node in (node: node, keys: keys.map { Self.value($0, node) }) }
            rows.sort(by: precedes)
            found = rows.map(\.node)
        }
        let rest = found.dropFirst(fetch.offset)
        return Array(fetch.limit > 0 ? rest.prefix(fetch.limit) : rest)
    }

    private typealias Row = (node: NSAtomicStoreCacheNode, keys: [PropertyValue])

    private func precedes(_ first: Row, _ second: Row) -> Bool {
        for (place, sort) in fetch.sort.enumerated() {
            let order = sort.order(first.keys[place], second.keys[place])
            if order != .orderedSame { return order == .orderedAscending }
        }
        return false
    }

    private func matches(_ node: NSAtomicStoreCacheNode) throws -> Bool {
        guard let predicate = fetch.predicate else { return true }
        do { return try predicate.evaluate(on: node) } catch {
            throw CoreDataError(
                134060,
                "The predicate of a fetch of \(fetch.entity.name ?? "?") cannot be evaluated: \(error.message)",
                remedy: error.remedy, cause: error
            ).cocoa
        }
    }

    private static func value(_ tree: ExpressionTree, _ node: NSAtomicStoreCacheNode) -> PropertyValue {
        (try? tree.value(on: node)).map { PropertyValue(predicate: $0) } ?? .null
    }

    /// The columns of a node as a dictionary; nodes become their IDs.
    ///
    /// - Throws: `CocoaError` 134060 where an expression cannot be evaluated.
    static func row(of node: NSAtomicStoreCacheNode, _ columns: StoreColumns) throws -> [String: Any] {
        var row: [String: Any] = [:]
        for column in columns.columns {
            do {
                let any = try column.expression.anyValue(on: node)
                switch any {
                case let other as NSAtomicStoreCacheNode: row[column.name] = other.objectID
                case let value as PredicateValue: row[column.name] = value.anyValue
                default: row[column.name] = any
                }
            } catch {
                throw CoreDataError(134060, error.message, remedy: error.remedy, cause: error).cocoa
            }
        }
        return row
    }
}
