extension NSManagedObjectContext {
    /// Reads what relationships lead to, all at once.
    func prefetch(_ path: String, of objects: [NSManagedObject]) throws {
        guard let root = objects.first?.entity.root else { return }
        try checkPrefetch(path, from: root)
        var objects = objects
        for key in path.split(separator: ".").map(String.init) {
            guard let first = objects.first, let slot = first.layout.slots[key],
                let relationship = first.layout.relationshipDescriptions[slot],
                let destination = relationship.destinationEntity
            else { return }
            var objectIDs: Set<NSManagedObjectID> = []
            for object in objects {
                guard let slot = object.layout.slots[key] else { continue }
                if relationship.isToMany {
                    for other in object.toMany(slot).objects { objectIDs.insert(other.objectID) }
                } else {
                    object.fulfil()
                    if let objectID = object.toOneID(slot) { objectIDs.insert(objectID) }
                }
            }
            objects = objectIDs.map { object(with: $0) }
            try fill(objects, of: destination)
        }
    }

    /// - Throws: `CocoaError` where the path leads over what is not a relationship.
    private func checkPrefetch(_ path: String, from root: NSEntityDescription) throws {
        var entity = root
        for key in path.split(separator: ".").map(String.init) {
            let found = entity.withDescendants.lazy.compactMap { $0.relationshipsByName[key] }.first
            guard let destination = found?.destinationEntity else {
                throw CoreDataError(
                    134060,
                    "The relationship '\(path)', to be prefetched, does not exist: \(entity.name ?? "?") has no '\(key)'.",
                    remedy: "It has: \(entity.relationshipsByName.keys.sorted().joined(separator: ", "))."
                ).cocoa
            }
            entity = destination
        }
    }

    /// Reads the rows of faults, some hundred at a time.
    func fill(_ objects: [NSManagedObject], of entity: NSEntityDescription) throws {
        let faults = objects.filter { $0.isFault && $0.snapshot == nil && !$0.objectID.isTemporary }
        var start = 0
        while start < faults.count {
            let end = min(start + Self.rowsInOneRead, faults.count)
            let values = faults[start..<end].map { PredicateValue.object(PredicateObject($0.objectID)) }
            var fetch = StoreFetch(entity: entity)
            fetch.predicate = .compare(.selfObject, .in, .constant(.list(values)))
            try rows(fetch, withRows: true) { row in
                if let snapshot = row.snapshot { _ = object(row, snapshot: snapshot) }
            }
            start = end
        }
    }

    /// How many rows one statement reads when many faults are filled.
    private static var rowsInOneRead: Int { 500 }
}
