import Foundation
import RecordModel
import RecordStorage

/// Conditions in words, for an operator who asks why a record did not fulfil one.
extension Condition {
    /// The condition as predicates are written.
    var words: String {
        switch self {
        case .constant(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .and(let parts): Self.joined(parts, " AND ")
        case .or(let parts): Self.joined(parts, " OR ")
        case .not(let part): "NOT (\(part.words))"
        case .compare(let column, let comparison, let value):
            "\(column.words) \(comparison.sign) \(column.words(of: value))"
        case .compareColumns(let left, let comparison, let right):
            "\(left.words) \(comparison.sign) \(right.words)"
        case .among(let column, let values): "\(column.words) IN \(column.words(of: values))"
        case .prefix(let column, let start): "\(column.words) BEGINSWITH \(column.words(of: .text(start)))"
        case .text(let column, let match): "\(column.words) \(match.words)"
        case .anyElement(let column, let test): "ANY \(column.words) \(test.words(of: column))"
        case .allValues(let column, let values): "\(column.words) has all of \(column.words(of: values))"
        case .elementCount(let column, let comparison, let count):
            "\(column.words).@count \(comparison.sign) \(count)"
        case .tokens(let columns, let words, let all):
            "\(columns.map(\.words).joined(separator: ", ")) has \(all ? "all" : "one") of the words \(words.joined(separator: ", "))"
        case .near(let field, let place, let metres):
            "\(field.name) is within \(metres) m of \(place.latitude), \(place.longitude)"
        }
    }

    private static func joined(_ parts: [Condition], _ word: String) -> String {
        parts.map { part in
            if case .compare = part { part.words } else { "(\(part.words))" }
        }.joined(separator: word)
    }
}

extension Column {
    var words: String {
        switch self {
        case .field(let field): field.name
        case .latitude(let field): "\(field.name).latitude"
        case .longitude(let field): "\(field.name).longitude"
        case .recordName: "recordName"
        case .createdAt: "the time of creation"
        case .modifiedAt: "the time of the last change"
        case .createdBy: "its creator"
        case .modifiedBy: "who changed it last"
        case .parent: "its parent"
        }
    }

    private var isTime: Bool {
        switch self {
        case .createdAt, .modifiedAt: true
        case .field(let field): field.type.scalar == .timestamp
        default: false
        }
    }

    /// The most characters of a text that are shown.
    private static let shownCharacters = 100
    private static let shownValues = 10

    /// A value of the column.
    func words(of value: StorageValue) -> String {
        switch value {
        case .null: "nothing"
        case .int(let number):
            isTime
                ? Date(timeIntervalSince1970: Double(number) / 1_000).formatted(.iso8601) : String(number)
        case .double(let number): String(number)
        case .text(let text):
            "'\(text.prefix(Self.shownCharacters))\(text.count > Self.shownCharacters ? "…" : "")'"
        }
    }

    func words(of values: [StorageValue]) -> String {
        let shown = values.prefix(Self.shownValues).map { words(of: $0) }
        return "{\((shown + (values.count > shown.count ? ["…"] : [])).joined(separator: ", "))}"
    }
}

extension Comparison {
    var sign: String {
        switch self {
        case .equal: "=="
        case .notEqual: "!="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
    }
}

extension TextMatch {
    fileprivate var words: String {
        let sign =
            switch kind {
            case .equal: "=="
            case .notEqual: "!="
            case .less: "<"
            case .lessOrEqual: "<="
            case .greater: ">"
            case .greaterOrEqual: ">="
            case .contains: "CONTAINS"
            case .beginsWith: "BEGINSWITH"
            case .endsWith: "ENDSWITH"
            case .like: "LIKE"
            }
        let flags = (ignoresCase ? "c" : "") + (ignoresDiacritics ? "d" : "")
        return "\(sign)\(flags.isEmpty ? "" : "[\(flags)]") \(Column.recordName.words(of: .text(pattern)))"
    }
}

extension ElementTest {
    fileprivate func words(of column: Column) -> String {
        switch self {
        case .compare(let comparison, let value): "\(comparison.sign) \(column.words(of: value))"
        case .among(let values): "IN \(column.words(of: values))"
        case .text(let match): match.words
        }
    }
}

extension LoggedRecord {
    /// The parts of a condition that the record does not fulfil, each with the value that it has instead.
    func unfulfilled(_ condition: Condition) -> [String] { unfulfilled(condition, ComparedRecord(self)) }

    private func unfulfilled(_ condition: Condition, _ compared: ComparedRecord<LoggedRecord>) -> [String] {
        guard !compared.fulfils(condition) else { return [] }
        switch condition {
        case .constant: return ["no record can fulfil it"]
        case .and(let parts): return parts.flatMap { unfulfilled($0, compared) }
        case .or(let parts):
            return parts.isEmpty ? ["no record can fulfil it"] : parts.flatMap { unfulfilled($0, compared) }
        case .compare(let column, _, _), .among(let column, _), .prefix(let column, _), .text(let column, _):
            return [sentence(condition, [column])]
        case .compareColumns(let left, _, let right): return [sentence(condition, [left, right])]
        case .anyElement(let column, _), .allValues(let column, _), .elementCount(let column, _, _):
            return ["\(condition.words): it has \(column.words(of: elements(of: column)))"]
        case .near(let field, _, _):
            let place = location(field).map { "\($0.latitude), \($0.longitude)" } ?? "nothing"
            return ["\(condition.words): it has \(place)"]
        case .not, .tokens: return [condition.words]
        }
    }

    private func sentence(_ condition: Condition, _ columns: [Column]) -> String {
        let values = columns.map { column in
            // Of a list any element is the value.
            let elements = elements(of: column)
            return elements.isEmpty ? column.words(of: value(of: column)) : column.words(of: elements)
        }
        return "\(condition.words): it has \(values.joined(separator: " and "))"
    }
}
