/// A to-many relationship as a set: what is done to it is done to the object.
final class RelationshipSet: NSMutableSet {
    private var owner: NSManagedObject?
    private var slot = 0

    static func make(_ object: NSManagedObject, _ key: String) -> RelationshipSet {
        let set = RelationshipSet()
        guard let slot = object.layout.slots[key], object.layout.toManys.contains(slot) else { return set }
        set.owner = object
        set.slot = slot
        return set
    }

    private var collection: [NSManagedObject] { owner?.toMany(slot).objects ?? [] }

    override var count: Int { owner?.toMany(slot).count ?? 0 }

    override func member(_ object: Any) -> Any? {
        guard let object = object as? NSManagedObject, owner?.toMany(slot).contains(object) == true else {
            return nil
        }
        return object
    }

    override func objectEnumerator() -> NSEnumerator { NSArray(array: collection).objectEnumerator() }

    override func add(_ object: Any) {
        if let object = object as? NSManagedObject { owner?.addToMany(slot, object) }
    }

    override func remove(_ object: Any) {
        if let object = object as? NSManagedObject { owner?.removeFromMany(slot, object) }
    }
}

/// An ordered to-many relationship as an ordered set: what is done to it is done to the object.
final class RelationshipOrderedSet: NSMutableOrderedSet {
    private var owner: NSManagedObject?
    private var slot = 0

    // Foundation's class asks for both; a relationship is neither a literal nor archived.
    required init(arrayLiteral elements: Any...) { super.init(capacity: 0) }
    required init?(coder: NSCoder) { super.init(capacity: 0) }
    override init(capacity: Int) { super.init(capacity: capacity) }

    static func make(_ object: NSManagedObject, _ key: String) -> RelationshipOrderedSet {
        let set = RelationshipOrderedSet(capacity: 0)
        guard let slot = object.layout.slots[key], object.layout.toManys.contains(slot) else { return set }
        set.owner = object
        set.slot = slot
        return set
    }

    private var objects: [NSManagedObject] {
        get { owner?.toMany(slot).objects ?? [] }
        set { owner?.setToMany(slot, newValue) }
    }

    override var count: Int { objects.count }

    override func object(at index: Int) -> Any { objects[index] }

    override func index(of object: Any) -> Int {
        objects.firstIndex { $0 === object as AnyObject } ?? NSNotFound
    }

    override func insert(_ object: Any, at index: Int) {
        guard let object = object as? NSManagedObject, !objects.contains(where: { $0 === object }) else {
            return
        }
        objects.insert(object, at: Swift.min(Swift.max(index, 0), objects.count))
    }

    override func removeObject(at index: Int) {
        guard objects.indices.contains(index) else { return }
        objects.remove(at: index)
    }

    override func replaceObject(at index: Int, with object: Any) {
        guard objects.indices.contains(index), let object = object as? NSManagedObject else { return }
        objects[index] = object
    }
}
