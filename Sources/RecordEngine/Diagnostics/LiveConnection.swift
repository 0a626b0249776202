public import RecordModel
import RecordStorage

/// A connection that waits for changes, as operators see it: a live query, a live count, or the long poll of a receiver.
public struct LiveConnection: Sendable {
    /// The container and environment.
    public let tenant: Tenant
    /// The record name of the user whose private database it is about; nil for the public one.
    public let owner: String?
    /// The record name of whoever asks; nil for somebody without a name.
    public let user: String?
    /// The address that it came from, as far as it is known.
    public let address: String
    /// When it was opened, in milliseconds.
    public let openedAt: Int64
    /// The record type of a live query or count; nil for a long poll.
    public let type: String?
    private let condition: Condition?
    private let isCount: Bool

    init(
        tenant: Tenant, owner: String?, caller: Caller, address: String, openedAt: Int64, type: String?,
        condition: Condition?, isCount: Bool = false
    ) {
        self.tenant = tenant
        self.owner = owner
        switch caller {
        case .user(let name), .administrator(let name): user = name
        case .anonymous: user = nil
        }
        self.address = address
        self.openedAt = openedAt
        self.type = type
        self.condition = condition
        self.isCount = isCount
    }

    /// What kind of connection it is, in words.
    public var kind: String { type == nil ? "long poll" : isCount ? "live count" : "live query" }

    /// What it asks for, in words.
    public var query: String {
        guard let type else { return "notifications of all subscriptions" }
        guard let condition, condition != .constant(true), condition != .and([]) else {
            return isCount ? "the number of all \(type)" : "all \(type)"
        }
        return "\(isCount ? "the number of " : "")\(type) where \(condition.words)"
    }
}

extension RecordService {
    /// The connections of a tenant that wait for changes on this node: how many, and the oldest of them.
    public func connections(of tenant: Tenant, limit: Int) async -> (count: Int, oldest: [LiveConnection]) {
        await hub.connections(of: tenant, limit: limit)
    }
}
