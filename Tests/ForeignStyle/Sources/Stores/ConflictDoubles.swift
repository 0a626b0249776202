import CoreData

/// Conflicts and IDs made by hand, to test a merge policy without a store.
enum ConflictDoubles {
    static func lockingConflict(of object: NSManagedObject) -> NSMergeConflict {
        NSMergeConflict(
            source: object, newVersion: 2, oldVersion: 1, cachedSnapshot: ["title": "old"],
            persistedSnapshot: nil)
    }

    static func constraintConflict(of object: NSManagedObject) -> NSConstraintConflict {
        NSConstraintConflict(
            constraint: ["identifier"], database: nil, databaseSnapshot: nil, conflicting: [object],
            conflictingSnapshots: [NSNull()])
    }
}
