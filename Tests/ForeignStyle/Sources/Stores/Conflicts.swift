import CoreData

/// A merge policy of the app's own.
final class NewestWins: NSMergePolicy {
    private(set) var conflicts = 0

    init() {
        super.init(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    }

    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        conflicts += list.count
        try super.resolve(optimisticLockingConflicts: list)
    }

    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        conflicts += list.count
        try super.resolve(constraintConflicts: list)
    }
}
