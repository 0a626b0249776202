import RecordModel
import RecordWire

/// What the filter builder can ask: the protocol's comparators in plain words, and two of our own for missing values.
enum FilterComparator: String, Sendable, CaseIterable {
    case equals = "EQUALS"
    case notEquals = "NOT_EQUALS"
    case lessThan = "LESS_THAN"
    case lessThanOrEquals = "LESS_THAN_OR_EQUALS"
    case greaterThan = "GREATER_THAN"
    case greaterThanOrEquals = "GREATER_THAN_OR_EQUALS"
    case beginsWith = "BEGINS_WITH"
    case notBeginsWith = "NOT_BEGINS_WITH"
    case isIn = "IN"
    case notIn = "NOT_IN"
    case listContains = "LIST_CONTAINS"
    case notListContains = "NOT_LIST_CONTAINS"
    case listContainsAny = "LIST_CONTAINS_ANY"
    case listContainsAll = "LIST_CONTAINS_ALL"
    case listMemberBeginsWith = "LIST_MEMBER_BEGINS_WITH"
    case near = "NEAR"
    case anyWord = "CONTAINS_ANY_TOKENS"
    case isMissing = "IS_MISSING"
    case isThere = "IS_THERE"

    var title: String {
        switch self {
        case .equals: "is"
        case .notEquals: "is not"
        case .lessThan: "is less than"
        case .lessThanOrEquals: "is at most"
        case .greaterThan: "is greater than"
        case .greaterThanOrEquals: "is at least"
        case .beginsWith: "begins with"
        case .notBeginsWith: "does not begin with"
        case .isIn: "is one of (a; b; c)"
        case .notIn: "is none of (a; b; c)"
        case .listContains: "contains"
        case .notListContains: "does not contain"
        case .listContainsAny: "contains any of (a; b; c)"
        case .listContainsAll: "contains all of (a; b; c)"
        case .listMemberBeginsWith: "has one that begins with"
        case .near: "is near (latitude, longitude, metres)"
        case .anyWord: "has a word of"
        case .isMissing: "has no value"
        case .isThere: "has a value"
        }
    }

    /// The comparator of the protocol.
    var wire: Comparator {
        switch self {
        case .isMissing: .equals
        case .isThere: .notEquals
        default: Comparator(rawValue: rawValue) ?? .equals
        }
    }

    /// Whether a value stands beside it.
    var takesValue: Bool { self != .isMissing && self != .isThere }

    /// Whether several values are taken, separated by `;`.
    var takesList: Bool { [.isIn, .notIn, .listContainsAny, .listContainsAll].contains(self) }

    /// What a field of a type can be asked.
    static func all(for type: FieldType) -> [FilterComparator] {
        if type.isList {
            return [.listContains, .notListContains, .listContainsAny, .listContainsAll]
                + (type.scalar == .string ? [.listMemberBeginsWith] : [])
        }
        let order: [FilterComparator] = [.lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals]
        let presence: [FilterComparator] = [.isMissing, .isThere]
        return switch type.scalar {
        case .string:
            [.equals, .notEquals, .beginsWith, .notBeginsWith] + order + [.isIn, .notIn] + presence
        case .int64, .double, .timestamp: [.equals, .notEquals] + order + [.isIn, .notIn] + presence
        case .reference: [.equals, .notEquals, .isIn, .notIn] + presence
        case .location: [.near] + presence
        case .bytes, .asset: []
        }
    }
}
