import Foundation
import Predicates

/// An object with fixed keys, as a managed object has.
final class Person: KeyValueReadable {
    let values: [String: Any]
    init(_ values: [String: Any]) { self.values = values }
    func value(forKey key: String) -> Any? { values[key] }
    func offersValue(forKey key: String) -> Bool {
        ["name", "age", "pets", "boss", "tags", "born", "score"].contains(key)
    }
}

/// A place, as CLLocation will be.
struct Place: PredicateLocation {
    let predicateLatitude: Double
    let predicateLongitude: Double
}

/// The answer for a format and an object.
func evaluate(
    _ format: String, _ arguments: [Any?] = [], on object: Any?, variables: [String: Any?] = [:]
) throws -> Bool {
    try PredicateTree(parsing: format, arguments: arguments).evaluate(on: object, variables: variables)
}

/// The code of the error that a format gives, or nil when it is right.
func code(of format: String, _ arguments: [Any?] = []) -> String? {
    do {
        _ = try PredicateTree(parsing: format, arguments: arguments)
        return nil
    } catch {
        return error.code
    }
}

/// The code of the error that an evaluation gives, or nil when it has an answer.
func evaluationCode(of format: String, _ arguments: [Any?] = [], on object: Any?) throws -> String? {
    let tree = try PredicateTree(parsing: format, arguments: arguments)
    do {
        _ = try tree.evaluate(on: object)
        return nil
    } catch {
        return error.code
    }
}

/// Reads `predicateFormat` without the warning that Foundation puts on it.
protocol FormatReadable {
    var predicateFormat: String { get }
}

extension NSPredicate: FormatReadable {}

/// The text of a predicate.
func format(of predicate: any FormatReadable) -> String { predicate.predicateFormat }
