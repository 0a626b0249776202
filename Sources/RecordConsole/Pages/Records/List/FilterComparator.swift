import RecordModel
import RecordWire

/// What the filter builder can ask: the protocol's comparators in plain words, and two of our own for missing values.
enum FilterComparator: Hashable, Sendable {
    /// A comparator of the protocol.
    case compares(Comparator)
    case isMissing
    case isThere

    /// How the protocol's comparators are called here; those without a name are not offered.
    private static func title(_ comparator: Comparator) -> String? {
        switch comparator {
        case .equals: "is"
        case .notEquals: "is not"
        case .lessThan: "is less than"
        case .lessThanOrEquals: "is at most"
        case .greaterThan: "is greater than"
        case .greaterThanOrEquals: "is at least"
        case .beginsWith: "begins with"
        case .notBeginsWith: "does not begin with"
        case .in: "is one of (a; b; c)"
        case .notIn: "is none of (a; b; c)"
        case .listContains: "contains"
        case .notListContains: "does not contain"
        case .listContainsAny: "contains any of (a; b; c)"
        case .listContainsAll: "contains all of (a; b; c)"
        case .listMemberBeginsWith: "has one that begins with"
        case .near: "is near (latitude, longitude, metres)"
        case .containsAnyTokens: "has a word of"
        case .containsAllTokens, .notListContainsAny, .notListContainsAll, .notListMemberBeginsWith,
            .containsAny:
            nil
        }
    }

    var title: String {
        switch self {
        case .compares(let comparator): Self.title(comparator) ?? comparator.rawValue
        case .isMissing: "has no value"
        case .isThere: "has a value"
        }
    }

    /// The comparator of the protocol.
    var wire: Comparator {
        switch self {
        case .compares(let comparator): comparator
        case .isMissing: .equals
        case .isThere: .notEquals
        }
    }

    /// Whether a value stands beside it.
    var takesValue: Bool { self != .isMissing && self != .isThere }

    /// Whether several values are taken, separated by `;`.
    var takesList: Bool {
        switch self {
        case .compares(.in), .compares(.notIn), .compares(.listContainsAny), .compares(.listContainsAll): true
        default: false
        }
    }

    /// What a field of a type can be asked.
    static func all(for type: FieldType) -> [FilterComparator] {
        if type.isList {
            return compare([.listContains, .notListContains, .listContainsAny, .listContainsAll])
                + (type.scalar == .string ? compare([.listMemberBeginsWith]) : [])
        }
        let equality = compare([.equals, .notEquals])
        let beginning = compare([.beginsWith, .notBeginsWith])
        let order = compare([.lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals])
        let choice = compare([.in, .notIn])
        let presence: [FilterComparator] = [.isMissing, .isThere]
        return switch type.scalar {
        case .string: equality + beginning + order + choice + presence
        case .int64, .double, .timestamp: equality + order + choice + presence
        case .reference: equality + choice + presence
        case .location: compare([.near]) + presence
        case .bytes, .asset: []
        }
    }

    private static func compare(_ comparators: [Comparator]) -> [FilterComparator] {
        comparators.map { .compares($0) }
    }
}

/// The words of addresses and forms: the protocol's, and two of our own.
extension FilterComparator: RawRepresentable {
    init?(rawValue: String) {
        switch rawValue {
        case "IS_MISSING": self = .isMissing
        case "IS_THERE": self = .isThere
        default:
            guard let comparator = Comparator(rawValue: rawValue), Self.title(comparator) != nil else {
                return nil
            }
            self = .compares(comparator)
        }
    }

    var rawValue: String {
        switch self {
        case .compares(let comparator): comparator.rawValue
        case .isMissing: "IS_MISSING"
        case .isThere: "IS_THERE"
        }
    }
}

extension FilterComparator: CaseIterable {
    static var allCases: [FilterComparator] {
        Comparator.allCases.compactMap { FilterComparator(rawValue: $0.rawValue) } + [.isMissing, .isThere]
    }
}
