// The codes of Core Data's errors, with Apple's names and numbers. Their domain is `NSCocoaErrorDomain`; what is thrown
// is `CocoaError`.

/// A validation failed.
public var NSManagedObjectValidationError: Int { 1550 }
/// Values that have to be unique are not, found by a validation.
public var NSManagedObjectConstraintValidationError: Int { 1551 }
/// Several validations failed; `NSDetailedErrorsKey` lists them.
public var NSValidationMultipleErrorsError: Int { 1560 }
/// A required property has no value.
public var NSValidationMissingMandatoryPropertyError: Int { 1570 }
/// A to-many relationship leads to too few objects.
public var NSValidationRelationshipLacksMinimumCountError: Int { 1580 }
/// A relationship leads to too many objects.
public var NSValidationRelationshipExceedsMaximumCountError: Int { 1590 }
/// A relationship whose rule is Deny keeps an object from being deleted.
public var NSValidationRelationshipDeniedDeleteError: Int { 1600 }
/// A number is more than its maximum.
public var NSValidationNumberTooLargeError: Int { 1610 }
/// A number is less than its minimum.
public var NSValidationNumberTooSmallError: Int { 1620 }
/// A date is after its maximum.
public var NSValidationDateTooLateError: Int { 1630 }
/// A date is before its minimum.
public var NSValidationDateTooSoonError: Int { 1640 }
/// A date is not valid.
public var NSValidationInvalidDateError: Int { 1650 }
/// A string is longer than its maximum.
public var NSValidationStringTooLongError: Int { 1660 }
/// A string is shorter than its minimum.
public var NSValidationStringTooShortError: Int { 1670 }
/// A string does not match its pattern.
public var NSValidationStringPatternMatchingError: Int { 1680 }
/// A URI is not valid.
public var NSValidationInvalidURIError: Int { 1690 }
/// A context could not be locked.
public var NSManagedObjectContextLockingError: Int { 132_000 }
/// A coordinator could not be locked.
public var NSPersistentStoreCoordinatorLockingError: Int { 132_010 }
/// There is no row for an object.
public var NSManagedObjectReferentialIntegrityError: Int { 133_000 }
/// A relationship leads to an object in another store.
public var NSManagedObjectExternalRelationshipError: Int { 133_010 }
/// Others saved changes of the same objects, and the merge policy did not settle it.
public var NSManagedObjectMergeError: Int { 133_020 }
/// Values that have to be unique are not, and the merge policy did not settle it.
public var NSManagedObjectConstraintMergeError: Int { 133_021 }
/// There are no stores of this type.
public var NSPersistentStoreInvalidTypeError: Int { 134_000 }
/// The file holds a store of another type.
public var NSPersistentStoreTypeMismatchError: Int { 134_010 }
/// The store does not hold what the model says.
public var NSPersistentStoreIncompatibleSchemaError: Int { 134_020 }
/// The store could not write.
public var NSPersistentStoreSaveError: Int { 134_030 }
/// One of several stores could not write.
public var NSPersistentStoreIncompleteSaveError: Int { 134_040 }
/// A save met conflicts that nobody settled.
public var NSPersistentStoreSaveConflictsError: Int { 134_050 }
/// Anything that has no number of its own.
public var NSCoreDataError: Int { 134_060 }
/// The store could not do what was asked.
public var NSPersistentStoreOperationError: Int { 134_070 }
/// The store could not be opened.
public var NSPersistentStoreOpenError: Int { 134_080 }
/// The store was locked by others for too long.
public var NSPersistentStoreTimeoutError: Int { 134_090 }
/// The store does not know requests of this kind.
public var NSPersistentStoreUnsupportedRequestTypeError: Int { 134_091 }
/// Another version of the model wrote the store.
public var NSPersistentStoreIncompatibleVersionHashError: Int { 134_100 }
/// A migration failed.
public var NSMigrationError: Int { 134_110 }
/// Values that have to be unique in the new version are not.
public var NSMigrationConstraintViolationError: Int { 134_111 }
/// A migration was cancelled.
public var NSMigrationCancelledError: Int { 134_120 }
/// The version of the model that wrote the store was not found.
public var NSMigrationMissingSourceModelError: Int { 134_130 }
/// No mapping leads from the store's version to the current one.
public var NSMigrationMissingMappingModelError: Int { 134_140 }
/// A migration could not read the old store.
public var NSMigrationManagerSourceStoreError: Int { 134_150 }
/// A migration could not write the new store.
public var NSMigrationManagerDestinationStoreError: Int { 134_160 }
/// A migration policy failed.
public var NSEntityMigrationPolicyError: Int { 134_170 }
/// SQLite failed; `NSSQLiteErrorDomain` in `userInfo` has its code.
public var NSSQLiteError: Int { 134_180 }
/// No mapping could be inferred.
public var NSInferredMappingModelError: Int { 134_190 }
/// External records could not be imported.
public var NSExternalRecordImportError: Int { 134_200 }
/// The history after a token is gone.
public var NSPersistentHistoryTokenExpiredError: Int { 134_301 }
/// A referenced model was not found.
public var NSManagedObjectModelReferenceNotFoundError: Int { 134_504 }
/// The store's metadata does not allow staged migrations.
public var NSStagedMigrationFrameworkVersionMismatchError: Int { 134_505 }
/// The store was written by a later stage.
public var NSStagedMigrationBackwardMigrationError: Int { 134_506 }
