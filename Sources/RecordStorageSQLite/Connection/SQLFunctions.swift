import CStratusSQLite
import Foundation
import RecordModel
import RecordStorage
import SQLiteAccess

/// What SQLite cannot say by itself, as functions that every connection has.
enum SQLFunctions {
    /// - Parameter deadline: when the connection's work has to end.
    static func all(_ deadline: Deadline) -> [SQLiteFunction] {
        [text(deadline), distance, tokens]
    }

    /// From so many comparisons of characters a match takes long enough to look at the clock first: SQLite itself
    /// looks only after hundreds of rows.
    private static let longMatch = 4_096

    /// `stratus_text(value, kind, pattern, flags)`: whether text matches; 1 in the flags ignores case, 2
    /// diacritics.
    private static func text(_ deadline: Deadline) -> SQLiteFunction {
        let known = FoldedTexts()
        deadline.onBegin { known.forget() }
        return SQLiteFunction("stratus_text", 4) { .int(try matches($0, deadline, known) ? 1 : 0) }
    }

    private static func matches(
        _ arguments: SQLiteArguments, _ deadline: Deadline, _ known: FoldedTexts
    ) throws -> Bool {
        guard let value = arguments.text(0),
            let kind = arguments.text(1).flatMap(TextMatch.Kind.init(rawValue:)),
            let pattern = arguments.text(2)
        else { return false }
        func check() throws {
            if deadline.isOver { throw SQLiteFailure(code: SQLITE_INTERRUPT) }
        }
        if value.utf8.count * max(1, pattern.utf8.count) >= longMatch { try check() }
        let flags = arguments.int(3)
        let match = TextMatch(kind, pattern, ignoresCase: flags & 1 != 0, ignoresDiacritics: flags & 2 != 0)
        return try known.accepts(value, match, check: check)
    }

    /// `stratus_distance(latitude, longitude, latitude, longitude)` in metres; null where a value is missing.
    private static let distance = SQLiteFunction("stratus_distance", 4) { arguments in
        let degrees = (0..<4).compactMap { arguments.double($0) }
        guard degrees.count == 4 else { return .null }
        return .double(Location.distanceMetres(degrees[0], degrees[1], degrees[2], degrees[3]))
    }

    /// `stratus_tokens(all, words, text…)`: whether the texts together hold all, or any, of the words, which
    /// are separated by spaces.
    private static let tokens = SQLiteFunction("stratus_tokens", -1) { arguments in
        guard arguments.count > 2, let words = arguments.text(1)?.split(separator: " ").map(String.init)
        else { return .int(0) }
        let all = arguments.int(0) != 0
        var found: Set<String> = []
        for position in 2..<arguments.count {
            if let text = arguments.text(position) { found.formUnion(TextTokens.words(of: text)) }
        }
        return .int((all ? words.allSatisfy(found.contains) : words.contains(where: found.contains)) ? 1 : 0)
    }
}
