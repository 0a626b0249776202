/// The results of a fetch that are read batch by batch, so that a long list costs its IDs only.
///
/// Apple's `fetch` gives such a list where ``AnyFetchRequest/fetchBatchSize`` is set; an array of Swift cannot be one,
/// so this collection is asked for by name: ``NSManagedObjectContext/fetchInBatches(_:)``. Belongs to its context's
/// queue.
public final class BatchedResults<Object>: RandomAccessCollection {
    private let context: NSManagedObjectContext
    private let plan: StoreFetch
    private let keys: [Int64]
    private let layouts: [EntityLayout]
    /// For each key the position of its entity's layout; empty while there is one entity only.
    private let kinds: [UInt16]
    private let store: NSPersistentStore
    private let batchSize: Int
    /// The batches that were looked at last, the newest last; they keep their objects alive.
    private var recent: [(batch: Int, objects: [NSManagedObject])] = []

    /// How many batches stay in memory.
    private static var batchesKept: Int { 4 }

    init(
        context: NSManagedObjectContext, plan: StoreFetch, keys: [Int64], layouts: [EntityLayout],
        kinds: [UInt16], store: NSPersistentStore, batchSize: Int
    ) {
        self.context = context
        self.plan = plan
        self.keys = keys
        self.layouts = layouts
        self.kinds = kinds
        self.store = store
        self.batchSize = Swift.max(1, batchSize)
    }

    /// 0
    public var startIndex: Int { 0 }
    /// The number of results.
    public var endIndex: Int { keys.count }

    /// The object at a position, whose batch is read where it was not yet.
    ///
    /// An object of a class other than `Object` stops the program: the request's type does not fit the entity's class.
    public subscript(position: Int) -> Object {
        let object = batch(position / batchSize)[position % batchSize]
        guard let object = object as? Object else {
            fatalError("A fetch found \(type(of: object)), which is not of type \(Object.self).")
        }
        return object
    }

    /// The ID at a position; nothing is read.
    public func objectID(at position: Int) -> NSManagedObjectID {
        let layout = kinds.isEmpty ? layouts[0] : layouts[Int(kinds[position])]
        return NSManagedObjectID(reference: .row(keys[position]), entity: layout.entity, store: store)
    }

    private func batch(_ number: Int) -> [NSManagedObject] {
        if let known = recent.last(where: { $0.batch == number }) { return known.objects }
        let range = (number * batchSize)..<Swift.min((number + 1) * batchSize, keys.count)
        let objects = range.map { context.object(with: objectID(at: $0)) }
        do {
            try context.fill(objects, of: plan.entity)
        } catch {
            context.report(error, "reading a batch of \(plan.entity.name ?? "?")")
        }
        recent.append((number, objects))
        if recent.count > Self.batchesKept { recent.removeFirst() }
        return objects
    }
}

extension NSManagedObjectContext {
    /// Fetches a long list whose objects are read ``AnyFetchRequest/fetchBatchSize`` at a time, 100 where it is 0.
    ///
    /// Takes 8 bytes a result. Unsaved changes of the context do not count.
    /// - Throws: what ``fetch(_:)`` throws, and `CocoaError` 134091 in a child context or where several stores
    ///   hold the entity.
    public func fetchInBatches<Object>(_ request: NSFetchRequest<Object>) throws -> BatchedResults<Object> {
        ConcurrencyCheck.check(self)
        let plan = try plan(request)
        guard parent == nil, let coordinator = ownCoordinator,
            let store = try coordinator.onlyStore(for: plan.fetch)
        else {
            throw CoreDataError.unsupportedRequest("fetch in batches", "child context or several stores")
                .cocoa
        }
        var keys: [Int64] = []
        var layouts: [EntityLayout] = []
        var kinds: [UInt16] = []
        try rows(plan.fetch, withRows: false) { row in
            guard case .row(let key) = row.reference else {
                throw CoreDataError.unsupportedRequest("fetch in batches", store.type).cocoa
            }
            var kind = layouts.firstIndex { $0 === row.layout }
            if kind == nil {
                kind = layouts.count
                layouts.append(row.layout)
                if layouts.count == 2 { kinds = Array(repeating: 0, count: keys.count) }
            }
            keys.append(key)
            if layouts.count > 1 { kinds.append(UInt16(kind ?? 0)) }
        }
        if layouts.isEmpty { layouts = [plan.fetch.entity.layout] }
        return BatchedResults(
            context: self, plan: plan.fetch, keys: keys, layouts: layouts, kinds: kinds, store: store,
            batchSize: request.fetchBatchSize > 0 ? request.fetchBatchSize : 100)
    }
}
