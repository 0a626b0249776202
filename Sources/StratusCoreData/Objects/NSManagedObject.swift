/// An object of a model's entity, in a context.
///
/// Its values are read by ``value(forKey:)`` or by the accessors of a subclass. It is a fault until it is
/// first used; then its row is read. It belongs to its context's queue: use it inside the context's `perform` only.
open class NSManagedObject: NSObject {
    /// The slots of the entity.
    let layout: EntityLayout
    /// The identity under which the context knows the object.
    var identity: NSManagedObjectID
    /// The identity; becomes permanent when the object is saved, by this context or, for an object of a child
    /// context, by one of its ancestors.
    open var objectID: NSManagedObjectID { identity.isTemporary ? identity.current : identity }
    /// The context that the object belongs to; nil once it was deleted and saved, or the context is gone.
    open var managedObjectContext: NSManagedObjectContext? { registry?.context }

    /// The objects of the same context. Held instead of the context, which costs less and keeps nothing alive.
    private var registry: ObjectRegistry?
    /// Leaves the objects of one context for those of another one, or for none. For ``ObjectRegistry`` alone.
    func belong(to other: ObjectRegistry?) {
        guard other !== registry else { return }
        registry?.forget(self)
        registry = other
    }

    /// Where the object stands between its store and its context.
    var life = ObjectLife.outside
    /// What happened to it in the event that is under way.
    var event = EventMarks()
    /// What others have to remember of it.
    var marks: ObjectMarks = []
    /// The row that the object's values come from; nil for a fault without one, and a new object.
    var snapshot: Snapshot?
    /// The values by slot, once one was changed or the object is new; attributes only.
    var cells: [PropertyValue] = []
    /// What is known of relationships, from the first to-one slot on; empty while nothing is.
    var relations: [RelationState] = []
    /// The slots that were changed since the last save.
    var changedSlots: SlotSet = []
    /// Those of ``changedSlots`` that were changed by primitive setters alone.
    var primitiveSlots: SlotSet = []
    /// What changed slots held when changes were last processed.
    var eventOld: [Int: OldState] = [:]
    /// What changed to-many slots held at the last save, where they were known then.
    var savedMany: [Int: RelationState] = [:]

    /// Makes an object of an entity, in a context where one is given.
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        let birth = ObjectBirth.take(for: entity)
        layout = birth.layout
        identity = birth.objectID
        super.init()
        if birth.isFault {
            life = .fault
        } else {
            cells = layout.defaults
            context?.adopt(self)
        }
    }

    /// Whether another object belongs to another context.
    func isElsewhere(_ other: NSManagedObject) -> Bool {
        guard let registry, let others = other.registry else { return false }
        return registry !== others
    }

    deinit {
        registry?.forget(self)
        if marks.contains(.tracked) { IncrementalStoreHooks.forget([identity]) }
        if marks.contains(.watched) { forgetWatcher() }
    }

    /// Makes an object of the class's entity without a context, for test doubles; a class that no model in use has an
    /// entity for gets an object without properties, and the log says so. Apps use `init(context:)`.
    public convenience override init() {
        let known = ModelRegistry.entity(for: Self.self)
        if known == nil {
            CoreDataLog.report("init() of \(Self.self) found no entity for the class. Use init(context:).")
        }
        self.init(entity: known ?? .alone(named: String(describing: Self.self)), insertInto: nil)
    }

    /// What ``ManagedObjectMaking`` and contexts call, for a class that is known at run time only.
    @_silgen_name("stratus_object_init")
    convenience init(_madeOf entity: NSEntityDescription, in context: NSManagedObjectContext?) {
        self.init(entity: entity, insertInto: context)
    }

    /// The entity.
    open var entity: NSEntityDescription { layout.entity }

    // MARK: State

    /// Whether the object is new, and the next save will write it.
    open var isInserted: Bool { life.isInserted }
    /// Whether the object was saved before and has changed since.
    open var isUpdated: Bool { life.isUpdated && !life.isDeleted }
    /// Whether the next save will delete the object.
    open var isDeleted: Bool { life.isDeleted }
    /// Whether the object is new, changed or to be deleted.
    open var hasChanges: Bool { life.hasChanges }
    /// Whether the values have not been read yet. Asking does not read them.
    open var isFault: Bool { life.isFault }
    /// 0 when the values are there; another number for a fault. Asking does not read them.
    open var faultingState: Int { life.isFault ? 1 : 0 }
    /// Whether a stored value differs from what was saved last.
    open var hasPersistentChangedValues: Bool { isInserted || !storedChanges().isEmpty }
    /// Whether changes of properties that the model does not know leave the object unchanged; nothing notices such
    /// changes here, so it is true.
    open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

    /// The stored properties that were changed since the last save, with their new values; no value is `NSNull`.
    open func changedValues() -> [String: Any] { valuesChangedSinceSave() }

    /// What the properties that changed since changes were last processed held before.
    open func changedValuesForCurrentEvent() -> [String: Any] { valuesBeforeEvent() }

    /// The values of the last fetch or save; what has none is `NSNull`. Nil asks for all properties.
    open func committedValues(forKeys keys: [String]?) -> [String: Any] { savedValues(keys) }

    /// Whether a relationship has not been read yet.
    open func hasFault(forRelationshipNamed key: String) -> Bool { isUnread(key) }

    /// The IDs that a relationship leads to, without making objects of them.
    open func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] { destinationIDs(key) }

    /// The entity of the class, in the model of the last container that was loaded and uses the class.
    ///
    /// `NSManagedObject` itself is the class of no entity, and neither is a class whose model no coordinator uses yet. Their
    /// answer is an entity of no model with the name of the class, and ``CoreDataLog`` says so: layers ask any class for the
    /// name (`Self.entity().name ?? "\(Self.self)"`). Nothing can be inserted or fetched by it.
    open class func entity() -> NSEntityDescription {
        ModelRegistry.entity(for: self) ?? ModelRegistry.lone(for: self)
    }

    /// A request for the objects of the class's entity.
    ///
    /// Disfavoured, so that `Course.fetchRequest()` without a type is the generated one of the class.
    @_disfavoredOverload
    open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        NSFetchRequest(entityName: ModelRegistry.entityName(for: self))
    }

    // MARK: Life cycle, for subclasses to override.

    /// Called once in an object's life, when it was inserted. Set defaults with primitive values.
    open func awakeFromInsert() {}
    /// Called when the row was read. Changes made here are not noticed.
    open func awakeFromFetch() {}
    /// Called when undo, redo, a refresh, a rollback or a merge changed the values.
    open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}
    /// Called before a save writes the object, also for one to be deleted.
    open func willSave() {}
    /// Called after a save.
    open func didSave() {}
    /// Called before an object is deleted, while its relationships are still there.
    open func prepareForDeletion() {}
    /// Called before the values are forgotten.
    open func willTurnIntoFault() {}
    /// Called after the values were forgotten.
    open func didTurnIntoFault() {}

    // MARK: Observing values, for subclasses to override or call.

    /// Reads the row where the object is a fault.
    open func willAccessValue(forKey key: String?) {
        ConcurrencyCheck.check(self)
        fulfil()
    }
    /// The counterpart of ``willAccessValue(forKey:)``.
    open func didAccessValue(forKey key: String?) {}
    /// Says that a value is about to be changed by ``setPrimitiveValue(_:forKey:)``.
    open func willChangeValue(forKey key: String) {
        guard let slot = layout.slots[key] else { return }
        ConcurrencyCheck.check(self)
        noteChange(of: slot)
    }
    /// The counterpart of ``willChangeValue(forKey:)``.
    open func didChangeValue(forKey key: String) {}

    /// Says that the primitive value of a to-many relationship is about to be changed.
    ///
    /// Makes that change, and keeps the other side of the relationship: the set that ``primitiveValue(forKey:)`` gives
    /// is a copy here, so that accessors written by hand may change it, to no further effect.
    /// - Parameters:
    ///   - inKey: the relationship.
    ///   - inMutationKind: what is about to be done.
    ///   - inObjects: the objects that are added or taken away.
    open func willChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        willChangeValue(forKey: inKey)
        mutate(inKey, inMutationKind, inObjects.compactMap { $0.base as? NSManagedObject })
    }
    /// The counterpart of ``willChangeValue(forKey:withSetMutation:using:)``.
    open func didChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        didChangeValue(forKey: inKey)
    }
    /// What observers of Key-Value Observing keep with the object: nil, since Linux has no such observers.
    open func observationInfo() -> UnsafeMutableRawPointer? { nil }
    /// Called by Key-Value Observing on Apple's platforms; nothing calls it here.
    open func setObservationInfo(_ inObservationInfo: UnsafeMutableRawPointer?) {}

    /// The value for a key that the entity lacks. Override it for computed keys that predicates and section
    /// names use; by default it stops the program with the sentence of Apple's platforms.
    open func value(forUndefinedKey key: String) -> Any? {
        fatalError(
            "[<\(type(of: self))> valueForUndefinedKey:]: the entity \(entity.name ?? "?") is not key value "
                + "coding-compliant for the key \"\(key)\".")
    }

    /// Called where a value is set for a key that the entity lacks; stops the program unless overridden.
    open func setValue(_ value: Any?, forUndefinedKey key: String) {
        fatalError(
            "[<\(type(of: self))> setValue:forUndefinedKey:]: the entity \(entity.name ?? "?") is not key value "
                + "coding-compliant for the key \"\(key)\".")
    }

    /// Whether the class computes a value for a key that the entity lacks.
    open func offersUndefinedKey(_ key: String) -> Bool { false }

    // MARK: Key-Value Coding

    /// The value of a property, or of a key that the class computes.
    ///
    /// Numbers come as `NSNumber`, to-many relationships as `NSSet` or `NSOrderedSet`; `as?` converts.
    open func value(forKey key: String) -> Any? {
        guard let slot = codingSlot(key) else { return virtualValue(forKey: key) }
        if marks.contains(.probe) { KeyPathProbe.note(layout.properties[slot].name, self) }
        if layout.transients.contains(slot), !marks.contains(.probe),
            let computed = ComputedKeys.value(layout.properties[slot].name, of: self)
        {
            return computed
        }
        return anyValue(of: slot)
    }

    /// Sets the value of a property; the other side of a relationship follows.
    ///
    /// A value that the property cannot hold stops the program, as on Apple's platforms; ask
    /// `validateValue(_:forKey:)` first where the value is data.
    open func setValue(_ value: Any?, forKey key: String) {
        guard let slot = codingSlot(key) else { return setValue(value, forUndefinedKey: key) }
        setAnyValue(value, slot)
    }

    /// The value as it is stored in the object: no accessor, no notification. To-many relationships come as
    /// `NSMutableSet` or `NSMutableOrderedSet`; see ``willChangeValue(forKey:withSetMutation:using:)``.
    open func primitiveValue(forKey key: String) -> Any? {
        guard let slot = layout.slots[key] else { return value(forUndefinedKey: key) }
        let value = anyValue(of: slot)
        return layout.toManys.contains(slot) ? (value as? NSObject)?.mutableCopy() : value
    }

    /// Stores a value without noticing a change, and without keeping the other side of a relationship.
    open func setPrimitiveValue(_ value: Any?, forKey key: String) {
        guard let slot = layout.slots[key] else { return setValue(value, forUndefinedKey: key) }
        setPrimitive(value, slot)
    }

    /// The value at a key path, such as `course.title` or `lessons.@count`.
    open func value(forKeyPath keyPath: String) -> Any? {
        guard let path = ExpressionTree.path(keyPath) else { return nil }
        return try? path.anyValue(on: self)
    }

    /// Sets the value at the end of a key path.
    open func setValue(_ value: Any?, forKeyPath keyPath: String) { setAnyValue(value, atPath: keyPath) }

    /// Sets several values.
    open func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
    }

    /// The values of several keys; what has none is `NSNull`.
    open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }) { first, _ in first }
    }

    /// A to-many relationship as a set whose changes are changes of the object.
    open func mutableSetValue(forKey key: String) -> NSMutableSet { RelationshipSet.make(self, key) }

    /// An ordered to-many relationship as an ordered set whose changes are changes of the object.
    open func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
        RelationshipOrderedSet.make(self, key)
    }

    // MARK: Validation, for subclasses to override.

    /// Whether a value may be set; may replace it by one that may.
    ///
    /// - Throws: `CocoaError` with codes 1550 to 1690.
    open func validateValue(
        _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
    ) throws {
        try checkRules(of: value.cell, forKey: key)
    }
    /// Whether a new object may be saved. Call `super`.
    ///
    /// - Throws: `CocoaError` for the rule that is broken, or 1560 with the list of them.
    open func validateForInsert() throws { try validateProperties() }
    /// Whether a changed object may be saved. Call `super`.
    ///
    /// - Throws: `CocoaError` for the rule that is broken, or 1560 with the list of them.
    open func validateForUpdate() throws { try validateProperties() }
    /// Whether the object may be deleted. Call `super`.
    ///
    /// - Throws: `CocoaError` 1600 where a rule denies the deletion.
    open func validateForDelete() throws { try validateDeleteRules() }

    open override var description: String { debugText }
}

extension NSManagedObject: NSFetchRequestResult {}

/// Why an object's values changed other than by its setters.
public struct NSSnapshotEventType: OptionSet, Hashable, Sendable {
    /// Apple's number.
    public let rawValue: UInt
    /// Takes Apple's number.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// An insertion was undone.
    public static let undoInsertion = NSSnapshotEventType(rawValue: 2)
    /// A deletion was undone.
    public static let undoDeletion = NSSnapshotEventType(rawValue: 4)
    /// A change was undone.
    public static let undoUpdate = NSSnapshotEventType(rawValue: 8)
    /// The context was rolled back.
    public static let rollback = NSSnapshotEventType(rawValue: 16)
    /// The object was refreshed.
    public static let refresh = NSSnapshotEventType(rawValue: 32)
    /// A conflict was resolved.
    public static let mergePolicy = NSSnapshotEventType(rawValue: 64)
}
