/// A value as columns hold it.
public enum StorageValue: Hashable, Sendable {
    case null
    case int(Int64)
    case double(Double)
    case text(String)
}
