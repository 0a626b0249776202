import RecordModel
import RecordStorage
import RecordWire

/// FairQueue the protocol's filters into conditions, all of which have to hold.
struct FilterPlanner {
    let fields: FieldResolver

    func condition(_ filter: FilterDictionary) throws(ServiceError) -> Condition {
        switch filter.comparator {
        case .near: return try near(filter)
        case .containsAllTokens: return try tokens(filter, all: true)
        case .containsAnyTokens: return try tokens(filter, all: false)
        default: break
        }
        guard let (column, type) = try target(filter.selector, for: filter.comparator.use) else {
            return try shareCondition(filter)
        }
        if type.isList {
            return try listCondition(filter, column, type)
        }
        return try scalarCondition(filter, column, type)
    }

    /// The column that a filter looks at; nil for the share, which no record has yet.
    private func target(
        _ selector: FieldSelector, for use: FieldUse
    ) throws(ServiceError) -> (column: Column, type: FieldType)? {
        switch fields.resolving(selector) {
        case .allText: throw ServiceError(.badRequest, "'fieldName' is missing.")
        case .system(let field):
            try fields.check(field, for: use)
            return fields.system(field)
        case .field(let name):
            let field = try fields.queryable(name, for: use)
            return (.field(field), field.type)
        }
    }

    /// A filter on the share: a missing value equals nothing but null.
    private func shareCondition(_ filter: FilterDictionary) throws(ServiceError) -> Condition {
        let isNull = filter.value.value == .null
        switch filter.comparator {
        case .equals: return .constant(isNull)
        case .notEquals: return .constant(!isNull)
        case .in: return .constant(false)
        case .notIn: return .constant(true)
        default: throw mismatch(filter, FieldType(.reference))
        }
    }

    private func scalarCondition(
        _ filter: FilterDictionary, _ column: Column, _ type: FieldType
    ) throws(ServiceError) -> Condition {
        switch filter.comparator {
        case .equals: return try equality(filter, column, type)
        case .notEquals: return .not(try equality(filter, column, type))
        case .lessThan: return try order(filter, column, .less, type)
        case .lessThanOrEquals: return try order(filter, column, .lessOrEqual, type)
        case .greaterThan: return try order(filter, column, .greater, type)
        case .greaterThanOrEquals: return try order(filter, column, .greaterOrEqual, type)
        case .in: return .among(column, try values(filter, type))
        case .notIn: return .not(.among(column, try values(filter, type)))
        case .beginsWith: return .prefix(column, try text(filter, type))
        case .notBeginsWith: return .not(.prefix(column, try text(filter, type)))
        default: throw mismatch(filter, type)
        }
    }

    private func equality(
        _ filter: FilterDictionary, _ column: Column, _ type: FieldType
    ) throws(ServiceError) -> Condition {
        if filter.value.value == .null { return .compare(column, .equal, .null) }
        let value = try decode(filter.value, as: type)
        if case .location(let place) = value, case .field(let field) = column {
            return .and([
                .compare(.latitude(field), .equal, .double(place.latitude)),
                .compare(.longitude(field), .equal, .double(place.longitude)),
            ])
        }
        guard let stored = StorageValue(value) else { throw mismatch(filter, type) }
        return .compare(column, .equal, stored)
    }

    private func order(
        _ filter: FilterDictionary, _ column: Column, _ comparison: Comparison, _ type: FieldType
    ) throws(ServiceError) -> Condition {
        guard type.isOrdered else { throw mismatch(filter, type) }
        guard let value = StorageValue(try decode(filter.value, as: type)) else {
            throw mismatch(filter, type)
        }
        return .compare(column, comparison, value)
    }

    private func listCondition(
        _ filter: FilterDictionary, _ column: Column, _ type: FieldType
    ) throws(ServiceError) -> Condition {
        let element = FieldType(type.scalar)
        switch filter.comparator {
        case .listContains: return try contains(filter, column, element)
        case .notListContains: return .not(try contains(filter, column, element))
        case .listContainsAny, .containsAny: return .anyElement(column, .among(try values(filter, element)))
        case .notListContainsAny: return .not(.anyElement(column, .among(try values(filter, element))))
        case .listContainsAll: return .allValues(column, try values(filter, element))
        case .notListContainsAll: return .not(.allValues(column, try values(filter, element)))
        case .listMemberBeginsWith: return .anyElement(column, .text(try prefix(filter, element)))
        case .notListMemberBeginsWith: return .not(.anyElement(column, .text(try prefix(filter, element))))
        default: throw mismatch(filter, type)
        }
    }

    private func contains(
        _ filter: FilterDictionary, _ column: Column, _ element: FieldType
    ) throws(ServiceError) -> Condition {
        guard let value = StorageValue(try decode(filter.value, as: element)) else {
            throw mismatch(filter, element)
        }
        return .anyElement(column, .compare(.equal, value))
    }

    private func prefix(_ filter: FilterDictionary, _ type: FieldType) throws(ServiceError) -> TextMatch {
        TextMatch(.beginsWith, try text(filter, type))
    }

    private func near(_ filter: FilterDictionary) throws(ServiceError) -> Condition {
        guard case .field(let name) = filter.selector else {
            throw ServiceError(.badRequest, "'fieldName' is missing.")
        }
        let field = try fields.queryable(name)
        guard field.type == FieldType(.location) else { throw mismatch(filter, field.type) }
        guard case .location(let place) = try decode(filter.value, as: field.type) else {
            throw mismatch(filter, field.type)
        }
        let metres = filter.distance ?? .greatestFiniteMagnitude
        guard metres >= 0 else { throw ServiceError(.badRequest, "'distance' cannot be negative.") }
        return .near(field, place, metres: metres)
    }

    private func tokens(_ filter: FilterDictionary, all: Bool) throws(ServiceError) -> Condition {
        guard let text = filter.value.value.string else { throw mismatch(filter, FieldType(.string)) }
        let words = TextTokens.words(of: text).sorted()
        let columns: [Column]
        if case .field(let name) = filter.selector {
            columns = [.field(try fields.searchable(name))]
        } else {
            columns = fields.searchableColumns
        }
        // Of no words, all are there and none is.
        guard !words.isEmpty else { return .constant(all) }
        return columns.isEmpty ? .constant(false) : .tokens(columns, words, all: all)
    }

    private func text(_ filter: FilterDictionary, _ type: FieldType) throws(ServiceError) -> String {
        guard type == FieldType(.string), let text = filter.value.value.string else {
            throw mismatch(filter, type)
        }
        guard !text.utf8.contains(0) else {
            throw ServiceError(.badRequest, "Text cannot contain the character U+0000.")
        }
        return text
    }

    private func values(_ filter: FilterDictionary, _ type: FieldType) throws(ServiceError) -> [StorageValue]
    {
        guard let array = filter.value.value.array else {
            throw ServiceError(.badRequest, "\(filter.comparator.rawValue) needs a list of values.")
        }
        guard array.count <= Limits.valuesPerFilter else {
            throw .tooMany(
                "values in one filter", array.count, exceeding: "valuesPerFilter", Limits.valuesPerFilter)
        }
        var values: [StorageValue] = []
        for element in array {
            guard let value = StorageValue(try decode(WireField(value: element), as: type)) else {
                throw mismatch(filter, type)
            }
            values.append(value)
        }
        return values
    }

    /// A filter's value in the type of the field that it is compared with.
    private func decode(_ field: WireField, as type: FieldType) throws(ServiceError) -> FieldValue {
        var json = field.value
        // A user's or a record's name may come as a reference, and a reference as a bare name.
        if type == FieldType(.string), let name = json.object?["recordName"]?.string {
            json = .string(name)
        } else if type == FieldType(.reference), let name = json.string {
            json = .object(JSONObject([("recordName", .string(name))]))
        }
        switch (type, json) {
        case (FieldType(.int64), .double(let value)): return .double(value)
        // It lies outside of what a field can hold; the nearest number below may be the least that one can.
        case (FieldType(.int64), .longInteger(let value)): return .double(value < 0 ? value.nextDown : value)
        default: break
        }
        let value: FieldValue?
        do {
            value = try FieldValue.decode(WireField(value: json), expected: type, numbersAsStrings: true)
        } catch {
            throw ServiceError(error)
        }
        guard let value else { throw ServiceError(.badRequest, "A value is missing.") }
        return value
    }

    private func mismatch(_ filter: FilterDictionary, _ type: FieldType) -> ServiceError {
        ServiceError(
            .badRequest,
            "\(filter.comparator.rawValue) cannot be used with a field of type \(type.tag) and this value.")
    }
}

extension RecordWire.Comparator {
    /// What the comparator does with its field.
    var use: FieldUse {
        switch self {
        case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals, .beginsWith, .notBeginsWith:
            .range
        default: .filter
        }
    }
}
