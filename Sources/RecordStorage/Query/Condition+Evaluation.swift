import Foundation
public import RecordModel

/// Something that has the columns of a record, of which a condition is true or false.
///
/// Engines use it for what their language cannot say, and the engine in memory for everything, so that all agree.
public protocol ConditionSource {
    /// The value of a column; of a list that has elements any text, of an empty one null.
    func value(of column: Column) -> StorageValue
    /// The elements of a list; none for other columns.
    func elements(of column: Column) -> [StorageValue]
    /// The value of a location field.
    func location(_ field: FieldSchema) -> Location?
}

extension ConditionSource {
    /// Whether the condition holds; ``Condition`` has the rules.
    public func fulfils(_ condition: Condition) -> Bool { ComparedRecord(self).fulfils(condition) }

    /// The value of a sort key.
    public func value(of source: SortKey.Source) -> StorageValue {
        switch source {
        case .column(let column): value(of: column)
        case .distance(let field, let place):
            location(field).map { .double($0.distanceMetres(to: place)) } ?? .null
        case .nearness(let field, let place):
            .double(location(field)?.distanceMetres(to: place) ?? SortKey.nowhere)
        }
    }
}

extension FieldValue {
    /// The value as columns hold it. A list has no value of its own, but one with elements is there.
    public var storageValue: StorageValue {
        switch self {
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

extension StorageValue {
    /// Negative, zero or positive, as the value comes before, with or after the other one: missing ones first, then
    /// numbers by value, then texts by their UTF-8 bytes.
    public func order(_ other: StorageValue) -> Int {
        switch (self, other) {
        case (.null, .null): 0
        case (.null, _): -1
        case (_, .null): 1
        case (.text(let left), .text(let right)): Self.order(left, right)
        case (_, .text): -1
        case (.text, _): 1
        case (.int(let left), .int(let right)): left < right ? -1 : left == right ? 0 : 1
        case (.double(let left), .double(let right)): left < right ? -1 : left == right ? 0 : 1
        case (.int(let left), .double(let right)): Self.order(left, right)
        case (.double(let left), .int(let right)): -Self.order(right, left)
        }
    }

    /// By the bytes, as fast as memory is compared: both texts may be as long as a record.
    private static func order(_ left: String, _ right: String) -> Int {
        let order = left.utf8.withContiguousStorageIfAvailable { left in
            right.utf8.withContiguousStorageIfAvailable { right -> Int in
                let count = min(left.count, right.count)
                guard count > 0, let start = left.baseAddress, let other = right.baseAddress else {
                    return left.count - right.count
                }
                let order = Int(memcmp(start, other, count))
                return order == 0 ? left.count - right.count : order
            }
        }
        return (order ?? nil)
            ?? (left.utf8.elementsEqual(right.utf8)
                ? 0 : left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1)
    }

    /// Exactly, where a number of 64 bits may have more digits than one of floating point.
    private static func order(_ int: Int64, _ double: Double) -> Int {
        if double >= 0x1p63 { return -1 }
        if double < -0x1p63 { return 1 }
        let whole = Int64(double.rounded(.towardZero))
        if int != whole { return int < whole ? -1 : 1 }
        let rest = double - double.rounded(.towardZero)
        return rest > 0 ? -1 : rest < 0 ? 1 : 0
    }
}

extension Comparison {
    /// Whether two values compare so: missing ones equal each other, differ from all others, and have no order.
    public func holds(_ left: StorageValue, _ right: StorageValue) -> Bool {
        switch self {
        case .equal: left.order(right) == 0
        case .notEqual: left.order(right) != 0
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            left != .null && right != .null && isOrdered(left.order(right))
        }
    }

    private func isOrdered(_ order: Int) -> Bool {
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
