import CoreData

/// A switch over error codes, by constant and by name.
enum SaveErrors {
    static func describe(_ error: Error) -> String {
        let error = error as NSError
        guard error.domain == NSCocoaErrorDomain else { return "other" }
        switch error.code {
        case NSValidationMultipleErrorsError:
            let details = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? []
            return details.map { describe($0) }.sorted().joined(separator: ", ")
        case NSValidationMissingMandatoryPropertyError: return "missing \(key(error))"
        case NSValidationStringTooShortError: return "too short \(key(error))"
        case NSValidationNumberTooSmallError: return "too small \(key(error))"
        case NSManagedObjectConstraintMergeError: return "taken"
        case NSManagedObjectMergeError: return "changed"
        default: return "code \(error.code)"
        }
    }

    private static func key(_ error: NSError) -> String {
        error.userInfo[NSValidationKeyErrorKey] as? String ?? "?"
    }

    static func isTaken(_ work: () throws -> Void) throws -> Bool {
        do {
            try work()
            return false
        } catch CocoaError.managedObjectConstraintMerge {
            return true
        } catch let error as CocoaError where error.code == .validationMultipleErrors {
            return false
        }
    }
}
