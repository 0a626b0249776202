/// The getters that classes write for transient attributes, by which Key-Value Coding reads them.
///
/// The build plugin names them (`BundledClasses.getters`). So `value(forKey:)`, predicates in memory and the sections of
/// a controller see what the class computes, as they do where Objective-C finds the getter by its name.
enum ComputedKeys {
    /// What one getter on one object is called for.
    private struct Call: Hashable {
        let object: ObjectIdentifier
        let key: String
    }

    private typealias Getters = [ObjectIdentifier: [String: AnyKeyPath]]

    private static let lock = PlainLock()
    // Unsafe because a key path is no `Sendable`, though it never changes; the lock guards the rest.
    nonisolated(unsafe) private static var known: (modules: Int, getters: Getters) = (0, [:])

    /// By the class that writes the getter. Modules register before `main`, and where they are loaded later.
    private static var getters: Getters {
        let modules = BundledModels.classes
        return lock.withLock {
            if known.modules == modules.count { return known.getters }
            var result: Getters = [:]
            for getter in modules.flatMap({ $0.getters }) {
                result[ObjectIdentifier(getter.type), default: [:]][getter.key] = getter.path
            }
            known = (modules.count, result)
            return result
        }
    }

    private static let name = "stratus.coredata.getters"

    /// Whether a class, or one that it inherits from, writes a getter for the key.
    static func has(_ key: String, _ type: NSManagedObject.Type) -> Bool { path(key, type) != nil }

    /// What the getter gives. Nil where there is none, and while it runs: one that asks for its own key gets the
    /// attribute's value, and does not call itself for ever.
    static func value(_ key: String, of object: NSManagedObject) -> Any?? {
        guard let path = path(key, type(of: object)) else { return nil }
        let dictionary = Thread.current.threadDictionary
        let call = Call(object: ObjectIdentifier(object), key: key)
        var open = dictionary[name] as? Set<Call> ?? []
        guard open.insert(call).inserted else { return nil }
        dictionary[name] = open
        defer {
            open.remove(call)
            dictionary[name] = open
        }
        return .some((object as Any)[keyPath: path].flatMap(PropertyValue.unwrapped))
    }

    private static func path(_ key: String, _ type: NSManagedObject.Type) -> AnyKeyPath? {
        let getters = getters
        guard !getters.isEmpty else { return nil }
        var type: AnyClass? = type
        while let current = type, current != NSManagedObject.self {
            if let path = getters[ObjectIdentifier(current)]?[key] { return path }
            type = _getSuperclass(current)
        }
        return nil
    }
}
