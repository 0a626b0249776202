/// What is true of an object right now.
struct ObjectFlags: OptionSet {
    let rawValue: UInt32

    /// Its `willSave` was called in this save.
    static let toldOfSave = ObjectFlags(rawValue: 1 << 24)

    /// New, and not saved yet.
    static let inserted = ObjectFlags(rawValue: 1)
    /// Saved before, and changed since.
    static let updated = ObjectFlags(rawValue: 2)
    /// To be deleted by the next save.
    static let deleted = ObjectFlags(rawValue: 4)
    /// Its values were not looked at yet.
    static let fault = ObjectFlags(rawValue: 8)
    /// In its context's list of changed objects.
    static let listed = ObjectFlags(rawValue: 16)
    /// In its context's list of objects that changed since changes were last processed.
    static let eventListed = ObjectFlags(rawValue: 32)
    /// Inserted since changes were last processed.
    static let eventInserted = ObjectFlags(rawValue: 64)
    /// Changed since changes were last processed.
    static let eventUpdated = ObjectFlags(rawValue: 128)
    /// Deleted since changes were last processed.
    static let eventDeleted = ObjectFlags(rawValue: 256)
    /// Its values were read again since changes were last processed.
    static let eventRefreshed = ObjectFlags(rawValue: 512)
    /// Changes are not noticed at the moment: it is being awakened.
    static let quiet = ObjectFlags(rawValue: 1024)
    /// Its row has vanished.
    static let inaccessible = ObjectFlags(rawValue: 2048)
    /// Its values were taken away since changes were last processed.
    static let eventInvalidated = ObjectFlags(rawValue: 4096)
    /// Its delete was followed to the other sides of its relationships.
    static let propagated = ObjectFlags(rawValue: 8192)
    /// Saved and then deleted: it will never have values again.
    static let gone = ObjectFlags(rawValue: 16384)
    /// A store of the app's own knows that the object is registered.
    static let tracked = ObjectFlags(rawValue: 65_536)
    /// Its delete has begun, and `prepareForDeletion` runs.
    static let deleting = ObjectFlags(rawValue: 131_072)
    /// Somebody hears of it before its values change.
    static let watched = ObjectFlags(rawValue: 1 << 25)
    /// Made to see which keys a key path asks for.
    static let probe = ObjectFlags(rawValue: 32768)
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
