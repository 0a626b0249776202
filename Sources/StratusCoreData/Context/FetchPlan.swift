/// A fetch request with its names looked up.
package struct FetchPlan {
    /// The fetch as stores get it.
    package var fetch: StoreFetch

    /// Looks up what a request names in a model.
    ///
    /// - Throws: `CocoaError` for an unknown entity, a predicate that is code, a sort by a comparator.
    package init(_ request: AnyFetchRequest, model: NSManagedObjectModel) throws {
        let entity = try Self.entity(of: request, in: model)
        var fetch = StoreFetch(entity: entity)
        fetch.includesSubentities = request.includesSubentities
        if let predicate = request.predicate {
            do {
                fetch.predicate = try PredicateTree(predicate)
            } catch {
                throw CoreDataError(
                    134060,
                    "The fetch of \(entity.name ?? "?") has a predicate that cannot be a query. \(error.message)",
                    remedy: error.remedy, cause: error
                ).cocoa
            }
            // A predicate may have been made when its objects had no permanent IDs yet.
            fetch.predicate = fetch.predicate?.withCurrentIDs
            if case .constant(true)? = fetch.predicate { fetch.predicate = nil }
        }
        fetch.sort = try (request.sortDescriptors ?? []).map { try StoreSort($0, entity: entity) }
        fetch.limit = max(0, request.fetchLimit)
        fetch.offset = max(0, request.fetchOffset)
        self.fetch = fetch
    }

    private static func entity(of request: AnyFetchRequest, in model: NSManagedObjectModel) throws
        -> NSEntityDescription
    {
        if let entity = request.entity {
            if entity.managedObjectModel === model { return entity }
            // A request made with another copy of the model.
            if let name = entity.name, let own = model.entitiesByName[name] { return own }
        }
        guard let name = request.entityName else {
            throw CoreDataError(
                134060, "A fetch request must have an entity.",
                remedy: "Make it with NSFetchRequest(entityName:), or set its entity."
            ).cocoa
        }
        guard let entity = model.entitiesByName[name] else {
            throw CoreDataError.unknownEntity(name, known: Array(model.entitiesByName.keys)).cocoa
        }
        return entity
    }
}

extension StoreSort {
    /// The order that a sort descriptor asks for.
    ///
    /// - Throws: `CocoaError` for a descriptor with a comparator of code.
    init(_ descriptor: NSSortDescriptor, entity: NSEntityDescription) throws {
        guard let key = descriptor.key ?? KeyPathProbe.key(of: descriptor, entity: entity) else {
            throw CoreDataError(
                134060, "The sort descriptor \(descriptor) names no key, so the store cannot sort by it.",
                remedy: "Make it with NSSortDescriptor(key:ascending:)."
            ).cocoa
        }
        guard !descriptor.hasComparator else {
            throw CoreDataError(
                134060, "The sort descriptor for '\(key)' compares with code, which the store cannot do.",
                remedy: "Sort by key, with one of the named selectors, or sort the fetched array."
            ).cocoa
        }
        path = key.split(separator: ".").map(String.init)
        ascending = descriptor.ascending
        comparison = Comparison(selector: descriptor.selectorName)
    }
}

extension StoreSort.Comparison {
    /// The comparison that a selector of `NSString` names.
    init(selector: String?) {
        switch selector {
        case "caseInsensitiveCompare:": self = .caseInsensitive
        case "localizedCompare:": self = .localized(caseInsensitive: false, numeric: false)
        case "localizedCaseInsensitiveCompare:": self = .localized(caseInsensitive: true, numeric: false)
        case "localizedStandardCompare:": self = .localized(caseInsensitive: true, numeric: true)
        default: self = .values
        }
    }
}
