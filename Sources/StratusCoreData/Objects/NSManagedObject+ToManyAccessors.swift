// What generated to-many accessors call: addToLessons(_:), insertIntoLessons(_:at:) and so on.

extension NSManagedObject {
    /// Adds an object to a to-many relationship.
    public final func addManagedObject(_ key: StaticString, _ object: NSManagedObject) {
        addToMany(slot(key), object)
    }
    /// Takes an object away from a to-many relationship.
    public final func removeManagedObject(_ key: StaticString, _ object: NSManagedObject) {
        removeFromMany(slot(key), object)
    }
    /// Adds the objects of an `NSSet`, an `NSOrderedSet`, a `Set` or an array.
    public final func addManagedObjects(_ key: StaticString, _ objects: Any) {
        for object in Self.objects(in: objects) ?? [] { addToMany(slot(key), object) }
    }
    /// Takes away the objects of an `NSSet`, an `NSOrderedSet`, a `Set` or an array.
    public final func removeManagedObjects(_ key: StaticString, _ objects: Any) {
        for object in Self.objects(in: objects) ?? [] { removeFromMany(slot(key), object) }
    }
    /// Inserts an object at a position of an ordered relationship.
    public final func insertManagedObject(_ key: StaticString, _ object: NSManagedObject, at index: Int) {
        edit(key) { $0.insert(object, at: min(max(index, 0), $0.count)) }
    }
    /// Takes away the object at a position of an ordered relationship.
    public final func removeManagedObject(_ key: StaticString, at index: Int) {
        edit(key) { if $0.indices.contains(index) { $0.remove(at: index) } }
    }
    /// Inserts objects at positions of an ordered relationship.
    public final func insertManagedObjects(
        _ key: StaticString, _ objects: [NSManagedObject], at indexes: NSIndexSet
    ) {
        edit(key) { list in
            for (object, index) in zip(objects, indexes.sorted()) {
                list.insert(object, at: min(max(index, 0), list.count))
            }
        }
    }
    /// Takes away the objects at positions of an ordered relationship.
    public final func removeManagedObjects(_ key: StaticString, at indexes: NSIndexSet) {
        edit(key) { list in
            for index in indexes.sorted(by: >) where list.indices.contains(index) { list.remove(at: index) }
        }
    }
    /// Replaces the object at a position of an ordered relationship.
    public final func replaceManagedObject(_ key: StaticString, at index: Int, with object: NSManagedObject) {
        edit(key) { if $0.indices.contains(index) { $0[index] = object } }
    }
    /// Replaces the objects at positions of an ordered relationship.
    public final func replaceManagedObjects(
        _ key: StaticString, at indexes: NSIndexSet, with objects: [NSManagedObject]
    ) {
        edit(key) { list in
            for (object, index) in zip(objects, indexes.sorted()) where list.indices.contains(index) {
                list[index] = object
            }
        }
    }

    private func edit(_ key: StaticString, _ change: (inout [NSManagedObject]) -> Void) {
        let slot = slot(key)
        var objects = toMany(slot).objects
        change(&objects)
        setToMany(slot, objects)
    }
}
