internal import Foundation

/// The sort descriptor that `NSSortDescriptor(key:ascending:)` gives.
///
/// Foundation's class only knows Swift key paths and marks `key` unavailable, so it cannot be overridden;
/// the extension's `key` looks for this class.
final class KeySortDescriptor: NSSortDescriptor {
    /// Stands for any object in the key path that Foundation's initialiser asks for; `keyPath` then names
    /// the key, and nothing ever reads through it.
    struct KeyBox {
        subscript(key: String) -> String { key }
    }

    /// The key path as text; nil sorts by the objects themselves.
    private(set) var path: String?
    private var keys: [String] = []
    private var order: Comparator?
    /// The named comparison that the order comes from.
    private(set) var selector: Selector?
    /// Whether the order is code of the app.
    var comparesWithCode: Bool { order != nil && selector == nil }

    /// Makes the descriptor, with the language's order when no comparator is given.
    static func made(key: String?, ascending: Bool, comparator: Comparator? = nil) -> KeySortDescriptor {
        let name = key ?? "self"
        let descriptor = KeySortDescriptor(
            keyPath: \KeyBox[name], ascending: ascending, comparator: comparator ?? { Self.compare($0, $1) })
        descriptor.path = key
        descriptor.keys = key.map { $0.split(separator: ".").map(String.init) } ?? []
        descriptor.order = comparator
        return descriptor
    }

    /// Makes the descriptor with a named comparison; texts only have one, other values compare as they do.
    static func made(key: String?, ascending: Bool, selector: Selector?) -> KeySortDescriptor {
        guard let selector, let compare = selector.textComparison else {
            return made(key: key, ascending: ascending)
        }
        let descriptor = made(key: key, ascending: ascending) { first, second in
            guard let first = first as? String, let second = second as? String else {
                return Self.compare(first, second)
            }
            return compare(first, second)
        }
        descriptor.selector = selector
        return descriptor
    }

    override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
        let first = value(of: object1)
        let second = value(of: object2)
        let result =
            if let order { order(first ?? NSNull(), second ?? NSNull()) } else { Self.compare(first, second) }
        return ascending ? result : ComparisonResult(rawValue: -result.rawValue) ?? .orderedSame
    }

    private func value(of object: Any) -> Any? {
        (try? KeyPathReader.value(of: object, at: keys[...])) ?? nil
    }

    /// The order of two values; nil comes first, as NULL does in SQLite.
    private static func compare(_ first: Any?, _ second: Any?) -> ComparisonResult {
        let left = PredicateValue(first)
        let right = PredicateValue(second)
        if left == .null || right == .null {
            return left == right ? .orderedSame : left == .null ? .orderedAscending : .orderedDescending
        }
        switch left.order(to: right) {
        case .ascending: return .orderedAscending
        case .descending: return .orderedDescending
        case .equal, nil: return .orderedSame
        }
    }

    override var reversedSortDescriptor: Any {
        if let selector { return Self.made(key: path, ascending: !ascending, selector: selector) }
        return Self.made(key: path, ascending: !ascending, comparator: order)
    }

    /// Descriptors with a comparator are equal only to themselves: functions cannot be compared.
    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? KeySortDescriptor else { return false }
        if self === other { return true }
        return path == other.path && ascending == other.ascending && selector == other.selector
            && !comparesWithCode && !other.comparesWithCode
    }

    override var hash: Int {
        var hasher = Hasher()
        hasher.combine(path)
        hasher.combine(ascending)
        return hasher.finalize()
    }

    override func copy(with zone: NSZone? = nil) -> Any { self }

    override var description: String { "(\(path ?? "self"), \(ascending ? "ascending" : "descending"))" }
}
