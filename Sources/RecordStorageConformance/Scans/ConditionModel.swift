import RecordModel
import RecordStorage
import TestSeeds

/// Conditions as their documentation says them, in plain Swift: the law's other side.
struct ConditionModel {
    var name: String
    var fields: [String: FieldValue]

    func value(_ column: Column) -> StorageValue {
        switch column {
        case .recordName: .text(name)
        case .field(let field): fields[field.name].map(Self.stored) ?? .null
        case .latitude(let field): place(field).map { .double($0.latitude) } ?? .null
        case .longitude(let field): place(field).map { .double($0.longitude) } ?? .null
        default: .null
        }
    }

    private func place(_ field: FieldSchema) -> Location? {
        if case .location(let place)? = fields[field.name] { place } else { nil }
    }

    private func elements(_ column: Column) -> [StorageValue] {
        guard case .field(let field) = column, case .list(let elements, _)? = fields[field.name] else {
            return []
        }
        return elements.map(Self.stored)
    }

    static func stored(_ value: FieldValue) -> StorageValue {
        switch value {
        case .string(let text): .text(text)
        case .int64(let int), .timestamp(let int): .int(int)
        case .double(let double): .double(double)
        case .reference(let reference): .text(reference.recordName)
        case .location(let place): .double(place.latitude)
        case .list(let elements, _): elements.isEmpty ? .null : .text("list")
        case .bytes, .asset: .null
        }
    }

    func holds(_ condition: Condition) -> Bool {
        switch condition {
        case .constant(let value): return value
        case .and(let parts): return parts.allSatisfy(holds)
        case .or(let parts): return parts.contains(where: holds)
        case .not(let part): return !holds(part)
        case .compare(let column, let comparison, let wanted):
            return Self.compare(value(column), comparison, wanted)
        case .compareColumns(let left, let comparison, let right):
            return Self.compare(value(left), comparison, value(right))
        case .among(let column, let wanted):
            return wanted.contains { Self.compare(value(column), .equal, $0) }
        case .prefix(let column, let start):
            guard case .text(let text) = value(column) else { return false }
            return text.utf8.starts(with: start.utf8)
        case .text(let column, let match):
            guard case .text(let text) = value(column) else { return match.kind == .notEqual }
            return match.accepts(text)
        case .anyElement(let column, let test): return elements(column).contains { Self.passes($0, test) }
        case .allValues(let column, let wanted):
            return wanted.allSatisfy { value in elements(column).contains { Self.compare($0, .equal, value) }
            }
        case .elementCount(let column, let comparison, let count):
            return Self.compare(.int(Int64(elements(column).count)), comparison, .int(count))
        case .tokens(let columns, let words, let all):
            var found: Set<String> = []
            for column in columns {
                if case .text(let text) = value(column) { found.formUnion(TextTokens.words(of: text)) }
            }
            return all ? found.isSuperset(of: words) : !found.isDisjoint(with: words)
        case .near(let field, let center, let metres):
            return place(field).map { $0.distanceMetres(to: center) <= metres } ?? false
        }
    }

    private static func passes(_ element: StorageValue, _ test: ElementTest) -> Bool {
        switch test {
        case .compare(let comparison, let wanted): return compare(element, comparison, wanted)
        case .among(let wanted): return wanted.contains { compare(element, .equal, $0) }
        case .text(let match):
            guard case .text(let text) = element else { return match.kind == .notEqual }
            return match.accepts(text)
        }
    }

    /// Missing values equal each other and nothing else, and have no order.
    static func compare(_ left: StorageValue, _ comparison: Comparison, _ right: StorageValue) -> Bool {
        switch comparison {
        case .equal: left == .null || right == .null ? left == right : order(left, right) == 0
        case .notEqual: !compare(left, .equal, right)
        case .less: order(left, right).map { $0 < 0 } ?? false
        case .lessOrEqual: order(left, right).map { $0 <= 0 } ?? false
        case .greater: order(left, right).map { $0 > 0 } ?? false
        case .greaterOrEqual: order(left, right).map { $0 >= 0 } ?? false
        }
    }

    /// Negative where the left value comes first; nil where one of them is missing.
    static func order(_ left: StorageValue, _ right: StorageValue) -> Int? {
        switch (left, right) {
        case (.null, _), (_, .null): nil
        case (.text(let left), .text(let right)):
            left.utf8.elementsEqual(right.utf8) ? 0 : left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
        case (.int(let left), .int(let right)): left < right ? -1 : left == right ? 0 : 1
        case (.text, _): 1
        case (_, .text): -1
        default: number(left) < number(right) ? -1 : number(left) == number(right) ? 0 : 1
        }
    }

    private static func number(_ value: StorageValue) -> Double {
        switch value {
        case .int(let value): Double(value)
        case .double(let value): value
        case .null, .text: 0
        }
    }
}
