import Synchronization

/// One entity of a model: a kind of object, its properties, and its place in the inheritance.
///
/// Unchecked sendable: mutable only until its model is used by a coordinator, see `ModelFreeze`.
open class NSEntityDescription: NSObject, NSCopying, @unchecked Sendable {
    let freeze = ModelFreeze()
    /// The model that the entity belongs to.
    open internal(set) weak var managedObjectModel: NSManagedObjectModel!

    /// The entity's name.
    open var name: String? { willSet { freeze.requireMutable() } }
    /// The name of the class of its objects, `NSManagedObject` unless said otherwise.
    open var managedObjectClassName: String! = "NSManagedObject" { willSet { freeze.requireMutable() } }
    /// Whether only subentities have objects.
    open var isAbstract = false { willSet { freeze.requireMutable() } }
    /// The entity that this one inherits from.
    open internal(set) weak var superentity: NSEntityDescription?
    /// The entities that inherit from this one directly.
    open var subentities: [NSEntityDescription] = [] {
        willSet { freeze.requireMutable() }
        didSet {
            for entity in oldValue where entity.superentity === self { entity.superentity = nil }
            for entity in subentities { entity.superentity = self }
        }
    }
    /// The direct subentities by name.
    open var subentitiesByName: [String: NSEntityDescription] {
        Dictionary(subentities.map { ($0.name ?? "", $0) }) { first, _ in first }
    }

    /// The properties that the entity declares itself; inherited ones are not in it.
    package var ownProperties: [NSPropertyDescription] = [] {
        willSet { freeze.requireMutable() }
        didSet { for property in ownProperties { property.entity = self } }
    }
    /// All properties, inherited ones first; setting it sets the entity's own.
    open var properties: [NSPropertyDescription] {
        get { layoutIfFrozen?.properties ?? (superentity?.properties ?? []) + ownProperties }
        set {
            let inherited = Set((superentity?.properties ?? []).map(ObjectIdentifier.init))
            ownProperties = newValue.filter { !inherited.contains(ObjectIdentifier($0)) }
        }
    }

    /// The entity's own indexes.
    open var indexes: [NSFetchIndexDescription] = [] {
        willSet { freeze.requireMutable() }
        didSet { for index in indexes { index.entity = self } }
    }
    /// Combinations of properties of which no two objects may have equal values: names or descriptions.
    open var uniquenessConstraints: [[Any]] = [] { willSet { freeze.requireMutable() } }
    /// Indexes over several properties, in models of before 2017.
    open var compoundIndexes: [[Any]] = [] { willSet { freeze.requireMutable() } }
    /// The app's own notes. They may be changed while the model is in use, as CoreDataPlus does with those of a fetched
    /// property (https://github.com/alemar11/CoreDataPlus, ProgrammaticallyDefinedModel_Tests.swift).
    open var userInfo: [AnyHashable: Any]? {
        get { notesLock.withLock { ownUserInfo } }
        set { notesLock.withLock { ownUserInfo = newValue } }
    }
    private var ownUserInfo: [AnyHashable: Any]?
    private let notesLock = PlainLock()
    /// Makes the version hash differ where the description does not.
    open var versionHashModifier: String? { willSet { freeze.requireMutable() } }
    /// The name in the model version before, for migration; its own name where none is set.
    open var renamingIdentifier: String? {
        get { ownRenamingIdentifier ?? name }
        set {
            freeze.requireMutable()
            ownRenamingIdentifier = newValue
        }
    }
    var ownRenamingIdentifier: String?
    /// Kept for source compatibility; nothing reads it.
    open var coreSpotlightDisplayNameExpression: Predicates.NSExpression? {
        willSet { freeze.requireMutable() }
        didSet { notes.spotlightText = nil }
    }
    /// What a model file says beyond that.
    var notes = EntityNotes()

    /// The slots of the entity's objects; there once the model is in use.
    var layoutIfFrozen: EntityLayout?

    /// Makes an entity without a name.
    public override init() { super.init() }

    open override var description: String { "NSEntityDescription \(name ?? "?")" }

    /// A copy that can be changed and belongs to no model, with copies of the entity's own properties and indexes.
    ///
    /// It has no superentity and no subentities; its relationships lead where the original's do. Copy the model to
    /// get all entities with each other.
    open func copy(with zone: NSZone? = nil) -> Any {
        var copier = ModelCopier()
        let copy = copier.add(self)
        copier.link([self], keepingStrangers: true)
        return copy
    }

    /// Entities are equal when all that is said of them is: names, properties, indexes, constraints, parent.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSEntityDescription else { return false }
        return self === other || (name == other.name && ModelDescriber.areEqual(self, other))
    }

    open override var hash: Int { name.hashValue }

    /// An entity without properties in a model of its own, for objects and IDs that belong to no model.
    static func alone(named name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        let model = NSManagedObjectModel()
        model.entities = [entity]
        model.freezeForUse()
        // A model that ends takes the layouts of its entities along.
        loneModels.withLock { $0.append(model) }
        return entity
    }

    private static let loneModels = Mutex<[NSManagedObjectModel]>([])

    /// What distinguishes versions of the entity: 32 bytes, made of its name, its ancestors, whether it is
    /// abstract, its properties with inherited ones, its uniqueness constraints and its hash modifier.
    ///
    /// A store keeps the hashes of the model that wrote it; a model opens it where they are equal. They are not
    /// the bytes that Apple's framework makes, which are not known.
    open var versionHash: Data { makeVersionHash() }

    // MARK: Looking up

    /// The properties by name, inherited ones too.
    open var propertiesByName: [String: NSPropertyDescription] {
        Dictionary(properties.map { ($0.name, $0) }) { _, last in last }
    }

    /// The attributes by name, inherited ones too.
    open var attributesByName: [String: NSAttributeDescription] {
        propertiesByName.compactMapValues { $0 as? NSAttributeDescription }
    }

    /// The relationships by name, inherited ones too.
    open var relationshipsByName: [String: NSRelationshipDescription] {
        propertiesByName.compactMapValues { $0 as? NSRelationshipDescription }
    }

    /// The relationships that lead to an entity.
    open func relationships(forDestination entity: NSEntityDescription) -> [NSRelationshipDescription] {
        properties.compactMap { $0 as? NSRelationshipDescription }.filter { $0.destinationEntity === entity }
    }

    /// Whether the entity is another one or inherits from it.
    open func isKindOf(entity: NSEntityDescription) -> Bool {
        var candidate: NSEntityDescription? = self
        while let current = candidate {
            if current === entity { return true }
            candidate = current.superentity
        }
        return false
    }

    /// The entity at the root of the inheritance: the one whose table holds the objects.
    package var root: NSEntityDescription {
        var entity = self
        while let parent = entity.superentity { entity = parent }
        return entity
    }

    /// The entity and all that inherit from it, parents first.
    package var withDescendants: [NSEntityDescription] { [self] + subentities.flatMap(\.withDescendants) }

    /// The entity of a name in the context's model, or nil.
    open class func entity(
        forEntityName entityName: String, in context: NSManagedObjectContext
    ) -> NSEntityDescription? {
        context.coordinatorOfChain?.managedObjectModel.entitiesByName[entityName]
    }

    /// Makes an object of an entity in a context.
    ///
    /// An entity that the model lacks stops the program, as it does on Apple's platforms; look with
    /// ``entity(forEntityName:in:)`` first where the name is data.
    open class func insertNewObject(
        forEntityName entityName: String, into context: NSManagedObjectContext
    ) -> NSManagedObject {
        guard let entity = entity(forEntityName: entityName, in: context) else {
            fatalError("The model has no entity '\(entityName)'.")
        }
        return context.makeObject(entity: entity)
    }
}
