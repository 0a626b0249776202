/// A model: the entities of a database, their configurations and their stored fetch requests.
///
/// Unchecked sendable: mutable only until a coordinator uses it, see `ModelFreeze`; freezing is done once, under
/// a lock.
open class NSManagedObjectModel: NSObject, NSCopying, @unchecked Sendable {
    let freeze = ModelFreeze()
    private let freezing = NSLock()

    /// The entities, in the order in which they were set.
    open var entities: [NSEntityDescription] = [] {
        willSet { freeze.requireMutable() }
        didSet { for entity in entities { entity.managedObjectModel = self } }
    }
    /// The entities by name.
    open var entitiesByName: [String: NSEntityDescription] {
        if freeze.isFrozen { return frozenByName }
        return Dictionary(entities.map { ($0.name ?? "", $0) }) { first, _ in first }
    }
    private var frozenByName: [String: NSEntityDescription] = [:]
    /// The entities by number; there once the model is frozen.
    private(set) var entitiesByNumber: [Int: NSEntityDescription] = [:]

    /// The members of each named configuration.
    var entitiesByConfiguration: [String: [NSEntityDescription]] = [:] { willSet { freeze.requireMutable() } }
    /// The names of the configurations.
    open var configurations: [String] { Array(entitiesByConfiguration.keys) }

    /// The entities of a configuration, all of them for nil.
    open func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
        guard let configuration, configuration != "PF_DEFAULT_CONFIGURATION_NAME" else { return entities }
        return entitiesByConfiguration[configuration]
    }

    /// Sets the entities of a configuration.
    open func setEntities(_ entities: [NSEntityDescription], forConfigurationName configuration: String) {
        entitiesByConfiguration[configuration] = entities
    }

    /// The identifiers that the developer gave the model's version.
    open var versionIdentifiers: Set<AnyHashable> = []
    /// Translations of names, for validation errors.
    open var localizationDictionary: [String: String]?
    /// The stored fetch requests by name.
    open var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] = [:] {
        willSet { freeze.requireMutable() }
    }
    /// The stored fetch request of a name; nil where there is none. Change a copy, not the template itself.
    open func fetchRequestTemplate(forName name: String) -> NSFetchRequest<any NSFetchRequestResult>? {
        fetchRequestTemplatesByName[name]
    }

    /// Stores a fetch request under a name, or removes it.
    open func setFetchRequestTemplate(
        _ fetchRequestTemplate: NSFetchRequest<any NSFetchRequestResult>?, forName name: String
    ) {
        fetchRequestTemplatesByName[name] = fetchRequestTemplate
    }

    /// A copy of a stored fetch request with values in the places of its predicate's `$VARIABLES`.
    ///
    /// - Returns: nil where there is no such template.
    open func fetchRequestFromTemplate(
        withName name: String, substitutionVariables variables: [String: Any]
    ) -> NSFetchRequest<any NSFetchRequestResult>? { filledTemplate(name, variables) }

    /// The hash of each entity.
    open var entityVersionHashesByName: [String: Data] {
        Dictionary(entities.map { ($0.name ?? "", $0.versionHash) }) { first, _ in first }
    }

    /// One text that distinguishes versions of the model: the SHA-256 of the entities' hashes.
    open var versionChecksum: String { VersionHashes(entityVersionHashesByName).checksum }

    /// Whether a store with the metadata can be opened with the entities of a configuration.
    ///
    /// For a store that Apple's framework wrote the hashes say nothing here, so only the names of the entities
    /// are compared; adding the store looks at its tables and at the model in it.
    open func isConfiguration(
        withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]
    ) -> Bool { isCompatible(configuration, with: metadata) }

    /// The models of bundles as one, the current versions.
    ///
    /// - Parameter bundles: where to look; nil means the program: its bundle and the models compiled into it.
    /// - Returns: nil where there is no model, one cannot be read, or two contradict each other; ``CoreDataLog``
    ///   has the reason.
    open class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? { merged(from: bundles) }

    /// The models of bundles as one, in the versions that a store was written with, old ones too.
    open class func mergedModel(
        from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
    ) -> NSManagedObjectModel? { merged(from: bundles, forStoreMetadata: metadata) }

    /// What a model file says beyond that.
    var notes = ModelNotes()

    /// Makes a model without entities.
    public override init() { super.init() }

    /// A model that says the same, with copies of everything, and can be changed even if this one is in use.
    open func copy(with zone: NSZone? = nil) -> Any { ModelCopier.copy(of: self) }

    /// Models are equal when their entities, configurations, templates and version identifiers are, in any order.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSManagedObjectModel else { return false }
        return self === other || ModelDescriber.areEqual(self, other)
    }

    open override var hash: Int { Set(entities.map { $0.name ?? "" }).hashValue }

    deinit {
        // Layouts keep their entities, for IDs that outlive the model.
        for entity in entities { entity.layoutIfFrozen = nil }
    }

    /// Ends the model's mutable life: gives entities numbers and slots. May be called again.
    package func freezeForUse() {
        freezing.withLock {
            guard !freeze.isFrozen else { return }
            // Composite elements and defaults are read by the layouts, so they come first.
            for entity in entities {
                for case let attribute as NSAttributeDescription in entity.ownProperties {
                    attribute.prepareDefault()
                }
            }
            let roots = entities.filter { $0.superentity == nil }
            var number = 0
            for root in roots.sorted(by: Self.precedes) {
                assignNumbers(root, &number, rootNumber: number + 1)
            }
            frozenByName = Dictionary(entities.map { ($0.name ?? "", $0) }) { first, _ in first }
            for entity in entities {
                entity.freeze.freeze()
                for property in entity.ownProperties { property.freeze.freeze() }
            }
            freeze.freeze()
        }
    }

    private func assignNumbers(_ entity: NSEntityDescription, _ number: inout Int, rootNumber: Int) {
        number += 1
        let own = number
        // Numbers are given depth first, so that a family's are one range.
        let family = Set(own..<own + entity.withDescendants.count)
        entity.layoutIfFrozen = EntityLayout(
            entity: entity, number: own, rootNumber: rootNumber, family: family)
        entitiesByNumber[own] = entity
        for child in entity.subentities.sorted(by: Self.precedes) {
            assignNumbers(child, &number, rootNumber: rootNumber)
        }
    }

    /// Siblings are numbered by name without regard to case.
    private static func precedes(_ first: NSEntityDescription, _ second: NSEntityDescription) -> Bool {
        let (left, right) = (first.name ?? "", second.name ?? "")
        let (foldedLeft, foldedRight) = (left.uppercased(), right.uppercased())
        return foldedLeft == foldedRight ? left < right : foldedLeft < foldedRight
    }
}
