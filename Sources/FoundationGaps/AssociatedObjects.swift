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
    Associations.all.value(of: object as AnyObject, key: key)
}

/// Lets an object keep a value for a key, which is the address of a variable; nil removes it.
///
/// Linux does not say when an object goes: its values go later, when values are set and there are twice as many objects
/// with values as after the last look for those that went.
public func objc_setAssociatedObject(
    _ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy
) {
    Associations.all.set(
        value, isWeak: policy == .OBJC_ASSOCIATION_ASSIGN, of: object as AnyObject, key: key)
}

/// Removes all values that an object keeps.
public func objc_removeAssociatedObjects(_ object: Any) {
    Associations.all.removeAll(of: object as AnyObject)
}

/// What objects keep, by their addresses. An address whose object went may belong to another one: each entry knows its own.
///
/// Unchecked sendable: a lock guards the table. The values are the app's to share, as on Apple's platforms.
private final class Associations: @unchecked Sendable {
    static let all = Associations()

    private struct Value {
        var strong: Any?
        weak var weak: AnyObject?
    }

    private final class Entry {
        weak var owner: AnyObject?
        var values: [UnsafeRawPointer: Value] = [:]
        init(_ owner: AnyObject) { self.owner = owner }
    }

    private let lock = NSLock()
    private var entries: [ObjectIdentifier: Entry] = [:]
    private var sweepAt = 64

    func value(of object: AnyObject, key: UnsafeRawPointer) -> Any? {
        lock.withLock {
            guard let entry = entries[ObjectIdentifier(object)], entry.owner === object else { return nil }
            return entry.values[key].flatMap { $0.strong ?? $0.weak }
        }
    }

    func set(_ value: Any?, isWeak: Bool, of object: AnyObject, key: UnsafeRawPointer) {
        // What goes may set values itself: it goes outside of the lock.
        var gone: [Any] = []
        lock.withLock {
            gone = sweep()
            let id = ObjectIdentifier(object)
            if let entry = entries[id], entry.owner !== object {
                gone.append(entry)
                entries[id] = nil
            }
            guard let value else {
                if let old = entries[id]?.values.removeValue(forKey: key) { gone.append(old) }
                if entries[id]?.values.isEmpty == true { entries[id] = nil }
                return
            }
            let entry = entries[id] ?? Entry(object)
            entries[id] = entry
            let new =
                isWeak ? Value(strong: nil, weak: value as AnyObject) : Value(strong: value, weak: nil)
            if let old = entry.values.updateValue(new, forKey: key) { gone.append(old) }
        }
        withExtendedLifetime(gone) {}
    }

    func removeAll(of object: AnyObject) {
        let gone = lock.withLock { entries.removeValue(forKey: ObjectIdentifier(object)) }
        withExtendedLifetime(gone) {}
    }

    /// Takes out what objects kept that went.
    private func sweep() -> [Any] {
        guard entries.count >= sweepAt else { return [] }
        let gone = entries.filter { $0.value.owner == nil }
        for id in gone.keys { entries[id] = nil }
        sweepAt = max(64, entries.count * 2)
        return Array(gone.values)
    }
}
