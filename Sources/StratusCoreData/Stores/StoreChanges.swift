/// What a save asks a store to write, in one transaction.
package struct StoreChanges {
    /// New objects, in the order of their IDs.
    package var inserted: [ObjectChange] = []
    /// Changed objects.
    package var updated: [ObjectChange] = []
    /// Deleted objects.
    package var deleted: [ObjectChange] = []
    /// The name and the author of the context, for the history.
    package var contextName: String?
    /// See ``contextName``.
    package var author: String?

    /// Whether there is nothing to write.
    package var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

/// What is written of one object.
package struct ObjectChange {
    /// The permanent ID.
    package var objectID: NSManagedObjectID
    /// The slots of the object's entity.
    package var layout: EntityLayout
    /// What the change is based on: the store refuses the save when its row has another version. Nil for a new
    /// object, and where the object is to win over any version.
    package var base: Snapshot?
    /// The values of all stored slots; empty for a delete.
    package var values: [PropertyValue]
    /// The stored slots that differ from the base; all of them for a new object.
    package var changedSlots: [Int]
    /// The to-many relationships that changed. One-to-many relationships without order are in it too, for the
    /// history; their rows are written by the to-one side.
    package var toManys: [ToManyChange] = []

    /// The change of one object.
    package init(
        objectID: NSManagedObjectID, layout: EntityLayout, base: Snapshot?, values: [PropertyValue],
        changedSlots: [Int], toManys: [ToManyChange] = []
    ) {
        self.objectID = objectID
        self.layout = layout
        self.base = base
        self.values = values
        self.changedSlots = changedSlots
        self.toManys = toManys
    }
}

/// How a to-many relationship changed.
package struct ToManyChange {
    /// The slot of the relationship.
    package var slot: Int
    /// What was added.
    package var added: [NSManagedObjectID]
    /// What was taken away.
    package var removed: [NSManagedObjectID]
    /// All of what is there now, in order; nil for a relationship without order, whose objects need not even be
    /// known.
    package var order: [NSManagedObjectID]?
}

/// What a store wrote.
package struct StoreSaveResult {
    /// The rows of inserted and updated objects as they are now, with derived values.
    package var snapshots: [NSManagedObjectID: Snapshot] = [:]
    /// The rows of the new objects in the order of the changes, from a store that knows them; they are not in
    /// ``snapshots`` then.
    package var insertedRows: [Snapshot?] = []
    /// The objects that were not to be saved and have other derived values now; their rows are in ``snapshots``.
    package var derived: [NSManagedObjectID] = []
    /// The position in the history, where the store keeps one.
    package var historyToken: NSPersistentHistoryToken?

    /// Nothing written yet.
    package init() {}
}

/// Why a store refused a save: nothing of it was written.
///
/// Unchecked sendable, as every error has to be: it never leaves the thread that saves.
package struct StoreConflicts: Error, @unchecked Sendable {
    /// Rows that have another version than the change is based on.
    package struct Stale {
        /// The object of the save.
        package var objectID: NSManagedObjectID
        /// The row as it is; nil when it is gone.
        var stored: Snapshot?
        /// Whether somebody else may have changed it, not this coordinator.
        var isOfOthers = false

        /// A row of another version than the change is based on.
        package init(objectID: NSManagedObjectID, stored: Snapshot?, isOfOthers: Bool = false) {
            self.objectID = objectID
            self.stored = stored
            self.isOfOthers = isOfOthers
        }
    }

    /// Objects whose values have to be unique and are not.
    package struct Duplicate {
        /// The names of the properties.
        var constraint: [String]
        /// The object of the save.
        package var objectID: NSManagedObjectID
        /// The object that has the values already: in the store, or another one of the same save.
        var other: NSManagedObjectID
        /// The row of the other one, where it is in the store.
        var stored: Snapshot?

        /// Two objects with the same values.
        package init(
            constraint: [String], objectID: NSManagedObjectID, other: NSManagedObjectID, stored: Snapshot?
        ) {
            self.constraint = constraint
            self.objectID = objectID
            self.other = other
            self.stored = stored
        }
    }

    /// Rows that somebody else has changed.
    package var stale: [Stale] = []
    /// Values that are not unique.
    package var duplicates: [Duplicate] = []

    package init() {}
}
