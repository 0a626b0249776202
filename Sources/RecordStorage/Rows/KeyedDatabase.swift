public import RecordModel

/// A database with the key of its encrypted fields.
public struct KeyedDatabase: Hashable, Sendable {
    /// The number.
    public var number: Int64
    /// Whose it is.
    public var id: DatabaseID
    /// The key in the form in which the engine of records gave it, which is not the key itself; nil where nothing was
    /// ever sealed.
    public var key: [UInt8]?

    /// Creates a row.
    ///
    /// - Parameters:
    ///   - number: the number.
    ///   - id: whose it is.
    ///   - key: the wrapped key.
    public init(number: Int64, id: DatabaseID, key: [UInt8]?) {
        self.number = number
        self.id = id
        self.key = key
    }
}
