public import Foundation

extension UserDefaults {
    /// The same as `set(_:forKey:)`; nil removes the value.
    public func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }

    /// The same as `object(forKey:)`.
    public func value(forKey key: String) -> Any? { object(forKey: key) }

    /// The values for keys, with `NSNull` where there is none.
    public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, object(forKey: $0) ?? NSNull()) }) { first, _ in first }
    }

    /// Sets values; `NSNull` removes the value.
    public func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { set(value is NSNull ? nil : value, forKey: key) }
    }
}
