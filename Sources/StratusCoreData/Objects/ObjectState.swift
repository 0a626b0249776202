/// What others have to remember of an object, apart from its life and its values.
struct ObjectMarks: OptionSet {
    let rawValue: UInt8

    /// Changes are not noticed at the moment: it is being awakened.
    static let quiet = ObjectMarks(rawValue: 1)
    /// In its context's list of changed objects.
    static let listed = ObjectMarks(rawValue: 2)
    /// Its `willSave` was called in this save.
    static let toldOfSave = ObjectMarks(rawValue: 4)
    /// A store of the app's own knows that the object is registered.
    static let tracked = ObjectMarks(rawValue: 8)
    /// Somebody hears of it before its values change.
    static let watched = ObjectMarks(rawValue: 16)
    /// Made to see which keys a key path asks for.
    static let probe = ObjectMarks(rawValue: 32)
}

/// What an object knows of one of its relationships.
enum RelationState {
    /// Nothing yet; the row or the store has it.
    case unknown
    /// What a to-one relationship leads to.
    case one(NSManagedObject?)
    /// What a to-many relationship leads to.
    case many(ObjectCollection)
    /// What a to-many relationship gained and lost, the rest being unknown yet.
    case pending(added: [NSManagedObject], removed: [NSManagedObject])
    /// What an ordered to-many relationship holds here, and what it held before the changes of this context, while the
    /// store has a newer list, which is read when somebody looks.
    case rearranged(ours: [NSManagedObject], base: [NSManagedObject])
}

extension RelationState {
    /// Takes the collection out, so that it can be changed in place; nil where there is none.
    mutating func takeMany() -> ObjectCollection? {
        guard case .many(let collection) = consume self else {
            self = .unknown
            return nil
        }
        self = .unknown
        return collection
    }
}

/// The objects of a to-many relationship: a set, with an order where the relationship has one.
struct ObjectCollection {
    private(set) var members: Set<NSManagedObject>
    /// The members in order; nil where the relationship has no order.
    private(set) var order: [NSManagedObject]?

    init(_ objects: [NSManagedObject], isOrdered: Bool) {
        members = []
        order = isOrdered ? [] : nil
        members.reserveCapacity(objects.count)
        for object in objects { insert(object) }
    }

    var isOrdered: Bool { order != nil }
    var count: Int { members.count }
    /// The members, in order where there is one.
    var objects: [NSManagedObject] { order ?? Array(members) }

    func contains(_ object: NSManagedObject) -> Bool { members.contains(object) }

    mutating func insert(_ object: NSManagedObject) {
        guard members.insert(object).inserted else { return }
        order?.append(object)
    }

    mutating func remove(_ object: NSManagedObject) {
        guard members.remove(object) != nil else { return }
        if let place = order?.lastIndex(where: { $0 === object }) { order?.remove(at: place) }
    }
}

/// What a slot held before it was first changed in an event.
enum OldState {
    case attribute(PropertyValue)
    case relation(RelationState)
}
