import Synchronization

/// Finds the key that a Swift key path stands for, by following it and seeing what is asked for.
///
/// Without Objective-C a key path does not know the name of its property. An object that notes which key it was asked
/// for does: generated accessors ask by key.
enum KeyPathProbe {
    /// The keys that each probe was asked for, by its identity.
    private static let records = Mutex<[ObjectIdentifier: [String]]>([:])

    /// The key path of a sort descriptor as text; nil where it reads no property.
    static func key(of descriptor: NSSortDescriptor, entity: NSEntityDescription) -> String? {
        Optional(descriptor.keyPath).flatMap { $0 }.flatMap { key(of: $0, entity: entity) }
    }

    /// The key path as text; nil where it reads no property.
    static func key(of keyPath: AnyKeyPath, entity: NSEntityDescription) -> String? {
        if let known = generated(keyPath) { return known }
        let probe = make(entity)
        probe.probeRoot = probe
        _ = probe[keyPath: keyPath]
        let keys = records.withLock { $0.removeValue(forKey: ObjectIdentifier(probe)) } ?? []
        return keys.isEmpty ? nil : keys.joined(separator: ".")
    }

    /// The key path as text where generated code knows it.
    static func generated(_ keyPath: AnyKeyPath) -> String? {
        BundledModels.classes.lazy.compactMap { $0.keyPaths[keyPath] }.first
    }

    private static func make(_ entity: NSEntityDescription) -> NSManagedObject {
        let object = ObjectBirth.make(
            entity.layout.objectClass, layout: entity.layout, objectID: .temporary(entity), isFault: false)
        object.marks.insert(.probe)
        return object
    }

    /// Notes that a probe was asked for a key.
    static func note(_ key: String, _ object: NSManagedObject) {
        let root = ObjectIdentifier(object.probeRoot)
        records.withLock { $0[root, default: []].append(key) }
    }

    /// A probe for what a to-one relationship of a probe leads to.
    static func next(_ object: NSManagedObject, _ slot: Int) -> NSManagedObject? {
        guard let destination = object.layout.relationshipDescriptions[slot]?.destinationEntity else {
            return nil
        }
        let next = make(destination)
        next.probeRoot = object.probeRoot
        return next
    }
}

extension NSManagedObject {
    /// The probe at the start of the key path; kept in the only place that a probe does not use.
    fileprivate var probeRoot: NSManagedObject {
        get { if case .one(let root?)? = savedMany[-1] { root } else { self } }
        set { if newValue !== self { savedMany[-1] = .one(newValue) } }
    }
}
