/// How a save deals with changes that others saved meanwhile.
public enum NSMergePolicyType: UInt, Sendable {
    /// The save fails.
    case errorMergePolicyType = 0
    /// Property by property, the store's change wins.
    case mergeByPropertyStoreTrumpMergePolicyType = 1
    /// Property by property, the context's change wins.
    case mergeByPropertyObjectTrumpMergePolicyType = 2
    /// The context's object replaces the store's.
    case overwriteMergePolicyType = 3
    /// The context's changes of the object are dropped.
    case rollbackMergePolicyType = 4
}

/// The policy by which a context's save settles conflicts; subclass it for one of your own.
///
/// Unchecked sendable because the class is open, as Apple's is; nobody but the initializer sets its type.
open class NSMergePolicy: NSObject, @unchecked Sendable {
    /// What the policy does.
    open internal(set) var mergeType: NSMergePolicyType

    /// Makes a policy of a type.
    public init(merge type: NSMergePolicyType) { mergeType = type }

    /// Conflicts are errors.
    public static let error = NSMergePolicy(merge: .errorMergePolicyType)
    /// The store's changes win.
    public static let mergeByPropertyStoreTrump = NSMergePolicy(
        merge: .mergeByPropertyStoreTrumpMergePolicyType)
    /// The context's changes win.
    public static let mergeByPropertyObjectTrump = NSMergePolicy(
        merge: .mergeByPropertyObjectTrumpMergePolicyType)
    /// The context's objects win whole.
    public static let overwrite = NSMergePolicy(merge: .overwriteMergePolicyType)
    /// The store's objects win whole.
    public static let rollback = NSMergePolicy(merge: .rollbackMergePolicyType)

    /// Settles conflicts of both kinds. Throwing fails the save.
    ///
    /// - Throws: `CocoaError` 133020 or 133021 where the policy is ``NSMergePolicy/error``, or what an override throws; the save
    ///   fails with it.
    open func resolve(mergeConflicts list: [Any]) throws {
        try resolve(optimisticLockingConflicts: list.compactMap { $0 as? NSMergeConflict })
        try resolve(constraintConflicts: list.compactMap { $0 as? NSConstraintConflict })
    }

    /// Settles conflicts between versions of objects. Throwing fails the save.
    ///
    /// - Throws: `CocoaError` 133020 where the policy is ``NSMergePolicy/error``, or what an override throws; the save fails with it.
    open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        guard !list.isEmpty else { return }
        if mergeType == .errorMergePolicyType { throw ConflictErrors.mergeError(list) }
        for conflict in list { conflict.settle(mergeType) }
    }

    /// Settles conflicts between objects whose values have to be unique. Throwing fails the save.
    ///
    /// - Throws: `CocoaError` 133021 where the policy is ``NSMergePolicy/error``, or what an override throws; the save fails with it.
    open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        guard !list.isEmpty else { return }
        if mergeType == .errorMergePolicyType { throw ConflictErrors.constraintError(list) }
        for conflict in list { try conflict.settle(mergeType) }
    }
}

/// Conflicts are errors.
public let NSErrorMergePolicy = NSMergePolicy.error
/// The store's changes win.
public let NSMergeByPropertyStoreTrumpMergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
/// The context's changes win.
public let NSMergeByPropertyObjectTrumpMergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
/// The context's objects win whole.
public let NSOverwriteMergePolicy = NSMergePolicy.overwrite
/// The store's objects win whole.
public let NSRollbackMergePolicy = NSMergePolicy.rollback

/// An object that was changed here and elsewhere.
///
/// Where other contexts of the same coordinator saved it, the conflict is one with what the coordinator knows
/// (Apple's row cache), and ``persistedSnapshot`` is nil. Where others have written to the store, it is one between
/// what the coordinator knew and the store.
open class NSMergeConflict: NSObject {
    /// The object, with this context's changes.
    open internal(set) var sourceObject: NSManagedObject
    /// What this context's changes are based on.
    open internal(set) var objectSnapshot: [String: Any]?
    /// What the coordinator holds; nil when another context of it deleted the object.
    open internal(set) var cachedSnapshot: [String: Any]?
    /// What the store holds; nil when the object was deleted there, and when nobody else has written to the store.
    open internal(set) var persistedSnapshot: [String: Any]?
    /// The version that the changes are based on.
    open internal(set) var oldVersionNumber: Int
    /// The version in the store; 0 when the object was deleted there.
    open internal(set) var newVersionNumber: Int
    let stored: Snapshot?

    init(_ object: NSManagedObject, _ conflict: StoreConflicts.Stale) {
        sourceObject = object
        stored = conflict.stored
        let base = object.snapshot.map { ConflictErrors.dictionary($0, object.layout) }
        let stored = conflict.stored.map { ConflictErrors.dictionary($0, object.layout) }
        objectSnapshot = base
        cachedSnapshot = conflict.isOfOthers ? base : stored
        persistedSnapshot = conflict.isOfOthers ? stored : nil
        oldVersionNumber = Int(object.snapshot?.version ?? 0)
        newVersionNumber = Int(conflict.stored?.version ?? 0)
    }

    /// Makes a conflict, for the tests of a policy. What the store holds is taken from the persisted snapshot.
    public init(
        source srcObject: NSManagedObject, newVersion newvers: Int, oldVersion oldvers: Int,
        cachedSnapshot cachesnap: [String: Any]?, persistedSnapshot persnap: [String: Any]?
    ) {
        sourceObject = srcObject
        objectSnapshot = srcObject.snapshot.map { ConflictErrors.dictionary($0, srcObject.layout) }
        cachedSnapshot = cachesnap
        persistedSnapshot = persnap
        oldVersionNumber = oldvers
        newVersionNumber = newvers
        stored = (persnap ?? cachesnap).map {
            ConflictErrors.snapshot($0, version: Int64(newvers), srcObject.layout)
        }
    }

    /// Settles the conflict: afterwards the object's changes are based on what the store holds.
    func settle(_ type: NSMergePolicyType) {
        guard let stored else { return settleDeleted(type) }
        if sourceObject.isDeleted { return settleDelete(stored, type) }
        switch type {
        case .errorMergePolicyType: break
        case .rollbackMergePolicyType:
            sourceObject.followStored(stored) { _ in true }
            sourceObject.take(stored, keepingChanges: false)
            sourceObject.life.unchange()
        case .overwriteMergePolicyType:
            // All values are written again, including those that this context did not change.
            sourceObject.materialize()
            for slot in 0..<sourceObject.layout.storedCount {
                if sourceObject.layout.toOnes.contains(slot) { _ = sourceObject.toOne(slot) }
                sourceObject.changedSlots.insert(slot)
            }
            sourceObject.snapshot = stored
        case .mergeByPropertyObjectTrumpMergePolicyType:
            let changed = sourceObject.changedSlots
            sourceObject.followStored(stored) { !changed.contains($0) }
            sourceObject.take(stored, keepingChanges: true)
        case .mergeByPropertyStoreTrumpMergePolicyType: sourceObject.yield(to: stored)
        }
        sourceObject.awakeQuietly { sourceObject.awake(fromSnapshotEvents: .mergePolicy) }
    }

    /// The object is changed here and was deleted elsewhere.
    private func settleDeleted(_ type: NSMergePolicyType) {
        switch type {
        case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
            // It is written again, as a new row under its ID.
            sourceObject.materialize()
            for slot in sourceObject.layout.toOnes { _ = sourceObject.toOne(slot) }
            sourceObject.snapshot = nil
            sourceObject.savedMany = [:]
            for slot in sourceObject.layout.toManys { sourceObject.changedSlots.insert(slot) }
            sourceObject.life.reinsert()
        default:
            sourceObject.managedObjectContext?.unlink(sourceObject)
            sourceObject.life.vanish()
        }
    }

    /// The object is deleted here and was changed elsewhere.
    private func settleDelete(_ stored: Snapshot, _ type: NSMergePolicyType) {
        switch type {
        case .rollbackMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType:
            sourceObject.life.undelete()
            sourceObject.take(stored, keepingChanges: false)
            sourceObject.reconnect()
        default: sourceObject.snapshot = stored
        }
    }
}

/// Objects with equal values where they have to be unique.
open class NSConstraintConflict: NSObject {
    /// The names of the properties.
    open internal(set) var constraint: [String]
    /// The values that are not unique.
    open internal(set) var constraintValues: [String: Any]
    /// The object that is in the store, where one is.
    open internal(set) var databaseObject: NSManagedObject?
    /// What the store holds of it.
    open internal(set) var databaseSnapshot: [String: Any]?
    /// The objects of the save.
    open internal(set) var conflictingObjects: [NSManagedObject]
    /// What they hold.
    open internal(set) var conflictingSnapshots: [[AnyHashable: Any]]

    init(
        constraint: [String], databaseObject: NSManagedObject?, stored: Snapshot?,
        conflicting: [NSManagedObject]
    ) {
        self.constraint = constraint
        self.databaseObject = databaseObject
        databaseSnapshot = stored.flatMap { snapshot in
            databaseObject.map { ConflictErrors.dictionary(snapshot, $0.layout) }
        }
        conflictingObjects = conflicting
        conflictingSnapshots = conflicting.map { object in
            Dictionary(
                uniqueKeysWithValues: object.layout.attributes.map { slot in
                    let value = object.currentAttribute(slot).anyValue(
                        of: object.layout.attributeDescriptions[slot])
                    return (AnyHashable(object.layout.properties[slot].name), value ?? NSNull())
                })
        }
        constraintValues = Dictionary(
            constraint.compactMap { key in conflicting.first.map { (key, $0.value(forKey: key) ?? NSNull()) }
            }
        ) { first, _ in first }
    }

    /// Makes a conflict about nothing.
    public override init() {
        constraint = []
        conflictingObjects = []
        conflictingSnapshots = []
        constraintValues = [:]
    }

    /// Makes a conflict, for the tests of a policy.
    public init(
        constraint contraint: [String], database databaseObject: NSManagedObject?,
        databaseSnapshot: [AnyHashable: Any]?, conflicting conflictingObjects: [NSManagedObject],
        conflictingSnapshots: [Any]
    ) {
        constraint = contraint
        self.databaseObject = databaseObject
        self.databaseSnapshot = databaseSnapshot.map { snapshot in
            Dictionary(snapshot.compactMap { key, value in (key as? String).map { ($0, value) } }) {
                first, _ in first
            }
        }
        self.conflictingObjects = conflictingObjects
        self.conflictingSnapshots = conflictingSnapshots.map { $0 as? [AnyHashable: Any] ?? [:] }
        constraintValues = Dictionary(
            contraint.compactMap { key in
                conflictingObjects.first.map { (key, $0.value(forKey: key) ?? NSNull()) }
            }
        ) { first, _ in first }
    }

    /// Settles the conflict, so that one object is left.
    func settle(_ type: NSMergePolicyType) throws {
        guard let context = conflictingObjects.first?.managedObjectContext else { return }
        let keeper = databaseObject ?? conflictingObjects[0]
        let others = conflictingObjects.filter { $0 !== keeper }
        switch type {
        case .errorMergePolicyType: throw ConflictErrors.constraintError([self])
        case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType:
            for other in others { context.dropDuplicate(other) }
        case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
            // The object in the store stays, for those who point at it, and takes the new values.
            for other in others {
                keeper.takeValues(of: other, all: type == .overwriteMergePolicyType)
                context.dropDuplicate(other)
            }
        }
        context.processPendingChanges()
    }
}
