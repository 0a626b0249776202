/// Everything that goes wrong, as a Cocoa error with Apple's code where Apple documents one.
///
/// What a caller gets is `CocoaError`, since that is what code written for Core Data catches; the sentence, the
/// remedy and the cause are in its `userInfo`.
package struct CoreDataError {
    /// Apple's number.
    var code: Int
    /// What went wrong, in a sentence.
    package var message: String
    /// What to do about it.
    package var remedy: String?
    /// More keys of the error's `userInfo`.
    var userInfo: [String: Any] = [:]
    /// The error below this one.
    var cause: (any Error)?

    /// An error with what its caller is told.
    package init(
        _ code: Int, _ message: String, remedy: String? = nil, userInfo: [String: Any] = [:],
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.userInfo = userInfo
        self.cause = cause
    }

    /// The error as callers get it.
    package var cocoa: CocoaError {
        var info = userInfo
        info[NSLocalizedDescriptionKey] = message
        info[NSLocalizedRecoverySuggestionErrorKey] = remedy
        info[NSUnderlyingErrorKey] = cause
        return CocoaError(CocoaError.Code(rawValue: code), userInfo: info)
    }

    static var noContextHere: CoreDataError {
        CoreDataError(
            134060, "There is no managed object context on this thread.",
            remedy: "Call execute() inside a context's perform, or use the context's fetch(_:).")
    }

    static var noCoordinator: CoreDataError {
        CoreDataError(
            134060, "The context has no persistent store coordinator.",
            remedy:
                "Use a container's viewContext or newBackgroundContext(), or set persistentStoreCoordinator.")
    }

    static var noStores: CoreDataError {
        CoreDataError(
            134060, "This NSPersistentStoreCoordinator has no persistent stores.",
            remedy:
                "Load the stores, with loadPersistentStores or addPersistentStore, before the context is used."
        )
    }

    /// The object is gone.
    static func missing(_ objectID: NSManagedObjectID) -> CoreDataError {
        CoreDataError(
            133000, "There is no object with the ID \(objectID).",
            remedy: "It was deleted, perhaps by another context.",
            userInfo: ["NSAffectedObjectIDs": [objectID]])
    }

    /// The kind of store cannot do what is asked.
    package static func unsupportedRequest(_ what: String, _ store: String) -> CoreDataError {
        CoreDataError(134091, "A \(store) store does not support this request: \(what).")
    }

    /// The model lacks the entity.
    package static func unknownEntity(_ name: String, known: [String]) -> CoreDataError {
        CoreDataError(
            134060, "The model has no entity '\(name)'.",
            remedy: "It has: \(known.sorted().joined(separator: ", ")).")
    }
}
