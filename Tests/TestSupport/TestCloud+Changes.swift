public import RecordModel
import RecordStorage
public import RecordWire

/// Following change feeds.
extension TestCloud {
    /// What one request to `changes/zone` for one zone answered.
    public struct ZoneFeed: Sendable {
        public let records: [JSONValue]
        public let token: String
        public let moreComing: Bool
    }

    /// The schema of the container.
    public var schema: Schema { schema(.development) }

    /// The schema of an environment of the container.
    public func schema(_ environment: CloudEnvironment) -> Schema {
        store.schema(of: Tenant(container: container, environment: environment))
    }

    /// Asks for the changes of one zone.
    public func changes(
        zone: String, since token: String? = nil, limit: Int? = nil, types: [String]? = nil,
        as sender: Sender = .alice
    ) async throws -> ZoneFeed {
        var wish: JSONValue = ["zoneID": ["zoneName": .string(zone)]]
        if let token { wish = wish.with("syncToken", .string(token)) }
        if let limit { wish = wish.with("resultsLimit", .int(Int64(limit))) }
        if let types { wish = wish.with("desiredRecordTypes", .array(types.map { .string($0) })) }
        let answer = try await send(.changesZone, ["zones": [wish]], as: sender)
        let part = answer.json["zones"][0]
        guard let token = part["syncToken"].string, let moreComing = part["moreComing"].bool else {
            throw TestFailure("The changes could not be had: \(answer.json.text)")
        }
        return ZoneFeed(records: part["records"].elements, token: token, moreComing: moreComing)
    }
}
