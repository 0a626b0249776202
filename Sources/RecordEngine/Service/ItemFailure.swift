public import RecordModel

/// One record or zone of a request that failed while the request itself was answered.
public struct ItemFailure: Sendable {
    /// The record's or the zone's name, where the request gave one.
    public var name: String?
    /// What is wrong with it.
    public var error: ServiceError

    /// Creates a failure.
    public init(name: String?, error: ServiceError) {
        self.name = name
        self.error = error
    }
}

extension ServiceOutput {
    /// Notes an item that failed; the first few are kept with their errors.
    mutating func note(_ error: ServiceError, of name: String?) {
        guard itemFailures.count < Limits.tracedItemFailures else { return }
        itemFailures.append(ItemFailure(name: name, error: error))
    }

    /// Notes how many items the answer has, and which of them failed.
    mutating func note(_ failures: [ItemFailure], among count: Int) {
        items = count
        failedItems = failures.count
        for failure in failures { note(failure.error, of: failure.name) }
    }
}
