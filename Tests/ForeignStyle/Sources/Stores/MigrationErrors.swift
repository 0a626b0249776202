import CoreData

/// What the user is told when the store does not open.
func advice(for error: NSError) -> String {
    switch error.code {
    case NSPersistentStoreIncompatibleVersionHashError, NSMigrationMissingSourceModelError,
        NSMigrationMissingMappingModelError, NSInferredMappingModelError:
        return "Update the app."
    case NSMigrationError, NSMigrationCancelledError, NSMigrationConstraintViolationError,
        NSEntityMigrationPolicyError:
        return "The library could not be converted."
    case NSPersistentStoreOpenError, NSPersistentStoreInvalidTypeError, NSPersistentStoreTypeMismatchError,
        NSPersistentStoreIncompatibleSchemaError:
        return "The library is damaged."
    case NSPersistentStoreSaveError, NSPersistentStoreIncompleteSaveError,
        NSPersistentStoreSaveConflictsError,
        NSPersistentStoreTimeoutError, NSSQLiteError:
        return "Try again."
    case NSPersistentHistoryTokenExpiredError: return "Read all."
    case NSManagedObjectReferentialIntegrityError, NSManagedObjectExternalRelationshipError:
        return "A link is broken."
    case NSCoreDataError: return "Something is wrong."
    default: return "Code \(error.code)"
    }
}
