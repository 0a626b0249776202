internal import Foundation

/// How an object keeps a value that ``objc_setAssociatedObject(_:_:_:_:)`` gives it. The raw values are Apple's.
public enum objc_AssociationPolicy: UInt, Sendable {
    /// The value is not kept alive; it is nil once nobody else does.
    case OBJC_ASSOCIATION_ASSIGN = 0
    /// The value is kept alive.
    case OBJC_ASSOCIATION_RETAIN_NONATOMIC = 1
    /// A value is kept alive as it is: what is a class here is not copied.
    case OBJC_ASSOCIATION_COPY_NONATOMIC = 3
    /// The value is kept alive.
    case OBJC_ASSOCIATION_RETAIN = 769
    /// A value is kept alive as it is: what is a class here is not copied.
    case OBJC_ASSOCIATION_COPY = 771
}

/// The value that an object keeps for a key; nil where it keeps none.
public func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? {
    let object = object as AnyObject
    return Associations.lock.withLock { Associations.all.value(of: object, key: key) }
}

/// Lets an object keep a value for a key, which is the address of a variable; nil removes it.
///
/// Linux does not say when an object goes: its values go later, when values are set and there are twice as many objects
/// with values as after the last look for those that went.
public func objc_setAssociatedObject(
    _ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy
) {
    let object = object as AnyObject
    let isWeak = policy == .OBJC_ASSOCIATION_ASSIGN
    // What goes may set values itself: it goes outside of the lock.
    let gone = Associations.lock.withLock {
        Associations.all.set(value, isWeak: isWeak, of: object, key: key)
    }
    withExtendedLifetime(gone) {}
}

/// Removes all values that an object keeps.
public func objc_removeAssociatedObjects(_ object: Any) {
    let object = object as AnyObject
    let gone = Associations.lock.withLock { Associations.all.removeAll(of: object) }
    withExtendedLifetime(gone) {}
}

/// What objects keep, by their addresses. An address whose object went may belong to another one: each entry knows its own.
private struct Associations {
    static let lock = NSLock()
    // Unsafe since objects and values are anybody's, who shares them as on Apple's platforms; the table is read and changed
    // under the lock only.
    nonisolated(unsafe) static var all = Associations()

    private struct Value {
        var strong: Any?
        weak var weak: AnyObject?
    }

    private struct Entry {
        weak var owner: AnyObject?
        var values: [UnsafeRawPointer: Value] = [:]
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var sweepAt = 64

    func value(of object: AnyObject, key: UnsafeRawPointer) -> Any? {
        guard let entry = entries[ObjectIdentifier(object)], entry.owner === object else { return nil }
        return entry.values[key].flatMap { $0.strong ?? $0.weak }
    }

    /// Answers what is no longer kept.
    mutating func set(_ value: Any?, isWeak: Bool, of object: AnyObject, key: UnsafeRawPointer) -> [Any] {
        var gone = sweep()
        let id = ObjectIdentifier(object)
        var entry = entries[id] ?? Entry(owner: object)
        if entry.owner !== object {
            gone.append(entry)
            entry = Entry(owner: object)
        }
        let new = value.map {
            isWeak ? Value(strong: nil, weak: $0 as AnyObject) : Value(strong: $0, weak: nil)
        }
        if let old = entry.values[key] { gone.append(old) }
        entry.values[key] = new
        entries[id] = entry.values.isEmpty ? nil : entry
        return gone
    }

    /// Answers what is no longer kept.
    mutating func removeAll(of object: AnyObject) -> Any? {
        entries.removeValue(forKey: ObjectIdentifier(object))
    }

    /// Takes out what objects kept that went.
    private mutating func sweep() -> [Any] {
        guard entries.count >= sweepAt else { return [] }
        let gone = entries.filter { $0.value.owner == nil }
        for id in gone.keys { entries[id] = nil }
        sweepAt = max(64, entries.count * 2)
        return Array(gone.values)
    }
}
