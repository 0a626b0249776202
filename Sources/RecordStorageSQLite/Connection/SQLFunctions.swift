import Foundation
import GRDB
import RecordModel
import RecordStorage

/// What SQLite cannot say by itself, as functions that every connection has.
enum SQLFunctions {
    /// - Parameter deadline: when the connection's work has to end.
    static func all(_ deadline: Deadline) -> [DatabaseFunction] {
        [text(deadline), distance, tokens]
    }

    /// From this length a text takes long enough to look at the clock first: SQLite itself looks only after
    /// many rows.
    private static let longText = 4_096

    /// `stratus_text(value, kind, pattern, flags)`: whether text matches; 1 in the flags ignores case, 2
    /// diacritics.
    private static func text(_ deadline: Deadline) -> DatabaseFunction {
        DatabaseFunction("stratus_text", argumentCount: 4, pure: true) { values in
            try matches(values, deadline)
        }
    }

    private static func matches(_ values: [DatabaseValue], _ deadline: Deadline) throws -> Bool {
        guard let value = String.fromDatabaseValue(values[0]),
            let kind = String.fromDatabaseValue(values[1]).flatMap(TextMatch.Kind.init(rawValue:)),
            let pattern = String.fromDatabaseValue(values[2]), let flags = Int.fromDatabaseValue(values[3])
        else { return false }
        if value.utf8.count >= longText, deadline.isOver {
            throw DatabaseError(resultCode: .SQLITE_INTERRUPT)
        }
        let match = TextMatch(kind, pattern, ignoresCase: flags & 1 != 0, ignoresDiacritics: flags & 2 != 0)
        return match.accepts(value)
    }

    /// `stratus_distance(latitude, longitude, latitude, longitude)` in metres; null where a value is missing.
    private static let distance = DatabaseFunction("stratus_distance", argumentCount: 4, pure: true) {
        values in
        let degrees = values.compactMap { Double.fromDatabaseValue($0) }
        guard degrees.count == 4 else { return nil }
        return Location.distanceMetres(degrees[0], degrees[1], degrees[2], degrees[3])
    }

    /// `stratus_tokens(all, words, text…)`: whether the texts together hold all, or any, of the words, which
    /// are separated by spaces.
    private static let tokens = DatabaseFunction("stratus_tokens", pure: true) { values in
        guard values.count > 2, let all = Bool.fromDatabaseValue(values[0]),
            let words = String.fromDatabaseValue(values[1])?.split(separator: " ").map(String.init)
        else { return false }
        var found: Set<String> = []
        for value in values.dropFirst(2) {
            if let text = String.fromDatabaseValue(value) { found.formUnion(TextTokens.words(of: text)) }
        }
        return all ? words.allSatisfy(found.contains) : words.contains(where: found.contains)
    }
}
