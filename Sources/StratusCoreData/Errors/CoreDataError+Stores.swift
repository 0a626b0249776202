// What every kind of store can refuse.

/// The key under which SQLite's own result code is in an error's `userInfo`.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"

extension CoreDataError {
    /// The store was removed from its coordinator.
    package static func storeIsClosed(_ url: URL?) -> CoreDataError {
        CoreDataError(134070, "The store at \(url?.path ?? "?") is not open.")
    }

    /// The store was added read-only.
    package static func readOnlyStore(_ url: URL?) -> CoreDataError {
        CoreDataError(
            134030, "The store at \(url?.path ?? "?") was added read-only.",
            remedy: "Add it without NSReadOnlyPersistentStoreOption.")
    }

    /// The store has no objects of the entity.
    package static func notInStore(_ entity: NSEntityDescription) -> CoreDataError {
        CoreDataError(
            134020, "The store does not hold the entity '\(entity.name ?? "?")'.",
            remedy: "Add a store whose configuration has it.")
    }
}
