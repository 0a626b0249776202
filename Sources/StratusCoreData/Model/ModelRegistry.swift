import Synchronization

/// Which class belongs to which entity, in the models that coordinators use.
///
/// Code asks a class for its entity (`Course.fetchRequest()`, `Course(context:)`) without naming a model.
enum ModelRegistry {
    private struct State {
        var classes: [String: NSManagedObject.Type] = [:]
        /// The entities of each class, those of the newest model last; models come and go.
        var entities: [ObjectIdentifier: [WeakEntity]] = [:]
        /// Stands for the entities of classes that have none.
        var lone: [ObjectIdentifier: NSEntityDescription] = [:]
        /// Names without a class that the log has already.
        var reportedNames: Set<String> = []
    }

    private struct WeakEntity {
        weak var entity: NSEntityDescription?
    }

    private static let state = Mutex(State())

    /// Remembers the classes of a model that a coordinator uses.
    static func register(_ model: NSManagedObjectModel) {
        for entity in model.entities {
            let type = objectClass(of: entity)
            guard type != NSManagedObject.self else {
                reportMissingClass(of: entity)
                continue
            }
            let weak = WeakEntity(entity: entity)
            state.withLock { state in
                var known = state.entities[ObjectIdentifier(type)] ?? []
                known.removeAll { $0.entity == nil || $0.entity === entity }
                state.entities[ObjectIdentifier(type)] = known + [weak]
            }
        }
    }

    /// Says that a name in a model means a class; done by generated code, and by hand for classes that the run
    /// time cannot find by name.
    static func register(_ type: NSManagedObject.Type, named name: String) {
        state.withLock { $0.classes[name] = type }
    }

    /// Says once for each name that a class was not found: without it an app's overrides would just never run.
    private static func reportMissingClass(of entity: NSEntityDescription) {
        guard let name = entity.managedObjectClassName, !name.isEmpty,
            !name.hasSuffix("NSManagedObject")
        else { return }
        guard state.withLock({ $0.reportedNames.insert(name).inserted }) else { return }
        CoreDataLog.report(
            """
            There is no class '\(name)', which the entity '\(entity.name ?? "")' names: its objects are plain \
            NSManagedObjects, and no code of the class runs. Add the plugin ManagedObjectGenerator to the target \
            that declares the class, write 'Module.Class' as the entity's class, or call \
            setManagedObjectClass(_:) of the entity.
            """)
    }

    /// The class of an entity's objects.
    static func objectClass(of entity: NSEntityDescription) -> NSManagedObject.Type {
        let name = entity.managedObjectClassName ?? "NSManagedObject"
        if name == "NSManagedObject" || name.isEmpty { return NSManagedObject.self }
        if let known = state.withLock({ $0.classes[name] }) { return known }
        let found = find(name)
        state.withLock { $0.classes[name] = found }
        return found
    }

    /// The entity of a class in the last model that was put to use.
    static func entity(for type: NSManagedObject.Type) -> NSEntityDescription? {
        state.withLock { $0.entities[ObjectIdentifier(type)]?.last { $0.entity != nil }?.entity }
    }

    /// The entity, in no model, of a class that no model in use has an entity of: one for each class.
    static func lone(for type: NSManagedObject.Type) -> NSEntityDescription {
        if let known = state.withLock({ $0.lone[ObjectIdentifier(type)] }) { return known }
        CoreDataLog.report(
            "No model in use has an entity for the class \(type). Load the persistent container before \(type).entity() is called."
        )
        let entity = NSEntityDescription.alone(named: String(describing: type))
        return state.withLock { state in
            let first = state.lone[ObjectIdentifier(type)] ?? entity
            state.lone[ObjectIdentifier(type)] = first
            return first
        }
    }

    /// The name of a class's entity; the name of the class where no model says.
    static func entityName(for type: NSManagedObject.Type) -> String {
        entity(for: type)?.name ?? String(describing: type)
    }

    /// The class of a name: `Module.Class`, or `Class` in the module of the program.
    private static func find(_ name: String) -> NSManagedObject.Type {
        let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        let bare = name.split(separator: ".").last.map(String.init) ?? name
        // Generated code knows its classes. `.Foo` and `Foo` are of whichever module has one.
        let modules = BundledModels.classes
        let module = parts.count == 2 ? parts[0] : ""
        if let own = modules.first(where: { $0.moduleName == module }), let type = own.classes[bare] {
            return type
        }
        // A module that is named has the last word: another one may have a class of the same name.
        if !module.isEmpty, let type = type(named: name) { return type }
        if let type = modules.lazy.compactMap({ $0.classes[bare] }).first { return type }
        var candidates = ["\(ProcessInfo.processInfo.processName).\(bare)"]
        if let module = String(reflecting: NSManagedObject.self).split(separator: ".").first {
            candidates.insert("\(module).\(bare)", at: 0)
        }
        return candidates.lazy.compactMap(type(named:)).first ?? NSManagedObject.self
    }

    /// The class of a name `Module.Class`, by its mangled name.
    private static func type(named name: String) -> NSManagedObject.Type? {
        let parts = name.split(separator: ".").map(String.init)
        guard parts.count == 2 else { return nil }
        let mangled = parts.map { "\($0.utf8.count)\($0)" }.joined() + "C"
        return _typeByName(mangled) as? NSManagedObject.Type
    }
}

extension NSEntityDescription {
    /// Says which class the entity's objects have, for classes that cannot be found by name: nested ones, and those
    /// of a module that is not the program's.
    public func setManagedObjectClass(_ type: NSManagedObject.Type) {
        let name = String(reflecting: type)
        managedObjectClassName = name
        ModelRegistry.register(type, named: name)
    }
}
