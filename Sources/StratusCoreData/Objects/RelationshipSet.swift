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
        set.fill()
        return set
    }

    private var objects: [NSManagedObject] {
        get { owner?.toMany(slot).objects ?? [] }
        set { owner?.setToMany(slot, newValue) }
    }

    // Foundation's class keeps members in storage of its own, which those of its methods read that cannot be
    // overridden. So every change goes to the object, and then into that storage.

    private var isFilling = false

    private func fill() {
        isFilling = true
        defer { isFilling = false }
        super.removeAllObjects()
        for object in objects { super.insert(object, at: super.count) }
    }

    private func edit(_ change: (inout [NSManagedObject]) -> Void) {
        var list = objects
        change(&list)
        objects = list
        fill()
    }

    override var count: Int { isFilling ? super.count : objects.count }
    override func object(at index: Int) -> Any { isFilling ? super.object(at: index) : objects[index] }
    override func index(of object: Any) -> Int {
        if isFilling { return super.index(of: object) }
        return objects.firstIndex { $0 === object as AnyObject } ?? NSNotFound
    }
    override func contains(_ object: Any) -> Bool {
        isFilling ? super.contains(object) : index(of: object) != NSNotFound
    }

    override func insert(_ object: Any, at index: Int) {
        if isFilling { return super.insert(object, at: index) }
        guard let object = object as? NSManagedObject, !contains(object) else { return }
        edit { $0.insert(object, at: Swift.min(Swift.max(index, 0), $0.count)) }
    }
    override func add(_ object: Any) { insert(object, at: count) }
    override func addObjects(from array: [Any]) { for object in array { add(object) } }
    override func insert(_ objects: [Any], at indexes: IndexSet) {
        for (object, index) in zip(objects, indexes) { insert(object, at: index) }
    }

    override func removeObject(at index: Int) {
        if isFilling { return super.removeObject(at: index) }
        edit { if $0.indices.contains(index) { $0.remove(at: index) } }
    }
    override func removeObjects(at indexes: IndexSet) {
        edit { list in
            for index in indexes.reversed() where list.indices.contains(index) { list.remove(at: index) }
        }
    }
    override func removeObjects(in range: NSRange) {
        removeObjects(at: IndexSet(integersIn: range.lowerBound..<range.upperBound))
    }
    override func remove(_ object: Any) {
        if isFilling { return super.remove(object) }
        removeObject(at: index(of: object))
    }
    override func removeObjects(in array: [Any]) { for object in array { remove(object) } }
    override func removeAllObjects() { if isFilling { super.removeAllObjects() } else { edit { $0 = [] } } }

    override func replaceObject(at index: Int, with object: Any) {
        if isFilling { return super.replaceObject(at: index, with: object) }
        guard let object = object as? NSManagedObject else { return }
        edit { if $0.indices.contains(index) { $0[index] = object } }
    }
    override func setObject(_ object: Any, at index: Int) {
        if index == count { add(object) } else { replaceObject(at: index, with: object) }
    }
    override func replaceObjects(at indexes: IndexSet, with objects: [Any]) {
        for (object, index) in zip(objects, indexes) { replaceObject(at: index, with: object) }
    }
    override func exchangeObject(at first: Int, withObjectAt second: Int) {
        edit { if $0.indices.contains(first), $0.indices.contains(second) { $0.swapAt(first, second) } }
    }
    override func moveObjects(at indexes: IndexSet, to index: Int) {
        edit { list in
            let moved = indexes.filter(list.indices.contains).map { list[$0] }
            list.removeAll { object in moved.contains { $0 === object } }
            list.insert(contentsOf: moved, at: Swift.min(Swift.max(index, 0), list.count))
        }
    }
    override func intersect(_ other: NSOrderedSet) { edit { $0.removeAll { !other.contains($0) } } }
    override func intersectSet(_ other: Set<AnyHashable>) { edit { $0.removeAll { !other.contains($0) } } }
    override func minus(_ other: NSOrderedSet) { edit { $0.removeAll { other.contains($0) } } }
    override func minusSet(_ other: Set<AnyHashable>) { edit { $0.removeAll { other.contains($0) } } }
    override func union(_ other: NSOrderedSet) { addObjects(from: other.array) }
    override func unionSet(_ other: Set<AnyHashable>) { addObjects(from: other.map(\.base)) }
    override func sort(comparator: (Any, Any) -> ComparisonResult) {
        edit { $0.sort { comparator($0, $1) == .orderedAscending } }
    }
    override func sort(using sortDescriptors: [NSSortDescriptor]) {
        sort { first, second in
            for descriptor in sortDescriptors {
                let order = descriptor.compare(first, to: second)
                if order != .orderedSame { return order }
            }
            return .orderedSame
        }
    }
}
