internal import StratusCoreData

// What a fetch cannot say in SQL, with Apple's code for a malformed request.

extension CoreDataError {
    private static let invalidFetch = 134060

    private static func fetch(_ message: String, _ remedy: String?, cause: (any Error)? = nil) -> CocoaError {
        CoreDataError(invalidFetch, message, remedy: remedy, cause: cause).cocoa
    }

    static func unknownKey(_ key: String, path: String, in entity: NSEntityDescription) -> CocoaError {
        let name = entity.name ?? "?"
        let message = "keypath \(path) not found in entity \(name)"
        let holders = entity.withDescendants.dropFirst()
            .filter { $0.propertiesByName[key] != nil }.compactMap(\.name)
        if !holders.isEmpty {
            return fetch(
                message, "'\(key)' belongs to \(holders.joined(separator: ", ")); fetch that entity.")
        }
        let known = entity.properties.map(\.name)
        if let near = Suggestion.nearest(to: key, among: known) {
            return fetch(message, "Did you mean '\(near)'?")
        }
        return fetch(message, "\(name) has: \(known.sorted().joined(separator: ", ")).")
    }

    static func transientKey(_ path: String, in entity: NSEntityDescription) -> CocoaError {
        fetch(
            "'\(path)' of \(entity.name ?? "?") is transient, so the store cannot search for it.",
            "Store the attribute, or fetch without it and filter the objects in memory.")
    }

    static func notStored(_ path: String, _ what: String) -> CocoaError {
        fetch("'\(path)' is \(what), which a fetch cannot look into.", "Compare stored attributes instead.")
    }

    static func toManyKeyNotAllowed(_ path: String) -> CocoaError {
        fetch(
            "to-many key not allowed here: '\(path)'.",
            "Write ANY or ALL before it, \(path).@count, or SUBQUERY(…).@count.")
    }

    static func notACollection(_ what: String, _ operation: String) -> CocoaError {
        fetch(
            "\(operation) needs a to-many relationship, and \(what) is not one.",
            "Leave the word out, or use a path over a to-many relationship.")
    }

    static func incomparable(_ left: SQLKind, _ symbol: String, _ right: SQLKind) -> CocoaError {
        fetch(
            "\(symbol) cannot compare \(left.name) and \(right.name).",
            "Compare values of one kind; convert with CAST(value, 'type').")
    }

    static func badArgument(_ function: String, _ what: String) -> CocoaError {
        fetch(
            "\(function) cannot be applied to \(what).", "Pass a value of the kind that the function takes.")
    }

    static func notInSQL(_ what: String, _ remedy: String? = nil) -> CocoaError {
        fetch(
            "\(what) cannot be expressed in SQL.",
            remedy ?? "Fetch without it, and evaluate the predicate over the objects in memory.")
    }

    static func unboundVariable(_ name: String) -> CocoaError {
        fetch(
            "The variable $\(name) has no value.",
            "Set it with withSubstitutionVariables(_:) before the fetch.")
    }

    static func evaluation(_ error: any Error) -> CocoaError {
        let known = error as? PredicateEvaluationError
        return fetch(known?.message ?? "\(error)", known?.remedy, cause: error)
    }
}
