internal import Foundation
internal import Predicates

/// Key-value coding's methods for several keys and for paths, which NSObject has on Apple's platforms.
extension CKRecord {
    /// The values of fields by their keys, with `NSNull` for a field that has none.
    public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }) { first, _ in first }
    }

    /// Sets the values of fields; `NSNull` removes the value.
    public func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues.sorted(by: { $0.key < $1.key }) { setValue(value, forKey: key) }
    }

    /// Removes the value of a field.
    public func setNilValueForKey(_ key: String) { setValue(nil, forKey: key) }

    /// The value at the end of a path of keys; a field's key alone is a path. Nil where the path leads nowhere.
    public func value(forKeyPath keyPath: String) -> Any? {
        keyPath.split(separator: ".", omittingEmptySubsequences: false).reduce(self as Any?) { value, key in
            (value as? any KeyValueReadable)?.value(forKey: String(key))
        }
    }

    /// Sets the value of a field. A longer path is a field's name, which no schema has: saving the record fails.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) { setValue(value, forKey: keyPath) }
}
