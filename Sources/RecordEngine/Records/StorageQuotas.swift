import RecordModel
import RecordStorage
import RecordWire

/// How many bytes of records and files may be stored; nil stands for any number.
public struct StorageQuotas: Sendable, Equatable {
    /// What a user's private database may hold.
    public var perUser: Int64?
    /// What all databases of a container may hold together, in each environment.
    public var perContainer: Int64?

    /// Sets quotas, none by default.
    public init(perUser: Int64? = nil, perContainer: Int64? = nil) {
        self.perUser = perUser
        self.perContainer = perContainer
    }

    /// Refuses a record by which a database or a container would hold too much.
    ///
    /// Writes follow each other, and usage has the operations of the same request, so no two of them can take the same
    /// room. What makes nothing larger is always let through, and so are operators.
    /// - Parameters:
    ///   - growth: how many bytes more there would be.
    ///   - freed: how many bytes go before the write ends.
    ///   - context: for whom.
    /// - Throws: `QUOTA_EXCEEDED`.
    func check(
        growth: Int64, freed: Int64 = 0, _ database: Int64, _ context: CallContext, _ store: any StoreReader
    ) throws {
        guard growth > 0 else { return }
        if let perUser, context.database.owner != nil {
            let used = try store.usage(of: database).bytes
            guard used - freed + growth <= perUser else {
                throw context.access == nil
                    ? Self.refusal("The user's private database", used, growth, perUser)
                    : Self.ownerIsFull(context.database.owner ?? "")
            }
        }
        if let perContainer {
            let used = try store.usage(of: context.tenant).bytes
            guard used - freed + growth <= perContainer else {
                throw Self.refusal("The container", used, growth, perContainer)
            }
        }
    }

    /// The quotas that count for a caller; nil where none does.
    func applying(to context: CallContext) -> StorageQuotas? {
        if case .administrator = context.caller { return nil }
        let isLimited = perContainer != nil || perUser != nil && context.database.owner != nil
        return isLimited ? self : nil
    }

    /// Nobody but the owner learns how much is stored.
    private static func ownerIsFull(_ owner: String) -> ServiceError {
        ServiceError(
            .quotaExceeded, "The private database of the zone's owner, \(owner), has no room for the record.",
            remedy: "The owner has to delete records or files.")
    }

    private static func refusal(
        _ what: String, _ used: Int64, _ growth: Int64, _ quota: Int64
    ) -> ServiceError {
        ServiceError(
            .quotaExceeded,
            "\(what) holds \(used) bytes; \(growth) more would be more than the \(quota) that are allowed.",
            remedy:
                "Delete records or files that are not needed, or ask whoever runs the server for more room.")
    }
}
