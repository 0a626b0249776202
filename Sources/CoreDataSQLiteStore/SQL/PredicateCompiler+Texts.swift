internal import SQLiteAccess
internal import StratusCoreData

// Membership, and the operators on texts.

extension PredicateCompiler {
    /// `element IN container`, and CONTAINS the other way round.
    func member(
        _ element: Operand, of container: Operand, _ word: String, _ options: PredicateOptions
    ) throws -> SQLPiece {
        switch container {
        case .constant(let value): return try member(element, of: value, word, options)
        case .list(let elements): return .or(try elements.map { try equal(element, $0, options) })
        case .collection(let collection):
            guard collection.depth == 1 else { throw CoreDataError.toManyKeyNotAllowed(collection.path) }
            return try exists(collection) { try equal($0, element, options) }
        case .object(let object):
            throw CoreDataError.notACollection(object.entity.entity.name ?? "an object", word)
        case .scalar(let scalar):
            guard scalar.kind == .string else {
                if scalar.kind == .nothing { return .no }
                throw CoreDataError.notACollection(
                    scalar.path.isEmpty ? scalar.kind.name : scalar.path, word)
            }
            return try text(container, .contains, element, options)
        }
    }

    private func member(
        _ element: Operand, of value: PredicateValue, _ word: String, _ options: PredicateOptions
    ) throws -> SQLPiece {
        if value == .null { return .no }
        if case .string = value { return try text(.constant(value), .contains, element, options) }
        guard let values = value.elements else {
            throw CoreDataError.notACollection(SQLKind(value)?.name ?? "an object", word)
        }
        if case .collection(let collection) = element {
            throw CoreDataError.toManyKeyNotAllowed(collection.path)
        }
        if case .list = element {
            return .or(try values.map { try equal(element, .constant($0), options) })
        }
        let left = try scalar(element, word)
        var bindings: [SQLBinding] = []
        var others: [SQLPiece] = []
        for value in values {
            if case .value(let binding) = encoded(value, for: left.kind) {
                bindings.append(left.kind == .string ? folded(binding, options) : binding)
            } else if case .int(let number) = value, left.kind == .string, left.isColumn {
                // A column of texts equals a number by its digits: https://www.sqlite.org/datatype3.html, 4.2. Apple's
                // stores find these rows, by the tests of https://github.com/alemar11/CoreDataPlus.
                bindings.append(.text(String(number)))
            } else {
                others.append(try equal(element, .constant(value), options))
            }
        }
        let text = left.kind == .string ? folded(left.text, options) : left.text
        if !bindings.isEmpty { others.insert(try among(text, bindings), at: 0) }
        return .or(others)
    }

    /// From this many values on they are passed as one, so that statements are equal and SQLite's limit of placeholders
    /// is not met.
    private static let placesLimit = 50

    private func among(_ text: SQLPiece, _ bindings: [SQLBinding]) throws -> SQLPiece {
        if bindings.count == 1 { return "\(text) = \(bind: bindings[0])" }
        guard bindings.count > Self.placesLimit else { return "\(text) IN \(SQLPiece.places(bindings))" }
        if let json = Self.json(bindings) {
            return "\(text) IN (SELECT value FROM json_each(\(bind: .text(json))))"
        }
        guard bindings.count <= Self.maximumPlaces else {
            throw CoreDataError.notInSQL(
                "IN with \(bindings.count) values of this type", "Fetch in parts of \(Self.maximumPlaces).")
        }
        return "\(text) IN \(SQLPiece.places(bindings))"
    }

    private static let maximumPlaces = 30_000

    /// A JSON array of integers, or of texts; nil where one of them would not come back as it is.
    private static func json(_ bindings: [SQLBinding]) -> String? {
        var json = "["
        for (index, binding) in bindings.enumerated() {
            if index > 0 { json += "," }
            switch binding {
            case .int(let number): json += String(number)
            case .text(let text):
                json += "\""
                for scalar in text.unicodeScalars {
                    switch scalar {
                    case "\0": return nil
                    case "\"", "\\":
                        json += "\\"
                        json.unicodeScalars.append(scalar)
                    case "\u{1}"..."\u{1F}":
                        json += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
                    default: json.unicodeScalars.append(scalar)
                    }
                }
                json += "\""
            default: return nil
            }
        }
        return json + "]"
    }

    // MARK: Operators on texts

    func text(
        _ left: Operand, _ comparison: PredicateOperator, _ right: Operand, _ options: PredicateOptions
    ) throws -> SQLPiece {
        if case .constant(.null) = left { return .no }
        if case .constant(.null) = right { return .no }
        let text = try scalar(left, comparison.symbol)
        let pattern = try scalar(right, comparison.symbol)
        if text.kind == .nothing || pattern.kind == .nothing { return .no }
        guard text.kind == .string, pattern.kind == .string else {
            throw CoreDataError.incomparable(text.kind, comparison.symbol, pattern.kind)
        }
        if !isFolding(options) {
            if comparison == .contains { return "instr(\(text.text), \(pattern.text)) > 0" }
            if comparison == .beginsWith, text.isColumn, case .constant(.string(let start)) = right {
                return prefix(text.text, start)
            }
        }
        if comparison == .matches, case .constant(let value) = right {
            // A malformed pattern is reported before the first row.
            let tree = PredicateTree.compare(
                .constant(.string("")), .matches, .constant(value), options: options)
            do { _ = try tree.evaluate(on: nil) } catch { throw CoreDataError.evaluation(error) }
        }
        return
            "stratus_text(\(String(comparison.code)), \(String(options.rawValue)), \(text.text), \(pattern.text))"
    }

    /// A range of the column, which an index answers.
    private func prefix(_ column: SQLPiece, _ start: String) -> SQLPiece {
        if start.isEmpty { return "\(column) IS NOT NULL" }
        guard let end = Self.successor(of: start) else { return "\(column) >= \(bind: .text(start))" }
        return "\(column) >= \(bind: .text(start)) AND \(column) < \(bind: .text(end))"
    }

    /// The least text above all that begin so; nil where there is none.
    private static func successor(of text: String) -> String? {
        var scalars = Array(text.unicodeScalars)
        while let last = scalars.popLast() {
            // The surrogates are no scalars: what follows U+D7FF is U+E000.
            guard let next = Unicode.Scalar(last.value == 0xD7FF ? 0xE000 : last.value + 1) else { continue }
            var end = String.UnicodeScalarView(scalars)
            end.append(next)
            return String(end)
        }
        return nil
    }
}
