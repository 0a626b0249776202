internal import RecordModel
internal import RecordStorage

/// One record, as conditions see it: every condition is true or false of it (``Condition`` has the rules).
struct ConditionRow {
    let name: String
    let record: StoredRecord

    func value(of source: SortKey.Source) -> StorageValue {
        switch source {
        case .column(let column): return value(of: column)
        case .distance(let field, let place):
            guard let own = location(field) else { return .null }
            return .double(
                Location.distanceMetres(own.latitude, own.longitude, place.latitude, place.longitude))
        }
    }

    func value(of column: Column) -> StorageValue {
        switch column {
        case .field(let field): return record.values[field.column].map(Self.value) ?? .null
        case .latitude(let field): return location(field).map { .double($0.latitude) } ?? .null
        case .longitude(let field): return location(field).map { .double($0.longitude) } ?? .null
        case .recordName: return .text(name)
        case .createdAt: return .int(record.createdAt)
        case .modifiedAt: return .int(record.modifiedAt)
        case .createdBy: return .text(record.createdBy)
        case .modifiedBy: return .text(record.modifiedBy)
        case .parent: return record.parent.map { .text($0) } ?? .null
        }
    }

    func fulfils(_ condition: Condition) -> Bool {
        switch condition {
        case .constant(let value): return value
        case .and(let parts): return parts.allSatisfy(fulfils)
        case .or(let parts): return parts.contains(where: fulfils)
        case .not(let part): return !fulfils(part)
        case .compare(let column, let comparison, let wanted):
            return comparison.holds(value(of: column), wanted)
        case .compareColumns(let left, let comparison, let right):
            return comparison.holds(value(of: left), value(of: right))
        case .among(let column, let wanted):
            let own = value(of: column)
            return wanted.contains { Comparison.equal.holds(own, $0) }
        case .prefix(let column, let start):
            guard case .text(let text) = value(of: column) else { return false }
            return text.utf8.starts(with: start.utf8)
        case .text(let column, let match): return match.holds(value(of: column))
        case .anyElement(let column, let test): return elements(of: column).contains { test.holds($0) }
        case .allValues(let column, let wanted):
            let own = elements(of: column)
            return wanted.allSatisfy { value in own.contains { Comparison.equal.holds($0, value) } }
        case .elementCount(let column, let comparison, let count):
            return comparison.holds(.int(Int64(elements(of: column).count)), .int(count))
        case .tokens(let columns, let words, let all): return hasTokens(columns, words, all: all)
        case .near(let field, let place, let metres):
            return location(field).map { $0.distanceMetres(to: place) <= metres } ?? false
        }
    }

    private func hasTokens(_ columns: [Column], _ words: [String], all: Bool) -> Bool {
        var found: Set<String> = []
        for column in columns {
            for case .text(let text) in [value(of: column)] + elements(of: column) {
                found.formUnion(TextTokens.words(of: text))
            }
        }
        return all ? words.allSatisfy(found.contains) : words.contains(where: found.contains)
    }

    private func location(_ field: FieldSchema) -> Location? {
        if case .location(let place)? = record.values[field.column] { place } else { nil }
    }

    private func elements(of column: Column) -> [StorageValue] {
        guard case .field(let field) = column, case .list(let elements, _)? = record.values[field.column]
        else { return [] }
        return elements.map(Self.value)
    }

    /// A value as columns hold it. A list has no value of its own, but it is there.
    private static func value(_ value: FieldValue) -> StorageValue {
        switch value {
        case .string(let text): .text(text)
        case .int64(let value), .timestamp(let value): .int(value)
        case .double(let value): .double(value)
        case .reference(let reference): .text(reference.recordName)
        case .location(let place): .double(place.latitude)
        case .list(let elements, _): elements.isEmpty ? .null : .text("")
        case .bytes, .asset: .null
        }
    }
}

extension Comparison {
    /// Whether two values stand so: missing ones equal each other, differ from all others, and have no order.
    fileprivate func holds(_ left: StorageValue, _ right: StorageValue) -> Bool {
        switch self {
        case .equal: left.order(right) == 0
        case .notEqual: left.order(right) != 0
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            left != .null && right != .null && holds(left.order(right))
        }
    }

    private func holds(_ order: Int) -> Bool {
        switch self {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }
}

extension TextMatch {
    fileprivate func holds(_ value: StorageValue) -> Bool {
        guard case .text(let text) = value else { return kind == .notEqual }
        return accepts(text)
    }
}

extension ElementTest {
    fileprivate func holds(_ value: StorageValue) -> Bool {
        switch self {
        case .compare(let comparison, let wanted): comparison.holds(value, wanted)
        case .among(let wanted): wanted.contains { Comparison.equal.holds(value, $0) }
        case .text(let match): match.holds(value)
        }
    }
}
