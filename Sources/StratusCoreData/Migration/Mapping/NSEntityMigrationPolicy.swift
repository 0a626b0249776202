import Synchronization

/// Customises how one entity mapping is done: a subclass overrides what differs.
///
/// The manager calls for each entity mapping, in three passes over all of them: ``begin(_:with:)``,
/// ``createDestinationInstances(forSource:in:manager:)`` for each source object and
/// ``endInstanceCreation(forMapping:manager:)``; then ``createRelationships(forDestination:in:manager:)`` for each new
/// object and ``endRelationshipCreation(forMapping:manager:)``; then ``performCustomValidation(forMapping:manager:)`` and
/// ``end(_:manager:)``.
open class NSEntityMigrationPolicy: NSObject {
    /// Makes a policy; the manager does.
    public override init() { super.init() }

    /// What ``MigrationPolicyMaking`` calls, for a class that is known at run time only.
    @_silgen_name("stratus_policy_init")
    convenience init(_made unused: Void) { self.init() }

    /// Before the first object of the mapping.
    ///
    /// - Throws: never unless overridden; what an override throws ends the migration, and the store stays as it was.
    open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

    /// Makes the new object of an older one, sets its attributes, and associates the two.
    ///
    /// - Throws: `CocoaError` with code 134110 where an expression cannot be evaluated.
    open func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        guard mapping.mappingType != .removeEntityMappingType,
            let entity = manager.destinationEntity(for: mapping)
        else { return }
        let object = NSManagedObject.make(entity, in: manager.destinationContext)
        try manager.apply(mapping.attributeMappings ?? [], to: object, source: sInstance, mapping, self)
        manager.associate(sourceInstance: sInstance, withDestinationInstance: object, for: mapping)
    }

    /// After the last object of the mapping was made.
    ///
    /// - Throws: never unless overridden; what an override throws ends the migration, and the store stays as it was.
    open func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Sets the relationships of a new object.
    ///
    /// - Throws: `CocoaError` with code 134110 where an expression cannot be evaluated.
    open func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        let source = manager.sourceInstances(
            forEntityMappingName: mapping.name, destinationInstances: [dInstance]
        ).first
        try manager.apply(mapping.relationshipMappings ?? [], to: dInstance, source: source, mapping, self)
    }

    /// After the last object got its relationships.
    ///
    /// - Throws: never unless overridden; what an override throws ends the migration, and the store stays as it was.
    open func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws
    {}

    /// After everything is in place.
    ///
    /// - Throws: never unless overridden; what an override throws ends the migration, and the store stays as it was.
    open func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws
    {}

    /// After everything.
    ///
    /// - Throws: never unless overridden; what an override throws ends the migration, and the store stays as it was.
    open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// What `FUNCTION($entityPolicy, "selector:", …)` gives in an expression.
    ///
    /// Swift on Linux finds no method by its selector, so a policy that is called from expressions overrides this.
    /// - Throws: `CocoaError` with code 134170 unless overridden.
    open func value(forSelector selector: String, arguments: [Any?]) throws -> Any? {
        throw CoreDataError(
            134170, "The migration policy \(type(of: self)) does not know '\(selector)'.",
            remedy: "Override value(forSelector:arguments:) in the policy."
        ).cocoa
    }

    // MARK: Finding

    private static let registered = Mutex<[String: NSEntityMigrationPolicy.Type]>([:])

    /// Makes a policy known under the name that mappings call it, where the run time cannot find it by that name.
    public static func register(_ policy: NSEntityMigrationPolicy.Type, named name: String) {
        registered.withLock { $0[name] = policy }
    }

    /// - Throws: `CocoaError` with code 134170 where there is no such class.
    static func make(named name: String?) throws -> NSEntityMigrationPolicy {
        guard let name, !name.isEmpty, name != "NSEntityMigrationPolicy" else {
            return NSEntityMigrationPolicy()
        }
        if let known = registered.withLock({ $0[name] }) { return known.make() }
        let parts = name.split(separator: ".").map(String.init)
        let modules = parts.count == 2 ? [parts[0]] : [ProcessInfo.processInfo.processName]
        for module in modules {
            let mangled = [module, parts.last ?? name].map { "\($0.utf8.count)\($0)" }.joined() + "C"
            if let type = _typeByName(mangled) as? NSEntityMigrationPolicy.Type { return type.make() }
        }
        throw CoreDataError(
            134170, "There is no migration policy class '\(name)'.",
            remedy: "Call NSEntityMigrationPolicy.register(_:named:) before the migration."
        ).cocoa
    }
}

extension NSManagedObject {
    /// A new object of the class that the entity names.
    static func make(_ entity: NSEntityDescription, in context: NSManagedObjectContext) -> NSManagedObject {
        context.makeObject(entity: entity)
    }
}
