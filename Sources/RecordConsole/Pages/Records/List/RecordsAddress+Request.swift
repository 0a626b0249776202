import RecordImport
import RecordModel
import RecordWire

/// A field that filters and sorts may name.
struct QueryField: Sendable {
    var name: String
    var title: String
    var type: FieldType
    var comparators: [FilterComparator]
    var isSortable: Bool
    var selector: FieldSelector

    /// The fields of a type, then those of every record.
    static func all(of type: RecordType) -> [QueryField] {
        let own = type.fields.map { field in
            QueryField(
                name: field.name, title: field.name, type: field.type,
                comparators: FilterComparator.all(for: field.type), isSortable: field.type.isOrdered,
                selector: .field(field.name))
        }
        let system: [(SystemField, String, FieldType.Scalar)] = [
            (.recordName, "record name", .string), (.createdTimestamp, "created", .timestamp),
            (.modifiedTimestamp, "modified", .timestamp), (.createdUserRecordName, "created by", .string),
            (.modifiedUserRecordName, "modified by", .string),
        ]
        return own
            + system.map { field, title, scalar in
                QueryField(
                    name: RecordsAddress.systemPrefix + field.rawValue, title: title,
                    type: FieldType(scalar), comparators: FilterComparator.all(for: FieldType(scalar)),
                    isSortable: true, selector: .system(field))
            }
            + [
                QueryField(
                    name: allText, title: "any text", type: FieldType(.string),
                    comparators: [.compares(.containsAnyTokens)],
                    isSortable: false, selector: .allText)
            ]
    }

    /// The name of what stands for all searchable text of a record.
    static let allText = RecordsAddress.systemPrefix + "text"
}

extension RecordsAddress {
    /// The request that the address means.
    ///
    /// - Throws: `BAD_REQUEST` for a filter that cannot be, naming its field.
    func request(for type: RecordType) throws(ServiceError) -> RecordsQueryRequest {
        let fields = QueryField.all(of: type)
        var query = QueryDictionary(recordType: type.name)
        for filter in filters {
            guard let field = fields.first(where: { $0.name == filter.field }) else {
                throw ServiceError(
                    .badRequest, "The type has no field '\(filter.field.prefix(64))' to filter by.")
            }
            query.filterBy.append(try Self.filter(filter, field))
        }
        for sort in sorts {
            guard let field = fields.first(where: { $0.name == sort.field }) else {
                throw ServiceError(
                    .badRequest, "The type has no field '\(sort.field.prefix(64))' to sort by.")
            }
            query.sortBy.append(SortDictionary(field.selector, ascending: sort.ascending))
        }
        if !predicate.isEmpty { query.predicate = predicate }
        var request = RecordsQueryRequest(query: query)
        request.zoneID = zoneID
        request.resultsLimit = limit
        switch page {
        case .first: request.backward = false
        case .last: request.backward = true
        case .after(let marker):
            request.backward = false
            request.continuationMarker = marker
        case .before(let marker):
            request.backward = true
            request.continuationMarker = marker
        }
        return request
    }

    private static func filter(_ filter: Filter, _ field: QueryField) throws(ServiceError) -> FilterDictionary
    {
        guard field.comparators.contains(filter.comparator) else {
            throw ServiceError(
                .badRequest, "'\(field.title)' cannot be asked whether it \(filter.comparator.title).",
                remedy:
                    "Choose another comparison: \(field.comparators.map(\.title).joined(separator: ", ")).")
        }
        let comparator = filter.comparator
        var wire: WireField
        var distance: Double?
        if !comparator.takesValue {
            wire = WireField(value: .null)
        } else if comparator.wire == .containsAnyTokens {
            wire = WireField(.string(filter.value))
        } else if comparator.wire == .near {
            let parts = filter.value.split(separator: ",").map { $0.trimmingPrefix { $0.isWhitespace } }
            guard parts.count >= 2,
                let place = try? ValueCoercion.location(String(parts[0]), String(parts[1]))
            else {
                throw ServiceError(
                    .badRequest, "'\(filter.value.prefix(40))' is not a location for '\(field.title)'.",
                    remedy: "Write latitude, longitude, and how many metres away: 52.52, 13.405, 1000")
            }
            distance = parts.count > 2 ? Double(String(parts[2]).trimming { $0.isWhitespace }) : nil
            wire = WireField(.location(place))
        } else if comparator.takesList {
            wire = WireField(try Self.value(filter, field, as: .list(field.type.scalar)))
        } else {
            wire = WireField(try Self.value(filter, field, as: FieldType(field.type.scalar)))
        }
        // The field's own type decides.
        wire.type = nil
        return FilterDictionary(comparator.wire, field.selector, wire, distance: distance)
    }

    private static func value(
        _ filter: Filter, _ field: QueryField, as type: FieldType
    ) throws(ServiceError) -> FieldValue {
        do {
            return try ValueCoercion.value(filter.value, as: type)
        } catch {
            throw ServiceError(.badRequest, "The filter of '\(field.title)': \(error.description)")
        }
    }
}
