extension NSManagedObject {
    /// The slot of a key. The first letter may be a capital one: Key-Value Coding looks for accessors named `get<Key>`
    /// and `set<Key>:`, which are the same for `date` and `Date` ("Accessor Search Patterns" of Apple's Key-Value Coding
    /// Programming Guide).
    func codingSlot(_ key: String) -> Int? {
        if let slot = layout.slots[key] { return slot }
        guard let first = key.first, first.isUppercase else { return nil }
        return layout.slots[first.lowercased() + key.dropFirst()]
    }

    /// The value of a slot, as Key-Value Coding hands it out.
    func anyValue(of slot: Int) -> Any? {
        if layout.isAttribute(slot) {
            return attribute(slot).anyValue(of: layout.attributeDescriptions[slot])
        }
        if layout.toOnes.contains(slot) { return toOne(slot) }
        if layout.toManys.contains(slot) { return Self.set(of: toMany(slot)) }
        return fetchedObjects(slot)
    }

    static func set(of collection: ObjectCollection) -> Any {
        collection.isOrdered
            ? NSOrderedSet(array: collection.objects) : NSSet(array: collection.objects)
    }

    /// Changes a to-many relationship as a set, both sides of it.
    func mutate(_ key: String, _ kind: NSKeyValueSetMutationKind, _ objects: [NSManagedObject]) {
        guard let slot = layout.slots[key], layout.toManys.contains(slot) else { return }
        switch kind {
        case .union: for object in objects { addToMany(slot, object) }
        case .minus: for object in objects { removeFromMany(slot, object) }
        case .intersect: setToMany(slot, toMany(slot).objects.filter(Set(objects).contains))
        case .set: setToMany(slot, objects)
        }
    }

    func setAnyValue(_ value: Any?, _ slot: Int) {
        if layout.isAttribute(slot), let attribute = layout.attributeDescriptions[slot] {
            guard let converted = Self.converted(value, attribute) else { return refuse(value, slot) }
            return setAttribute(slot, converted)
        }
        if layout.toOnes.contains(slot) {
            let object = value.flatMap(PropertyValue.unwrapped).flatMap { $0 is NSNull ? nil : $0 }
            guard object == nil || object is NSManagedObject else { return refuse(value, slot) }
            return setToOne(slot, object as? NSManagedObject)
        }
        if layout.toManys.contains(slot) {
            guard let objects = Self.objects(in: value) else { return refuse(value, slot) }
            return setToMany(slot, objects)
        }
        refuse(value, slot)
    }

    /// A number of any size is taken: it is the server's, perhaps, whose data these are, and validation says what is wrong.
    private static func converted(_ value: Any?, _ attribute: NSAttributeDescription) -> PropertyValue? {
        PropertyValue(value, for: attribute) ?? PropertyValue(outOfRange: value, for: attribute)
    }

    func setPrimitive(_ value: Any?, _ slot: Int) {
        if layout.isAttribute(slot), let attribute = layout.attributeDescriptions[slot] {
            guard let converted = Self.converted(value, attribute) else { return refuse(value, slot) }
            return setPrimitiveAttribute(slot, converted)
        }
        if life.isFault { fulfil() }
        if layout.toOnes.contains(slot) {
            setRelation(slot, .one(value as? NSManagedObject))
        } else if layout.toManys.contains(slot), let objects = Self.objects(in: value) {
            rememberSavedMany(slot)
            let isOrdered = layout.relationshipDescriptions[slot]?.isOrdered ?? false
            setRelation(slot, .many(ObjectCollection(objects, isOrdered: isOrdered)))
        } else {
            return refuse(value, slot)
        }
        notePrimitiveChange(of: slot)
    }

    /// The managed objects in a set, an ordered set or an array; nil for anything else, empty for no value.
    static func objects(in value: Any?) -> [NSManagedObject]? {
        guard let value = value.flatMap(PropertyValue.unwrapped), !(value is NSNull) else { return [] }
        switch value {
        case let set as NSSet: return set.allObjects as? [NSManagedObject]
        case let ordered as NSOrderedSet: return ordered.array as? [NSManagedObject]
        case let objects as [NSManagedObject]: return objects
        case let objects as Set<NSManagedObject>: return Array(objects)
        default: return nil
        }
    }

    private func refuse(_ value: Any?, _ slot: Int) {
        let property = layout.properties[slot]
        let type = value.map { "\(Swift.type(of: $0))" } ?? "nil"
        fatalError(
            "Unacceptable type of value for \(entity.name ?? "?").\(property.name): given type = \(type).")
    }

    /// The keys that every object has beside its properties, and those that the class computes.
    func virtualValue(forKey key: String) -> Any? {
        switch key {
        case "self", "SELF": self
        case "objectID": objectID
        case "entity": entity
        default: value(forUndefinedKey: key)
        }
    }

    /// Sets the value at the end of a key path.
    func setAnyValue(_ value: Any?, atPath keyPath: String) {
        let parts = keyPath.split(separator: ".").map(String.init)
        var target: NSManagedObject? = self
        for part in parts.dropLast() { target = target?.value(forKey: part) as? NSManagedObject }
        if let last = parts.last { target?.setValue(value, forKey: last) }
    }

    /// The value of a property.
    public subscript(key: String) -> Any? {
        get { value(forKey: key) }
        set { setValue(newValue, forKey: key) }
    }

}

extension NSManagedObject: KeyValueReadable {
    /// Whether the entity has the property, or the class computes the key.
    public func offersValue(forKey key: String) -> Bool {
        codingSlot(key) != nil || ["self", "SELF", "objectID", "entity"].contains(key)
            || offersUndefinedKey(key)
    }
}

extension NSManagedObject: PredicateValueConvertible {
    /// The object's ID: a predicate takes an object or its ID.
    public var predicateValue: PredicateValue { .object(PredicateObject(identity: objectID)) }
}

extension NSEntityDescription: KeyValueReadable {
    /// The name; predicates may ask for `entity.name`.
    public func value(forKey key: String) -> Any? { key == "name" ? name : nil }

    /// Whether it is the name.
    public func offersValue(forKey key: String) -> Bool { key == "name" }
}
