import CoreData
import Testing

/// Names for the codes of errors, and the ways in which apps look at them.
@Suite struct ErrorTests {
    private static func conflict() throws {
        let context = try People.context()
        try context.performAndWait {
            for _ in 0..<2 { Person(context: context).name = "Ada" }
            try context.save()
        }
    }

    @Test func patternsMatchThrownErrors() throws {
        do {
            try Self.conflict()
            Issue.record("Nothing was thrown.")
        } catch CocoaError.managedObjectConstraintMerge {
        }
        do { try Self.conflict() } catch let error as CocoaError
            where error.code == .managedObjectConstraintMerge
        {}
        do { try Self.conflict() } catch let error as NSError {
            #expect(error.domain == NSCocoaErrorDomain && error.code == NSManagedObjectConstraintMergeError)
            switch error.code {
            case NSManagedObjectMergeError, NSManagedObjectValidationError: Issue.record("\(error)")
            case NSManagedObjectConstraintMergeError: break
            default: Issue.record("\(error)")
            }
            #expect(error.userInfo[NSPersistentStoreSaveConflictsErrorKey] is [NSConstraintConflict])
        }
        do { try Self.conflict() } catch {
            switch error {
            case CocoaError.validationMultipleErrors: Issue.record("\(error)")
            case CocoaError.managedObjectConstraintMerge: break
            default: Issue.record("\(error)")
            }
            switch (error as? CocoaError)?.code {
            case .managedObjectConstraintMerge: break
            default: Issue.record("\(error)")
            }
        }
    }

    @Test func theNumbersAreApples() {
        let numbers: [(Int, CocoaError.Code, Int)] = [
            (NSManagedObjectValidationError, .managedObjectValidation, 1550),
            (NSManagedObjectConstraintValidationError, .init(rawValue: 1551), 1551),
            (NSValidationMultipleErrorsError, .validationMultipleErrors, 1560),
            (NSValidationMissingMandatoryPropertyError, .validationMissingMandatoryProperty, 1570),
            (NSValidationRelationshipLacksMinimumCountError, .validationRelationshipLacksMinimumCount, 1580),
            (
                NSValidationRelationshipExceedsMaximumCountError, .validationRelationshipExceedsMaximumCount,
                1590
            ),
            (NSValidationRelationshipDeniedDeleteError, .validationRelationshipDeniedDelete, 1600),
            (NSValidationNumberTooLargeError, .validationNumberTooLarge, 1610),
            (NSValidationNumberTooSmallError, .validationNumberTooSmall, 1620),
            (NSValidationDateTooLateError, .validationDateTooLate, 1630),
            (NSValidationDateTooSoonError, .validationDateTooSoon, 1640),
            (NSValidationInvalidDateError, .validationInvalidDate, 1650),
            (NSValidationStringTooLongError, .validationStringTooLong, 1660),
            (NSValidationStringTooShortError, .validationStringTooShort, 1670),
            (NSValidationStringPatternMatchingError, .validationStringPatternMatching, 1680),
            (NSValidationInvalidURIError, .init(rawValue: 1690), 1690),
            (NSManagedObjectContextLockingError, .managedObjectContextLocking, 132_000),
            (NSPersistentStoreCoordinatorLockingError, .persistentStoreCoordinatorLocking, 132_010),
            (NSManagedObjectReferentialIntegrityError, .managedObjectReferentialIntegrity, 133_000),
            (NSManagedObjectExternalRelationshipError, .managedObjectExternalRelationship, 133_010),
            (NSManagedObjectMergeError, .managedObjectMerge, 133_020),
            (NSManagedObjectConstraintMergeError, .managedObjectConstraintMerge, 133_021),
            (NSPersistentStoreInvalidTypeError, .persistentStoreInvalidType, 134_000),
            (NSPersistentStoreTypeMismatchError, .persistentStoreTypeMismatch, 134_010),
            (NSPersistentStoreIncompatibleSchemaError, .persistentStoreIncompatibleSchema, 134_020),
            (NSPersistentStoreSaveError, .persistentStoreSave, 134_030),
            (NSPersistentStoreIncompleteSaveError, .persistentStoreIncompleteSave, 134_040),
            (NSPersistentStoreSaveConflictsError, .persistentStoreSaveConflicts, 134_050),
            (NSCoreDataError, .coreData, 134_060),
            (NSPersistentStoreOperationError, .persistentStoreOperation, 134_070),
            (NSPersistentStoreOpenError, .persistentStoreOpen, 134_080),
            (NSPersistentStoreTimeoutError, .persistentStoreTimeout, 134_090),
            (NSPersistentStoreUnsupportedRequestTypeError, .persistentStoreUnsupportedRequestType, 134_091),
            (NSPersistentStoreIncompatibleVersionHashError, .persistentStoreIncompatibleVersionHash, 134_100),
            (NSMigrationError, .migration, 134_110),
            (NSMigrationConstraintViolationError, .init(rawValue: 134_111), 134_111),
            (NSMigrationCancelledError, .migrationCancelled, 134_120),
            (NSMigrationMissingSourceModelError, .migrationMissingSourceModel, 134_130),
            (NSMigrationMissingMappingModelError, .migrationMissingMappingModel, 134_140),
            (NSMigrationManagerSourceStoreError, .migrationManagerSourceStore, 134_150),
            (NSMigrationManagerDestinationStoreError, .migrationManagerDestinationStore, 134_160),
            (NSEntityMigrationPolicyError, .entityMigrationPolicy, 134_170),
            (NSSQLiteError, .sqlite, 134_180),
            (NSInferredMappingModelError, .inferredMappingModel, 134_190),
            (NSExternalRecordImportError, .externalRecordImport, 134_200),
            (NSPersistentHistoryTokenExpiredError, .init(rawValue: 134_301), 134_301),
        ]
        for (constant, code, number) in numbers { #expect(constant == number && code.rawValue == number) }
        #expect(CocoaError.coreData == CocoaError.Code.coreData)
        #expect(NSManagedObjectModelReferenceNotFoundError == 134_504)
        #expect(NSStagedMigrationFrameworkVersionMismatchError == 134_505)
        #expect(NSStagedMigrationBackwardMigrationError == 134_506)
    }
}
