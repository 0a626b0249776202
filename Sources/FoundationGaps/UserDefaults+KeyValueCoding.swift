public import Foundation

extension UserDefaults {
    /// The same as `set(_:forKey:)`; nil removes the value.
    public func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }
}
