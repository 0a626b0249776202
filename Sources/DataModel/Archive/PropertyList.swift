package import Foundation

/// Property lists of bytes that nobody vouches for, such as the metadata of a store.
///
/// Foundation on Linux stops the program for some binary lists: for one with a set, which no property list should have
/// but CoreFoundation reads. So binary lists are read here; Foundation reads those in XML.
package enum PropertyList {
    /// The deepest nesting that is read; more would be a circle.
    private static let depthLimit = 64
    /// The most values that are made of a list, however often its objects hold each other.
    private static let valueLimit = 100_000

    /// The outermost dictionary of a list, with Foundation's values; nil where the bytes are none, or have anything else.
    package static func dictionary(_ data: Data) -> [String: Any]? {
        if data.starts(with: Array("<".utf8)) {
            return (try? PropertyListSerialization.propertyList(from: data, format: nil)) as? [String: Any]
        }
        guard let list = try? BinaryPlist(data) else { return nil }
        var values = 0
        return value(list.root, of: list, depth: 0, &values) as? [String: Any]
    }

    private static func value(_ index: Int, of list: BinaryPlist, depth: Int, _ values: inout Int) -> Any? {
        values += 1
        guard depth < depthLimit, values <= valueLimit else { return nil }
        switch list.objects[index] {
        case .null, .uid: return nil
        case .bool(let value): return NSNumber(value: value)
        case .int(let value): return NSNumber(value: value)
        case .wide(let value): return NSNumber(value: value)
        case .real(let value): return NSNumber(value: value)
        case .date(let seconds): return Date(timeIntervalSinceReferenceDate: seconds)
        case .data(let data): return data
        case .string(let text): return text
        case .array(let elements):
            var result: [Any] = []
            for element in elements {
                guard let value = value(element, of: list, depth: depth + 1, &values) else { return nil }
                result.append(value)
            }
            return result
        case .dictionary(let entries):
            var result: [String: Any] = [:]
            for entry in entries {
                guard let key = list.string(entry.key),
                    let value = value(entry.value, of: list, depth: depth + 1, &values)
                else { return nil }
                result[key] = value
            }
            return result
        }
    }
}
