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
            rows.sort { fetch.sort.precede($0.keys, $1.keys) }
            found = rows.map(\.node)
        }
        return Array(fetch.page(of: found))
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
}
