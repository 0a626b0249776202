// The codes as names of `CocoaError.Code`, for `catch CocoaError.managedObjectConstraintMerge`, and for a `switch` over the
// code of an error.

extension CocoaError.Code {
    /// A validation failed.
    public static var managedObjectValidation: CocoaError.Code {
        .init(rawValue: NSManagedObjectValidationError)
    }
    /// Several validations failed; `NSDetailedErrorsKey` lists them.
    public static var validationMultipleErrors: CocoaError.Code {
        .init(rawValue: NSValidationMultipleErrorsError)
    }
    /// A required property has no value.
    public static var validationMissingMandatoryProperty: CocoaError.Code {
        .init(rawValue: NSValidationMissingMandatoryPropertyError)
    }
    /// A to-many relationship leads to too few objects.
    public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
        .init(rawValue: NSValidationRelationshipLacksMinimumCountError)
    }
    /// A relationship leads to too many objects.
    public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
        .init(rawValue: NSValidationRelationshipExceedsMaximumCountError)
    }
    /// A relationship whose rule is Deny keeps an object from being deleted.
    public static var validationRelationshipDeniedDelete: CocoaError.Code {
        .init(rawValue: NSValidationRelationshipDeniedDeleteError)
    }
    /// A number is more than its maximum.
    public static var validationNumberTooLarge: CocoaError.Code {
        .init(rawValue: NSValidationNumberTooLargeError)
    }
    /// A number is less than its minimum.
    public static var validationNumberTooSmall: CocoaError.Code {
        .init(rawValue: NSValidationNumberTooSmallError)
    }
    /// A date is after its maximum.
    public static var validationDateTooLate: CocoaError.Code { .init(rawValue: NSValidationDateTooLateError) }
    /// A date is before its minimum.
    public static var validationDateTooSoon: CocoaError.Code { .init(rawValue: NSValidationDateTooSoonError) }
    /// A date is not valid.
    public static var validationInvalidDate: CocoaError.Code { .init(rawValue: NSValidationInvalidDateError) }
    /// A string is longer than its maximum.
    public static var validationStringTooLong: CocoaError.Code {
        .init(rawValue: NSValidationStringTooLongError)
    }
    /// A string is shorter than its minimum.
    public static var validationStringTooShort: CocoaError.Code {
        .init(rawValue: NSValidationStringTooShortError)
    }
    /// A string does not match its pattern.
    public static var validationStringPatternMatching: CocoaError.Code {
        .init(rawValue: NSValidationStringPatternMatchingError)
    }
    /// A context could not be locked.
    public static var managedObjectContextLocking: CocoaError.Code {
        .init(rawValue: NSManagedObjectContextLockingError)
    }
    /// A coordinator could not be locked.
    public static var persistentStoreCoordinatorLocking: CocoaError.Code {
        .init(rawValue: NSPersistentStoreCoordinatorLockingError)
    }
    /// There is no row for an object.
    public static var managedObjectReferentialIntegrity: CocoaError.Code {
        .init(rawValue: NSManagedObjectReferentialIntegrityError)
    }
    /// A relationship leads to an object in another store.
    public static var managedObjectExternalRelationship: CocoaError.Code {
        .init(rawValue: NSManagedObjectExternalRelationshipError)
    }
    /// Others saved changes of the same objects, and the merge policy did not settle it.
    public static var managedObjectMerge: CocoaError.Code { .init(rawValue: NSManagedObjectMergeError) }
    /// Values that have to be unique are not, and the merge policy did not settle it.
    public static var managedObjectConstraintMerge: CocoaError.Code {
        .init(rawValue: NSManagedObjectConstraintMergeError)
    }
    /// There are no stores of this type.
    public static var persistentStoreInvalidType: CocoaError.Code {
        .init(rawValue: NSPersistentStoreInvalidTypeError)
    }
    /// The file holds a store of another type.
    public static var persistentStoreTypeMismatch: CocoaError.Code {
        .init(rawValue: NSPersistentStoreTypeMismatchError)
    }
    /// The store does not hold what the model says.
    public static var persistentStoreIncompatibleSchema: CocoaError.Code {
        .init(rawValue: NSPersistentStoreIncompatibleSchemaError)
    }
    /// The store could not write.
    public static var persistentStoreSave: CocoaError.Code { .init(rawValue: NSPersistentStoreSaveError) }
    /// One of several stores could not write.
    public static var persistentStoreIncompleteSave: CocoaError.Code {
        .init(rawValue: NSPersistentStoreIncompleteSaveError)
    }
    /// A save met conflicts that nobody settled.
    public static var persistentStoreSaveConflicts: CocoaError.Code {
        .init(rawValue: NSPersistentStoreSaveConflictsError)
    }
    /// Anything that has no number of its own.
    public static var coreData: CocoaError.Code { .init(rawValue: NSCoreDataError) }
    /// The store could not do what was asked.
    public static var persistentStoreOperation: CocoaError.Code {
        .init(rawValue: NSPersistentStoreOperationError)
    }
    /// The store could not be opened.
    public static var persistentStoreOpen: CocoaError.Code { .init(rawValue: NSPersistentStoreOpenError) }
    /// The store was locked by others for too long.
    public static var persistentStoreTimeout: CocoaError.Code {
        .init(rawValue: NSPersistentStoreTimeoutError)
    }
    /// The store does not know requests of this kind.
    public static var persistentStoreUnsupportedRequestType: CocoaError.Code {
        .init(rawValue: NSPersistentStoreUnsupportedRequestTypeError)
    }
    /// Another version of the model wrote the store.
    public static var persistentStoreIncompatibleVersionHash: CocoaError.Code {
        .init(rawValue: NSPersistentStoreIncompatibleVersionHashError)
    }
    /// A migration failed.
    public static var migration: CocoaError.Code { .init(rawValue: NSMigrationError) }
    /// A migration was cancelled.
    public static var migrationCancelled: CocoaError.Code { .init(rawValue: NSMigrationCancelledError) }
    /// The version of the model that wrote the store was not found.
    public static var migrationMissingSourceModel: CocoaError.Code {
        .init(rawValue: NSMigrationMissingSourceModelError)
    }
    /// No mapping leads from the store's version to the current one.
    public static var migrationMissingMappingModel: CocoaError.Code {
        .init(rawValue: NSMigrationMissingMappingModelError)
    }
    /// A migration could not read the old store.
    public static var migrationManagerSourceStore: CocoaError.Code {
        .init(rawValue: NSMigrationManagerSourceStoreError)
    }
    /// A migration could not write the new store.
    public static var migrationManagerDestinationStore: CocoaError.Code {
        .init(rawValue: NSMigrationManagerDestinationStoreError)
    }
    /// A migration policy failed.
    public static var entityMigrationPolicy: CocoaError.Code { .init(rawValue: NSEntityMigrationPolicyError) }
    /// SQLite failed; `NSSQLiteErrorDomain` in `userInfo` has its code.
    public static var sqlite: CocoaError.Code { .init(rawValue: NSSQLiteError) }
    /// No mapping could be inferred.
    public static var inferredMappingModel: CocoaError.Code { .init(rawValue: NSInferredMappingModelError) }
    /// External records could not be imported.
    public static var externalRecordImport: CocoaError.Code { .init(rawValue: NSExternalRecordImportError) }
}

extension CocoaError {
    /// A validation failed.
    public static var managedObjectValidation: CocoaError.Code { .managedObjectValidation }
    /// Several validations failed; `NSDetailedErrorsKey` lists them.
    public static var validationMultipleErrors: CocoaError.Code { .validationMultipleErrors }
    /// A required property has no value.
    public static var validationMissingMandatoryProperty: CocoaError.Code {
        .validationMissingMandatoryProperty
    }
    /// A to-many relationship leads to too few objects.
    public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
        .validationRelationshipLacksMinimumCount
    }
    /// A relationship leads to too many objects.
    public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
        .validationRelationshipExceedsMaximumCount
    }
    /// A relationship whose rule is Deny keeps an object from being deleted.
    public static var validationRelationshipDeniedDelete: CocoaError.Code {
        .validationRelationshipDeniedDelete
    }
    /// A number is more than its maximum.
    public static var validationNumberTooLarge: CocoaError.Code { .validationNumberTooLarge }
    /// A number is less than its minimum.
    public static var validationNumberTooSmall: CocoaError.Code { .validationNumberTooSmall }
    /// A date is after its maximum.
    public static var validationDateTooLate: CocoaError.Code { .validationDateTooLate }
    /// A date is before its minimum.
    public static var validationDateTooSoon: CocoaError.Code { .validationDateTooSoon }
    /// A date is not valid.
    public static var validationInvalidDate: CocoaError.Code { .validationInvalidDate }
    /// A string is longer than its maximum.
    public static var validationStringTooLong: CocoaError.Code { .validationStringTooLong }
    /// A string is shorter than its minimum.
    public static var validationStringTooShort: CocoaError.Code { .validationStringTooShort }
    /// A string does not match its pattern.
    public static var validationStringPatternMatching: CocoaError.Code { .validationStringPatternMatching }
    /// A context could not be locked.
    public static var managedObjectContextLocking: CocoaError.Code { .managedObjectContextLocking }
    /// A coordinator could not be locked.
    public static var persistentStoreCoordinatorLocking: CocoaError.Code {
        .persistentStoreCoordinatorLocking
    }
    /// There is no row for an object.
    public static var managedObjectReferentialIntegrity: CocoaError.Code {
        .managedObjectReferentialIntegrity
    }
    /// A relationship leads to an object in another store.
    public static var managedObjectExternalRelationship: CocoaError.Code {
        .managedObjectExternalRelationship
    }
    /// Others saved changes of the same objects, and the merge policy did not settle it.
    public static var managedObjectMerge: CocoaError.Code { .managedObjectMerge }
    /// Values that have to be unique are not, and the merge policy did not settle it.
    public static var managedObjectConstraintMerge: CocoaError.Code { .managedObjectConstraintMerge }
    /// There are no stores of this type.
    public static var persistentStoreInvalidType: CocoaError.Code { .persistentStoreInvalidType }
    /// The file holds a store of another type.
    public static var persistentStoreTypeMismatch: CocoaError.Code { .persistentStoreTypeMismatch }
    /// The store does not hold what the model says.
    public static var persistentStoreIncompatibleSchema: CocoaError.Code {
        .persistentStoreIncompatibleSchema
    }
    /// The store could not write.
    public static var persistentStoreSave: CocoaError.Code { .persistentStoreSave }
    /// One of several stores could not write.
    public static var persistentStoreIncompleteSave: CocoaError.Code { .persistentStoreIncompleteSave }
    /// A save met conflicts that nobody settled.
    public static var persistentStoreSaveConflicts: CocoaError.Code { .persistentStoreSaveConflicts }
    /// Anything that has no number of its own.
    public static var coreData: CocoaError.Code { .coreData }
    /// The store could not do what was asked.
    public static var persistentStoreOperation: CocoaError.Code { .persistentStoreOperation }
    /// The store could not be opened.
    public static var persistentStoreOpen: CocoaError.Code { .persistentStoreOpen }
    /// The store was locked by others for too long.
    public static var persistentStoreTimeout: CocoaError.Code { .persistentStoreTimeout }
    /// The store does not know requests of this kind.
    public static var persistentStoreUnsupportedRequestType: CocoaError.Code {
        .persistentStoreUnsupportedRequestType
    }
    /// Another version of the model wrote the store.
    public static var persistentStoreIncompatibleVersionHash: CocoaError.Code {
        .persistentStoreIncompatibleVersionHash
    }
    /// A migration failed.
    public static var migration: CocoaError.Code { .migration }
    /// A migration was cancelled.
    public static var migrationCancelled: CocoaError.Code { .migrationCancelled }
    /// The version of the model that wrote the store was not found.
    public static var migrationMissingSourceModel: CocoaError.Code { .migrationMissingSourceModel }
    /// No mapping leads from the store's version to the current one.
    public static var migrationMissingMappingModel: CocoaError.Code { .migrationMissingMappingModel }
    /// A migration could not read the old store.
    public static var migrationManagerSourceStore: CocoaError.Code { .migrationManagerSourceStore }
    /// A migration could not write the new store.
    public static var migrationManagerDestinationStore: CocoaError.Code { .migrationManagerDestinationStore }
    /// A migration policy failed.
    public static var entityMigrationPolicy: CocoaError.Code { .entityMigrationPolicy }
    /// SQLite failed; `NSSQLiteErrorDomain` in `userInfo` has its code.
    public static var sqlite: CocoaError.Code { .sqlite }
    /// No mapping could be inferred.
    public static var inferredMappingModel: CocoaError.Code { .inferredMappingModel }
    /// External records could not be imported.
    public static var externalRecordImport: CocoaError.Code { .externalRecordImport }
}
