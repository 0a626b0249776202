/// Which objects a list depends on besides those it shows: the ones that key paths of its predicate, its order and its
/// section name lead through.
///
/// When such an object changes, the objects whose paths lead to it are found backwards over the inverse relationships,
/// and only if the change is of a key that is on a path.
struct PathDependencies {
    private struct Dependency {
        /// The relationships that lead from a listed object to the other one.
        let hops: [NSRelationshipDescription]
        /// The keys of the other object that are on a path.
        var keys: Set<String>
        let family: Set<Int>
    }

    private var dependencies: [Dependency] = []
    /// The numbers of all entities that are depended on.
    private(set) var entityNumbers: Set<Int> = []
    /// The to-one paths over which the order and the section names are read.
    private(set) var pathsToRead: [[String]] = []
    /// Whether one of these is of the order.
    private(set) var sortsOverRelationships = false

    init(_ fetch: StoreFetch, sectionPath: [String]?) {
        for path in fetch.predicate.map(PathWalk.paths) ?? [] { walk(path, from: fetch.entity) }
        for path in fetch.sort.map(\.path) + [sectionPath ?? []] where path.count > 1 {
            walk(path, from: fetch.entity)
            if !pathsToRead.contains(path) { pathsToRead.append(path) }
        }
        sortsOverRelationships = fetch.sort.contains { $0.path.count > 1 }
    }

    private mutating func walk(_ path: [String], from entity: NSEntityDescription) {
        var entity = entity
        var hops: [NSRelationshipDescription] = []
        // Operators such as @sum say what to do with the values, not where to go.
        for key in path where !key.hasPrefix("@") {
            if !hops.isEmpty { add(hops, key, entity) }
            guard
                let relationship = entity.withDescendants.lazy.compactMap({ $0.relationshipsByName[key] })
                    .first,
                let destination = relationship.destinationEntity
            else { return }
            hops.append(relationship)
            entity = destination
        }
    }

    private mutating func add(
        _ hops: [NSRelationshipDescription], _ key: String, _ entity: NSEntityDescription
    ) {
        let known = dependencies.firstIndex { known in
            known.hops.count == hops.count && zip(known.hops, hops).allSatisfy { $0 === $1 }
        }
        if let known {
            dependencies[known].keys.insert(key)
        } else {
            let family = entity.layout.family
            dependencies.append(Dependency(hops: hops, keys: [key], family: family))
            entityNumbers.formUnion(family)
        }
    }

    /// The objects that may have another position, or none, because objects on their paths changed.
    ///
    /// - Parameter listed: all objects of the list, asked for only where a path cannot be followed back.
    func dependents(
        of event: ContextEvent, in context: NSManagedObjectContext, listed: () -> [NSManagedObject]
    ) throws -> [NSManagedObject] {
        guard !dependencies.isEmpty else { return [] }
        let changed = (event.updated + event.refreshed + event.noticed + event.inserted + event.deleted)
            .filter { entityNumbers.contains($0.layout.number) }
        guard !changed.isEmpty else { return [] }
        var found: [NSManagedObject] = []
        for dependency in dependencies {
            let relevant = changed.filter { object in
                dependency.family.contains(object.layout.number)
                    && Self.touches(dependency.keys, event.changedSlots[ObjectIdentifier(object)], object)
            }
            guard !relevant.isEmpty else { continue }
            if let objects = try Self.sources(of: relevant, dependency.hops, context) {
                found += objects
            } else {
                found += listed()
            }
        }
        return found
    }

    /// Whether one of the keys has changed; a change of unknown extent may be of any key.
    private static func touches(_ keys: Set<String>, _ changed: SlotSet?, _ object: NSManagedObject) -> Bool {
        guard let changed else { return true }
        return keys.contains { key in
            // A key that the class computes may depend on any property.
            guard let slot = object.layout.slots[key] else { return true }
            return changed.contains(slot)
        }
    }

    /// The objects from which the relationships lead to some objects; nil where they cannot be followed back.
    private static func sources(
        of objects: [NSManagedObject], _ hops: [NSRelationshipDescription], _ context: NSManagedObjectContext
    ) throws -> [NSManagedObject]? {
        var current = objects
        for hop in hops.reversed() {
            var seen: Set<ObjectIdentifier> = []
            var next: [NSManagedObject] = []
            if let inverse = hop.inverseRelationship {
                for object in current where !object.life.isInaccessible {
                    guard let slot = object.layout.slots[inverse.name] else { continue }
                    let others =
                        inverse.isToMany ? object.toMany(slot).objects : object.toOne(slot).map { [$0] } ?? []
                    for other in others where seen.insert(ObjectIdentifier(other)).inserted {
                        next.append(other)
                    }
                }
            } else if !hop.isToMany, let entity = hop.entity {
                var fetch = StoreFetch(entity: entity)
                let values = current.map { PredicateValue.object(PredicateObject($0.objectID)) }
                fetch.predicate = .compare(.keyPath([hop.name]), .in, .constant(.list(values)))
                next = try context.objects(fetch, includesPending: true)
            } else {
                return nil
            }
            current = next
        }
        return current
    }
}
