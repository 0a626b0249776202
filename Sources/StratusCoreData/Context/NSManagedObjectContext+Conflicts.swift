extension NSManagedObjectContext {
    /// A policy has settled an object's conflict and given it other values behind its setters' backs.
    func noteSettled(_ object: NSManagedObject) {
        if object.isDeleted { object.event.noteDelete() } else { object.event.noteRefresh() }
        list(object)
    }

    /// Compares the objects that are to be checked with the store, and lets the merge policy settle what differs.
    ///
    /// Objects with changes are left out, since the save compares them itself.
    /// - Throws: `CocoaError` 133020 where the policy is to fail, what a policy of the app throws, and what reading a
    ///   row throws.
    func checkForConflicts() throws {
        let objects = checkedObjects.filter {
            !$0.isFault && !$0.hasChanges && $0.managedObjectContext === self
        }
        checkedObjects = []
        let conflicts = try objects.compactMap { object -> NSMergeConflict? in
            let stored = try row(of: object.objectID)?.snapshot
            return stored?.version == object.snapshot?.version
                ? nil : NSMergeConflict(object, .init(objectID: object.objectID, stored: stored))
        }
        guard !conflicts.isEmpty else { return }
        let policy = mergePolicy as? NSMergePolicy ?? NSMergePolicy.error
        try policy.resolve(mergeConflicts: conflicts)
        // Settling gives objects other values behind their setters' backs.
        for object in conflicts.map(\.sourceObject) {
            noteSettled(object)
        }
    }
}
