/// How a context gives a new instance its identity.
///
/// A subclass's own `init(entity:insertInto:)` runs for these instances too, so what it has no parameter for waits
/// here, for the thread that makes the instance.
struct ObjectBirth {
    var layout: EntityLayout
    var objectID: NSManagedObjectID
    var isFault: Bool

    private final class Pending {
        var birth: ObjectBirth?
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let code = pthread_key_create(&key) { pointer in
            guard let pointer: UnsafeMutableRawPointer = pointer else { return }
            Unmanaged<Pending>.fromOpaque(pointer).release()
        }
        // A process has 1,024; without one, key 0 would be somebody else's.
        precondition(code == 0, "a key for each thread's objects could not be made: \(code)")
        return key
    }()

    private static var pending: Pending {
        if let pointer = pthread_getspecific(key) {
            return Unmanaged<Pending>.fromOpaque(pointer).takeUnretainedValue()
        }
        let pending = Pending()
        let code = pthread_setspecific(key, Unmanaged.passRetained(pending).toOpaque())
        precondition(code == 0, "a thread's objects could not be kept: \(code)")
        return pending
    }

    /// Makes an instance of a class for an ID.
    static func make(
        _ type: NSManagedObject.Type, layout: EntityLayout, objectID: NSManagedObjectID, isFault: Bool
    ) -> NSManagedObject {
        let pending = pending
        pending.birth = ObjectBirth(layout: layout, objectID: objectID, isFault: isFault)
        defer { pending.birth = nil }
        return type.make(layout.entity, nil)
    }

    /// Who the instance under construction is; by default a new object.
    static func take(for entity: NSEntityDescription) -> ObjectBirth {
        let pending = pending
        if let birth = pending.birth, birth.layout.entity === entity {
            pending.birth = nil
            return birth
        }
        return ObjectBirth(layout: entity.layout, objectID: .temporary(entity), isFault: false)
    }
}
