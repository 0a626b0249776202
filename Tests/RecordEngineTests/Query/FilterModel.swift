import Foundation
import RecordModel
import RecordWire

/// Filters by Documentation/Protocol.md, 'Comparators', in plain Swift: the law's other side.
enum FilterModel {
    /// Whether a record fulfils a filter.
    static func holds(
        _ comparator: RecordWire.Comparator, _ own: JSONValue?, _ wanted: JSONValue, distance: Double? = nil
    ) -> Bool {
        let list = own?.array ?? []
        let wantedList = wanted.array ?? []
        switch comparator {
        case .equals: return own.map { isEqual($0, wanted) } ?? (wanted == .null)
        case .notEquals: return !holds(.equals, own, wanted)
        case .lessThan: return own.map { precedes($0, wanted) } ?? false
        case .lessThanOrEquals: return own.map { !precedes(wanted, $0) } ?? false
        case .greaterThan: return own.map { precedes(wanted, $0) } ?? false
        case .greaterThanOrEquals: return own.map { !precedes($0, wanted) } ?? false
        case .in: return own.map { own in wantedList.contains { isEqual(own, $0) } } ?? false
        case .notIn: return !holds(.in, own, wanted)
        case .beginsWith: return own?.string?.utf8.starts(with: wanted.string?.utf8 ?? "".utf8) ?? false
        case .notBeginsWith: return !holds(.beginsWith, own, wanted)
        case .listContains: return list.contains { isEqual($0, wanted) }
        case .notListContains: return !holds(.listContains, own, wanted)
        case .listContainsAny, .containsAny:
            return wantedList.contains { value in list.contains { isEqual($0, value) } }
        case .notListContainsAny: return !holds(.listContainsAny, own, wanted)
        case .listContainsAll: return wantedList.allSatisfy { value in list.contains { isEqual($0, value) } }
        case .notListContainsAll: return !holds(.listContainsAll, own, wanted)
        case .listMemberBeginsWith: return list.contains { holds(.beginsWith, $0, wanted) }
        case .notListMemberBeginsWith: return !holds(.listMemberBeginsWith, own, wanted)
        case .near:
            guard let from = own.flatMap(place), let to = place(wanted) else { return false }
            return from.distanceMetres(to: to) <= distance ?? .infinity
        case .containsAllTokens, .containsAnyTokens:
            let words = tokens(wanted.string ?? "")
            let found = tokens(own?.string ?? "")
            return comparator == .containsAllTokens
                ? words.isSubset(of: found) : !words.isDisjoint(with: found)
        }
    }

    static func isEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.object(let left), .object(let right)):
            if let name = left["recordName"] {
                name == right["recordName"]
            } else {
                left["latitude"]?.double == right["latitude"]?.double
                    && left["longitude"]?.double == right["longitude"]?.double
            }
        case (.int(let left), .int(let right)): left == right
        default: left.double != nil && left.double == right.double
        }
    }

    static func precedes(_ left: JSONValue, _ right: JSONValue) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.int(let left), .int(let right)): left < right
        default: (left.double ?? 0) < (right.double ?? 0)
        }
    }

    static func place(_ json: JSONValue) -> Location? {
        guard let latitude = json.object?["latitude"]?.double,
            let longitude = json.object?["longitude"]?.double
        else { return nil }
        return Location(latitude: latitude, longitude: longitude)
    }

    static func tokens(_ text: String) -> Set<String> {
        let folded = text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
        return Set(folded.components(separatedBy: CharacterSet.alphanumerics.inverted).filter { !$0.isEmpty })
            .subtracting(["a", "the"])
    }
}
