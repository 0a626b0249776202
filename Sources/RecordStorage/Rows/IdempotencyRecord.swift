/// What became of a request that carried an idempotency key, kept so that its repetition gets the same answer and does
/// nothing.
public struct IdempotencyRecord: Hashable, Sendable {
    /// A digest of the key and of whose it is, unique in the store.
    public var key: [UInt8]
    /// A digest of what was asked for.
    public var request: [UInt8]
    /// When it was done, in milliseconds.
    public var createdAt: Int64
    /// What became of it, in a form that the store does not read.
    public var outcome: [UInt8]

    /// Creates a row from its columns.
    public init(key: [UInt8], request: [UInt8], createdAt: Int64, outcome: [UInt8]) {
        self.key = key
        self.request = request
        self.createdAt = createdAt
        self.outcome = outcome
    }
}
