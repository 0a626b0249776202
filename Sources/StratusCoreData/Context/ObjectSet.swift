/// A set of a notification, made of the list that is there already.
///
/// Every save and every event is told, mostly to nobody; hashing all objects for that would cost more than the rest. The
/// set is made when it is first looked into, and casts to `Set<NSManagedObject>` or `Set<NSManagedObjectID>`.
final class ObjectSet: NSSet {
    private var list: [NSObject] = []
    private lazy var set = Set(list)

    static func make(_ objects: [NSObject]) -> ObjectSet {
        let set = ObjectSet()
        set.list = objects
        return set
    }

    override var count: Int { list.isEmpty ? 0 : set.count }

    override func member(_ object: Any) -> Any? {
        guard let object = object as? NSObject, let index = set.firstIndex(of: object) else { return nil }
        return set[index]
    }

    override func objectEnumerator() -> NSEnumerator { NSArray(array: Array(set)).objectEnumerator() }
}
