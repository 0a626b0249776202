/// Migrates a store by a mapping model, object by object, in three passes: objects, relationships, validation.
///
/// Both versions' objects are `NSManagedObject`s, whatever classes their entities name, as Apple's guide says (Core Data
/// Model Versioning and Data Migration, 'The Migration Process'): a class fits one version of the model at most, so no
/// accessor, `awakeFromInsert()` or `willSave()` of it runs. Policies read and set values by key.
///
/// Used on one thread. All new objects are in memory until they are saved at the end; where a mapping was inferred,
/// the store does it in SQL instead (``usesStoreSpecificMigrationManager``).
open class NSMigrationManager: NSObject {
    /// The model of the objects that there are. While a mapping is done it is a copy of the model that was given, whose
    /// objects are of no class of the app's.
    open internal(set) var sourceModel: NSManagedObjectModel
    /// The model of the objects that are made; a copy as ``sourceModel`` is.
    open internal(set) var destinationModel: NSManagedObjectModel
    /// The mapping that is done; nil before and after.
    open private(set) var mappingModel: NSMappingModel!
    /// Where the older objects are.
    open private(set) var sourceContext = NSManagedObjectContext(.privateQueue)
    /// Where the newer objects are.
    open private(set) var destinationContext = NSManagedObjectContext(.privateQueue)
    /// The mapping that is being done.
    open internal(set) var currentEntityMapping: NSEntityMapping!
    /// How far it is, from 0 to 1.
    open internal(set) var migrationProgress: Float = 0
    /// Anything that policies share.
    open var userInfo: [AnyHashable: Any]?
    /// Whether an inferred mapping of a SQLite store is done in SQL. True unless said otherwise.
    open var usesStoreSpecificMigrationManager = true

    private var cancelling: (any Error)?
    private var associations: [String: Associations] = [:]

    /// Which objects came from which, in one mapping.
    private struct Associations {
        var destinations: [NSManagedObjectID: [NSManagedObject]] = [:]
        var sources: [ObjectIdentifier: [NSManagedObject]] = [:]
        var all: [NSManagedObject] = []
    }

    /// Makes a manager for a pair of versions.
    public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
        self.sourceModel = sourceModel
        self.destinationModel = destinationModel
        super.init()
    }

    /// Ends the migration with an error, at the next object.
    open func cancelMigrationWithError(_ error: any Error) { cancelling = error }

    /// Forgets everything of a migration.
    open func reset() {
        associations = [:]
        cancelling = nil
        migrationProgress = 0
        currentEntityMapping = nil
        sourceContext = NSManagedObjectContext(.privateQueue)
        destinationContext = NSManagedObjectContext(.privateQueue)
    }

    // MARK: Migrating

    /// Makes a new store out of an older one, which stays as it is.
    ///
    /// - Throws: `CocoaError`: 134120 or the error of ``cancelMigrationWithError(_:)`` where it was cancelled, 134150 and
    ///   134160 where a store cannot be opened or saved, 134110 for an expression that cannot be evaluated, 134170 for a
    ///   policy, and what policies throw.
    open func migrateStore(
        from sourceURL: URL, type sourceType: NSPersistentStore.StoreType,
        options sourceOptions: [AnyHashable: Any]? = nil,
        mapping: NSMappingModel, to destinationURL: URL, type destinationType: NSPersistentStore.StoreType,
        options destinationOptions: [AnyHashable: Any]? = nil
    ) throws {
        reset()
        mappingModel = mapping
        defer { mappingModel = nil }
        if usesStoreSpecificMigrationManager, mapping.isAsInferred, sourceType == .sqlite,
            destinationType == .sqlite
        {
            return try migrateInSQL(sourceURL, to: destinationURL)
        }
        let given = (source: sourceModel, destination: destinationModel)
        sourceModel = Self.plain(given.source)
        destinationModel = Self.plain(given.destination)
        defer { (sourceModel, destinationModel) = given }
        var readOnly = sourceOptions ?? [:]
        readOnly[NSReadOnlyPersistentStoreOption] = NSNumber(value: true)
        let source = try open(sourceModel, sourceURL, sourceType, readOnly, 134150)
        let destination = try open(
            destinationModel, destinationURL, destinationType, destinationOptions ?? [:], 134160)
        defer {
            sourceContext.runAndWait { sourceContext.reset() }
            destinationContext.runAndWait { destinationContext.reset() }
            for coordinator in [source, destination] {
                // What was written is saved already, and a store is closed with its coordinator at the latest.
                for store in coordinator.persistentStores { try? coordinator.remove(store) }
            }
        }
        sourceContext.persistentStoreCoordinator = source
        destinationContext.persistentStoreCoordinator = destination
        try sourceContext.runAndWait { try destinationContext.runAndWait { try run(mapping) } }
    }

    /// The older spelling.
    ///
    /// - Throws: what the newer spelling throws.
    open func migrateStore(
        from sourceURL: URL, sourceType sStoreType: String, options sOptions: [AnyHashable: Any]? = nil,
        with mappings: NSMappingModel?, toDestinationURL dURL: URL, destinationType dStoreType: String,
        destinationOptions dOptions: [AnyHashable: Any]? = nil
    ) throws {
        guard let mappings else {
            throw CoreDataError(
                134140, "There is no mapping model.", remedy: "Infer one, or make it in code."
            ).cocoa
        }
        try migrateStore(
            from: sourceURL, type: .init(rawValue: sStoreType), options: sOptions, mapping: mappings,
            to: dURL,
            type: .init(rawValue: dStoreType), options: dOptions)
    }

    /// The model with objects of no class of the app's.
    private static func plain(_ model: NSManagedObjectModel) -> NSManagedObjectModel {
        guard let copy = model.copy() as? NSManagedObjectModel else { return model }
        for entity in copy.entities { entity.managedObjectClassName = "NSManagedObject" }
        return copy
    }

    private func open(
        _ model: NSManagedObjectModel, _ url: URL, _ type: NSPersistentStore.StoreType,
        _ options: [AnyHashable: Any],
        _ code: Int
    ) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        do {
            try coordinator.addPersistentStore(type: type, configuration: nil, at: url, options: options)
        } catch {
            let which = code == 134150 ? "source" : "destination"
            throw CoreDataError(code, "The \(which) store at \(url.path) cannot be opened.", cause: error)
                .cocoa
        }
        return coordinator
    }

    private func migrateInSQL(_ source: URL, to destination: URL) throws {
        try SQLiteStoreClass.required().copyMigrating(
            from: source, to: destination, models: [sourceModel, destinationModel],
            versions: MigrationModels.all()
        ) { [self] progress in
            migrationProgress = Float(progress.fraction)
            if let cancelling { throw cancelling }
        }
    }

    // MARK: Three passes

    private func run(_ mapping: NSMappingModel) throws {
        let steps = try (mapping.entityMappings ?? []).map { entity in
            (
                mapping: entity,
                policy: try NSEntityMigrationPolicy.make(named: entity.entityMigrationPolicyClassName)
            )
        }
        let share = 1 / Float(max(1, steps.count * 3))
        func pass(_ work: (NSEntityMapping, NSEntityMigrationPolicy) throws -> Void) throws {
            for step in steps {
                currentEntityMapping = step.mapping
                try work(step.mapping, step.policy)
                migrationProgress = min(1, migrationProgress + share)
            }
        }
        try pass { mapping, policy in
            try policy.begin(mapping, with: self)
            for object in try sources(of: mapping) {
                try checkCancelled()
                try policy.createDestinationInstances(forSource: object, in: mapping, manager: self)
            }
            try policy.endInstanceCreation(forMapping: mapping, manager: self)
        }
        try pass { mapping, policy in
            for object in associations[mapping.name ?? ""]?.all ?? [] {
                try checkCancelled()
                try policy.createRelationships(forDestination: object, in: mapping, manager: self)
            }
            try policy.endRelationshipCreation(forMapping: mapping, manager: self)
        }
        try pass { mapping, policy in
            try checkCancelled()
            try policy.performCustomValidation(forMapping: mapping, manager: self)
            try policy.end(mapping, manager: self)
        }
        do {
            try destinationContext.save()
        } catch {
            throw CoreDataError(134160, "The migrated objects cannot be saved.", cause: error).cocoa
        }
        migrationProgress = 1
    }

    private func checkCancelled() throws { if let cancelling { throw cancelling } }

    private func sources(of mapping: NSEntityMapping) throws -> [NSManagedObject] {
        guard let name = mapping.sourceEntityName, mapping.mappingType != .addEntityMappingType else {
            return []
        }
        guard let expression = mapping.sourceExpression else { return try sources(named: name, nil) }
        var evaluation = MappingExpression(self, mapping, NSEntityMigrationPolicy(), nil)
        return MigrationObjects.all(try evaluation.value(expression.tree))
    }

    /// The objects of one entity; those of its subentities have mappings of their own.
    func sources(named name: String, _ predicate: NSPredicate?) throws -> [NSManagedObject] {
        guard let model = sourceContext.persistentStoreCoordinator?.managedObjectModel,
            model.entitiesByName[name] != nil
        else {
            throw CoreDataError.unknownEntity(name, known: sourceModel.entities.compactMap(\.name)).cocoa
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: name)
        request.includesSubentities = false
        request.predicate = predicate
        return try sourceContext.fetch(request)
    }

    /// Sets properties by their expressions.
    func apply(
        _ properties: [NSPropertyMapping], to object: NSManagedObject, source: NSManagedObject?,
        _ mapping: NSEntityMapping, _ policy: NSEntityMigrationPolicy
    ) throws {
        var evaluation = MappingExpression(self, mapping, policy, source)
        for property in properties {
            guard let name = property.name, let expression = property.valueExpression else { continue }
            guard let description = object.entity.propertiesByName[name] else {
                throw CoreDataError(
                    134110,
                    "The mapping '\(mapping.name ?? "")' sets '\(name)', which '\(object.entity.name ?? "")' does not have."
                ).cocoa
            }
            do {
                let value = try evaluation.value(expression.tree)
                object.setValue(Self.fitted(value, to: description), forKey: name)
            } catch let error as CocoaError {
                throw error
            } catch {
                throw CoreDataError(
                    134110,
                    "The value of '\(object.entity.name ?? "").\(name)' in the mapping '\(mapping.name ?? "")' cannot be computed: "
                        + "\(expression)", cause: error
                ).cocoa
            }
        }
    }

    /// What an expression gives, in the shape of the property: one object, or a set of them.
    private static func fitted(_ value: Any?, to property: NSPropertyDescription) -> Any? {
        guard let relationship = property as? NSRelationshipDescription else {
            return value is NSNull ? nil : value
        }
        let objects = MigrationObjects.all(value)
        guard relationship.isToMany else { return objects.first }
        return relationship.isOrdered ? NSOrderedSet(array: objects) : NSSet(array: objects)
    }

    // MARK: Who came from whom

    /// The entity of a mapping's source objects.
    open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.sourceEntityName.flatMap { sourceModel.entitiesByName[$0] }
    }

    /// The entity of a mapping's new objects.
    open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.destinationEntityName.flatMap { destinationModel.entitiesByName[$0] }
    }

    /// Remembers that a new object came from an older one.
    open func associate(
        sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject,
        for entityMapping: NSEntityMapping
    ) {
        let name = entityMapping.name ?? ""
        associations[name, default: Associations()].destinations[sourceInstance.objectID, default: []].append(
            destinationInstance)
        associations[name, default: Associations()].sources[
            ObjectIdentifier(destinationInstance), default: []
        ].append(sourceInstance)
        associations[name, default: Associations()].all.append(destinationInstance)
    }

    /// The new objects that a mapping made of older ones; all that it made for nil.
    open func destinationInstances(
        forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        guard let known = associations[mappingName] else { return [] }
        guard let sourceInstances else { return known.all }
        return sourceInstances.flatMap { known.destinations[$0.objectID] ?? [] }
    }

    /// The older objects that a mapping made new ones of; all of them for nil.
    open func sourceInstances(
        forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        guard let known = associations[mappingName] else { return [] }
        return (destinationInstances ?? known.all).flatMap { known.sources[ObjectIdentifier($0)] ?? [] }
    }

    /// The new objects that any mapping made of older ones, in their order.
    func destinationInstances(ofAnyMappingFor sources: [NSManagedObject]) -> [NSManagedObject] {
        let names = (mappingModel?.entityMappings ?? []).compactMap(\.name)
        return sources.flatMap { source in
            names.flatMap { associations[$0]?.destinations[source.objectID] ?? [] }
        }
    }
}
