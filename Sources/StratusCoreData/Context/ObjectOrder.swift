/// The order of a fetch in memory; the same as the store's, ties included.
struct ObjectOrder {
    private let sorts: [StoreSort]

    init(_ sorts: [StoreSort]) { self.sorts = sorts }

    func precedes(_ first: NSManagedObject, _ second: NSManagedObject) -> Bool {
        for sort in sorts {
            let order = sort.order(Self.value(sort.path, first), Self.value(sort.path, second))
            if order != .orderedSame { return order == .orderedAscending }
        }
        return Self.idPrecedes(first.objectID, second.objectID)
    }

    /// The keys of an object, to be compared later when the object may have changed.
    func keys(of object: NSManagedObject) -> [PropertyValue] { sorts.map { Self.value($0.path, object) } }

    /// The order of two objects by their keys, ties by ID.
    func precedes(
        _ first: ([PropertyValue], NSManagedObjectID), _ second: ([PropertyValue], NSManagedObjectID)
    ) -> Bool {
        for (place, sort) in sorts.enumerated() {
            let order = sort.order(first.0[place], second.0[place])
            if order != .orderedSame { return order == .orderedAscending }
        }
        return Self.idPrecedes(first.1, second.1)
    }

    /// Saved objects by key, as the store breaks ties; then new ones in the order they were made.
    static func idPrecedes(_ first: NSManagedObjectID, _ second: NSManagedObjectID) -> Bool {
        switch (first.reference, second.reference) {
        case (.row(let left), .row(let right)): left < right
        case (.row, _): true
        case (_, .row): false
        case (.temporary(let left), .temporary(let right)): left < right
        case (.custom(let left), .custom(let right)): left < right
        case (.custom, .temporary): true
        case (.temporary, .custom): false
        }
    }

    /// The value at the end of a path over to-one relationships.
    static func value(_ path: [String], _ object: NSManagedObject) -> PropertyValue {
        var object = object
        for (place, key) in path.enumerated() {
            guard let slot = object.layout.slots[key] else {
                if key == "objectID" || key == "self" { return .reference(object.objectID) }
                // A key that the class computes.
                return PropertyValue(predicate: PredicateValue(object.value(forKey: key)))
            }
            if object.layout.isAttribute(slot) {
                let value = object.attribute(slot)
                guard place < path.count - 1, case .object(let box) = value else { return value }
                // A composite's element.
                let rest = Array(path[(place + 1)...])
                return PropertyValue(
                    predicate: (try? ExpressionTree.keyPath(rest).value(on: box.base)) ?? .null)
            }
            guard object.layout.toOnes.contains(slot) else {
                // An operator over a to-many relationship.
                let rest = ExpressionTree.keyPath(Array(path[place...]))
                return PropertyValue(predicate: (try? rest.value(on: object)) ?? .null)
            }
            guard let next = object.toOne(slot) else { return .null }
            if place == path.count - 1 { return .reference(next.objectID) }
            object = next
        }
        return .reference(object.objectID)
    }
}

extension PropertyValue {
    /// A value that code computed, as far as it can be compared.
    init(predicate value: PredicateValue) {
        switch value {
        case .bool(let value): self = .int(value ? 1 : 0)
        case .int(let value): self = .int(value)
        case .double(let value): self = .double(value)
        case .decimal(let value): self = .decimal(value)
        case .string(let value): self = .string(value)
        case .date(let value): self = .date(value)
        case .data(let value): self = .data(value)
        case .uuid(let value): self = .uuid(value)
        case .url(let value): self = .url(value)
        case .object(let object):
            if let objectID = object.base as? NSManagedObjectID {
                self = .reference(objectID)
            } else {
                self = .null
            }
        default: self = .null
        }
    }
}

extension StoreSort {
    /// The order of two values, nothing first, and the other way round for a descending key.
    func order(_ first: PropertyValue, _ second: PropertyValue) -> ComparisonResult {
        let order = comparison.order(first, second)
        guard !ascending else { return order }
        return ComparisonResult(rawValue: -order.rawValue) ?? .orderedSame
    }
}

extension StoreSort.Comparison {
    func order(_ first: PropertyValue, _ second: PropertyValue) -> ComparisonResult {
        switch (first, second) {
        case (.null, .null): return .orderedSame
        case (.null, _): return .orderedAscending
        case (_, .null): return .orderedDescending
        case (.string(let left), .string(let right)): return textOrder(left, right)
        case (.int(let left), .int(let right)): return Self.order(left, right)
        case (.double(let left), .double(let right)): return Self.order(left, right)
        case (.date(let left), .date(let right)): return Self.order(left, right)
        case (.decimal(let left), .decimal(let right)): return Self.order(left, right)
        case (.uuid(let left), .uuid(let right)): return Self.order(left.uuidString, right.uuidString)
        case (.url(let left), .url(let right)): return Self.order(left.absoluteString, right.absoluteString)
        case (.data(let left), .data(let right)):
            return left == right
                ? .orderedSame
                : left.lexicographicallyPrecedes(right) ? .orderedAscending : .orderedDescending
        case (.reference(let left), .reference(let right)):
            return left == right
                ? .orderedSame : ObjectOrder.idPrecedes(left, right) ? .orderedAscending : .orderedDescending
        default: return Self.order(first.number, second.number)
        }
    }

    private static func order<Value: Comparable>(_ first: Value, _ second: Value) -> ComparisonResult {
        first < second ? .orderedAscending : second < first ? .orderedDescending : .orderedSame
    }

    /// The order of the UTF-8 bytes, which is SQLite's.
    static func binaryOrder(_ first: String, _ second: String) -> ComparisonResult {
        var first = first
        var second = second
        let order = first.withUTF8 { left in
            second.withUTF8 { right in
                let common = min(left.count, right.count)
                if common > 0, let start = left.baseAddress, let other = right.baseAddress {
                    let order = memcmp(start, other, common)
                    if order != 0 { return Int(order) }
                }
                return left.count - right.count
            }
        }
        return order < 0 ? .orderedAscending : order > 0 ? .orderedDescending : .orderedSame
    }
}

extension PropertyValue {
    /// The value as a number, for comparing values of different types.
    fileprivate var number: Double {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
        case .date(let value): value.timeIntervalSinceReferenceDate
        default: 0
        }
    }
}
