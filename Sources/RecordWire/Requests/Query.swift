public import RecordModel

/// The field that a filter or a sort looks at.
public enum FieldSelector: Hashable, Sendable {
    /// A field of the record type.
    case field(String)
    /// A field that every record has.
    case system(SystemField)
    /// All searchable text of the record, which token filters may look at.
    case allText
}

/// The fields that every record has.
public enum SystemField: String, Hashable, Sendable, CaseIterable {
    case recordName
    case createdTimestamp
    case modifiedTimestamp
    case createdUserRecordName
    case modifiedUserRecordName
    case share
    case parent

    /// Finds a system field by any of the three spellings on the wire (Documentation/Protocol.md, 'System fields').
    public init?(spelling: String) {
        switch spelling {
        case "recordName", "___recordID", "___recordId": self = .recordName
        case "createdTimestamp", "___createTime": self = .createdTimestamp
        case "modifiedTimestamp", "___modTime": self = .modifiedTimestamp
        case "createdUserRecordName", "___createdBy": self = .createdUserRecordName
        case "modifiedUserRecordName", "___modifiedBy": self = .modifiedUserRecordName
        case "share", "___share": self = .share
        case "parent", "___parent": self = .parent
        default: return nil
        }
    }
}

/// How a filter compares (Documentation/Protocol.md, 'Comparators').
public enum Comparator: String, Hashable, Sendable, CaseIterable {
    case equals = "EQUALS"
    case notEquals = "NOT_EQUALS"
    case lessThan = "LESS_THAN"
    case lessThanOrEquals = "LESS_THAN_OR_EQUALS"
    case greaterThan = "GREATER_THAN"
    case greaterThanOrEquals = "GREATER_THAN_OR_EQUALS"
    case near = "NEAR"
    case containsAllTokens = "CONTAINS_ALL_TOKENS"
    case containsAnyTokens = "CONTAINS_ANY_TOKENS"
    case `in` = "IN"
    case notIn = "NOT_IN"
    case listContains = "LIST_CONTAINS"
    case notListContains = "NOT_LIST_CONTAINS"
    case listContainsAny = "LIST_CONTAINS_ANY"
    case notListContainsAny = "NOT_LIST_CONTAINS_ANY"
    case listContainsAll = "LIST_CONTAINS_ALL"
    case notListContainsAll = "NOT_LIST_CONTAINS_ALL"
    case beginsWith = "BEGINS_WITH"
    case notBeginsWith = "NOT_BEGINS_WITH"
    case listMemberBeginsWith = "LIST_MEMBER_BEGINS_WITH"
    case notListMemberBeginsWith = "NOT_LIST_MEMBER_BEGINS_WITH"
    /// An older word for ``listContainsAny``, which errors repeat as it came.
    case containsAny = "CONTAINS_ANY"
}

/// One condition of a query; all of them have to hold.
public struct FilterDictionary: Hashable, Sendable {
    /// How to compare.
    public var comparator: Comparator
    /// What to look at.
    public var selector: FieldSelector
    /// What to compare with.
    public var value: WireField
    /// For `NEAR`: the radius in metres; nil for no limit.
    public var distance: Double?

    /// Makes a condition.
    public init(
        _ comparator: Comparator, _ selector: FieldSelector, _ value: WireField, distance: Double? = nil
    ) {
        self.comparator = comparator
        self.selector = selector
        self.value = value
        self.distance = distance
    }

    init(json: JSONObject) throws(JSONError) {
        let word = try json.requiredString("comparator")
        guard let comparator = Comparator(rawValue: word) else {
            throw .shape("'\(word.prefix(40))' is not a comparator.")
        }
        self.comparator = comparator
        if let selector = try FieldSelector(json: json) {
            self.selector = selector
        } else if comparator == .containsAllTokens || comparator == .containsAnyTokens {
            selector = .allText
        } else {
            throw .missing("fieldName")
        }
        guard let field = try json.object("fieldValue") else { throw .missing("fieldValue") }
        // A missing value is no null here: the filter would find what nobody asked for.
        guard field["value"] != nil || field.members.contains(where: { $0.key == "value" }) else {
            throw .shape("The filter \(word) has a 'fieldValue' without 'value'.")
        }
        value = try WireField(json: field)
        distance = try json.double("distance")
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("comparator", comparator.rawValue)
        selector.writeMembers(to: &writer)
        writer.key("fieldValue")
        value.write(to: &writer)
        if let distance {
            writer.key("distance")
            writer.double(distance)
        }
        writer.endObject()
    }
}

/// One sort key of a query.
public struct SortDictionary: Hashable, Sendable {
    /// What to sort by.
    public var selector: FieldSelector
    /// Whether small values come first.
    public var ascending: Bool
    /// Where given, the sort is by the distance from there.
    public var relativeLocation: Location?

    /// Makes a sort key.
    public init(_ selector: FieldSelector, ascending: Bool = true, relativeLocation: Location? = nil) {
        self.selector = selector
        self.ascending = ascending
        self.relativeLocation = relativeLocation
    }

    init(json: JSONObject) throws(JSONError) {
        guard let selector = try FieldSelector(json: json) else { throw .missing("fieldName") }
        self.selector = selector
        ascending = try json.bool("ascending") ?? true
        if let object = try json.object("relativeLocation") {
            // A field value of type LOCATION; the bare dictionary is taken too.
            let place = try object.object("value")
            relativeLocation = try Location(json: place ?? object)
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        selector.writeMembers(to: &writer)
        writer.member("ascending", ascending)
        if let relativeLocation {
            writer.key("relativeLocation")
            WireField(.location(relativeLocation)).write(to: &writer)
        }
        writer.endObject()
    }
}

extension FieldSelector {
    fileprivate init?(json: JSONObject) throws(JSONError) {
        if let name = try json.string("systemFieldName") {
            guard let field = SystemField(spelling: name) else {
                throw .shape("'\(name.prefix(64))' is not a system field.")
            }
            self = .system(field)
        } else if let name = try json.string("fieldName") {
            // Clients put system fields here as well. Names without the three underscores may be a field of the
            // type, so they are distinguished where the type is known.
            let system = name.hasPrefix("___") ? SystemField(spelling: name) : nil
            self = system.map { .system($0) } ?? .field(name)
        } else {
            return nil
        }
    }

    fileprivate func writeMembers(to writer: inout JSONWriter) {
        switch self {
        case .field(let name): writer.member("fieldName", name)
        case .system(let field): writer.member("systemFieldName", field.rawValue)
        case .allText: break
        }
    }
}

/// What to look for: a record type, conditions that all have to hold, and an order.
public struct QueryDictionary: Hashable, Sendable {
    /// The record type.
    public var recordType: String
    /// The conditions.
    public var filterBy: [FilterDictionary]
    /// The order.
    public var sortBy: [SortDictionary]
    /// A further condition in the predicate format language; our extension.
    public var predicate: String?

    /// Makes a query.
    public init(
        recordType: String, filterBy: [FilterDictionary] = [], sortBy: [SortDictionary] = [],
        predicate: String? = nil
    ) {
        self.recordType = recordType
        self.filterBy = filterBy
        self.sortBy = sortBy
        self.predicate = predicate
    }

    init(json: JSONObject) throws(JSONError) {
        recordType = try json.requiredString("recordType")
        filterBy = []
        for object in try json.objects("filterBy") { filterBy.append(try FilterDictionary(json: object)) }
        sortBy = []
        for object in try json.objects("sortBy") { sortBy.append(try SortDictionary(json: object)) }
        predicate = try json.string("predicate")
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("recordType", recordType)
        if !filterBy.isEmpty {
            writer.key("filterBy")
            writer.beginArray()
            for filter in filterBy { filter.write(to: &writer) }
            writer.endArray()
        }
        if !sortBy.isEmpty {
            writer.key("sortBy")
            writer.beginArray()
            for sort in sortBy { sort.write(to: &writer) }
            writer.endArray()
        }
        writer.member("predicate", predicate)
        writer.endObject()
    }
}
