/// The errors of validation, with Apple's codes and keys.
enum ValidationErrors {
    static func error(
        _ code: Int, _ message: String, _ object: NSManagedObject, _ key: String, _ value: Any?,
        predicate: NSPredicate? = nil
    ) -> CocoaError {
        var info: [String: Any] = [
            NSValidationObjectErrorKey: object, NSValidationKeyErrorKey: key,
            NSValidationValueErrorKey: value ?? NSNull(),
            // The message names the property alone, as users read it.
            NSDebugDescriptionErrorKey: "\(object.entity.name ?? "?").\(key)",
        ]
        info[NSValidationPredicateErrorKey] = predicate
        return CoreDataError(code, message, userInfo: info).cocoa
    }

    /// One error as it is, several as one error that lists them; nil for none.
    static func combined(_ errors: [any Error]) -> (any Error)? {
        let all = errors.flatMap { error -> [any Error] in
            if let cocoa = error as? CocoaError, cocoa.errorCode == 1560,
                let details = cocoa.userInfo["NSDetailedErrors"] as? [any Error]
            {
                return details
            }
            return [error]
        }
        guard all.count > 1 else { return all.first }
        let first = all.prefix(3).map {
            ($0 as? CocoaError)?.userInfo[NSLocalizedDescriptionKey] as? String ?? "\($0)"
        }
        return CoreDataError(
            1560, "Multiple validation errors occurred, \(all.count) in all: " + first.joined(separator: " "),
            remedy: "Look at NSDetailedErrors in the error's userInfo.", userInfo: ["NSDetailedErrors": all]
        ).cocoa
    }
}

/// The keys of validation errors.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// The key that was not valid.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"
/// The value that was not valid.
public let NSValidationValueErrorKey = "NSValidationErrorValue"
/// The predicate that did not hold.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// The errors that an error 1560 stands for.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// The conflicts of an error 133020 or 133021.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
/// The objects that an error is about.
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
/// The stores that an error is about.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
