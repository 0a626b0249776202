/// What a save asks a store to write, in one transaction.
struct StoreChanges {
    var inserted: [ObjectChange] = []
    var updated: [ObjectChange] = []
    var deleted: [ObjectChange] = []
    /// The name and the author of the context, for the history.
    var contextName: String?
    var author: String?

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

/// What is written of one object.
struct ObjectChange {
    /// The permanent ID.
    var objectID: NSManagedObjectID
    var layout: EntityLayout
    /// What the change is based on: the store refuses the save when its row has another version. Nil for a new
    /// object, and where the object is to win over any version.
    var base: Snapshot?
    /// The values of all stored slots; empty for a delete.
    var values: [PropertyValue]
    /// The stored slots that differ from the base; all of them for a new object.
    var changedSlots: [Int]
    /// The to-many relationships that changed. One-to-many relationships without order are in it too, for the
    /// history; their rows are written by the to-one side.
    var toManys: [ToManyChange] = []
}

/// How a to-many relationship changed.
struct ToManyChange {
    var slot: Int
    /// What was added.
    var added: [NSManagedObjectID]
    /// What was taken away.
    var removed: [NSManagedObjectID]
    /// All of what is there now, in order; nil for a relationship without order, whose objects need not even be
    /// known.
    var order: [NSManagedObjectID]?
}

/// What a store wrote.
struct StoreSaveResult {
    /// The rows of inserted and updated objects as they are now, with derived values.
    var snapshots: [NSManagedObjectID: Snapshot] = [:]
    /// The rows of the new objects in the order of the changes, from a store that knows them; they are not in
    /// ``snapshots`` then.
    var insertedRows: [Snapshot?] = []
    /// The objects that were not to be saved and have other derived values now; their rows are in ``snapshots``.
    var derived: [NSManagedObjectID] = []
    /// The position in the history, where the store keeps one.
    var historyToken: NSPersistentHistoryToken?
}

/// Why a store refused a save: nothing of it was written.
///
/// Unchecked sendable, as every error has to be: it never leaves the thread that saves.
struct StoreConflicts: Error, @unchecked Sendable {
    /// Rows that have another version than the change is based on.
    struct Stale {
        var objectID: NSManagedObjectID
        /// The row as it is; nil when it is gone.
        var stored: Snapshot?
        /// Whether somebody else may have changed it, not this coordinator.
        var isOfOthers = false
    }

    /// Objects whose values have to be unique and are not.
    struct Duplicate {
        /// The names of the properties.
        var constraint: [String]
        /// The object of the save.
        var objectID: NSManagedObjectID
        /// The object that has the values already: in the store, or another one of the same save.
        var other: NSManagedObjectID
        /// The row of the other one, where it is in the store.
        var stored: Snapshot?
    }

    var stale: [Stale] = []
    var duplicates: [Duplicate] = []
}
