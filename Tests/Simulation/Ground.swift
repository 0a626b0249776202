import RecordEngine
import RecordModel
import RecordStorage
import RecordStorageMemory
import RecordWire

/// What there is before anything goes wrong: users, zones, a type, a subscription and its receiver.
///
/// Used by one thread, that of the simulation.
final class Ground: @unchecked Sendable {
    private let world: World
    private let tenant: Tenant
    private(set) var receiver: String?
    /// The zones of a user.
    private(set) var zones: [String: [(name: String, id: Int64)]] = [:]

    init(_ world: World, _ tenant: Tenant) {
        self.world = world
        self.tenant = tenant
    }

    func make() async {
        do {
            try await makeAccess()
            for user in ["alice", "bob"] {
                let client = Client(world, tenant, user: user)
                try await done(
                    client, .zonesModify,
                    #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Z"}}}]}"#)
                for zone in ["Z", ZoneID.defaultName] {
                    try await done(
                        client, .recordsModify,
                        #"{"operations":[{"operationType":"create","record":{"recordName":"first","recordType":"Note","fields":{"n":{"value":0},"t":{"value":""}}}}],"zoneID":{"zoneName":"\#(zone)"}}"#
                    )
                }
                try find(user)
            }
            let alice = Client(world, tenant, user: "alice")
            try await done(
                alice, .subscriptionsModify,
                #"{"operations":[{"operationType":"create","subscription":{"subscriptionID":"s","subscriptionType":"query","zoneID":{"zoneName":"Z"},"firesOn":["create","update","delete"],"query":{"recordType":"Note"}}}]}"#
            )
            let token = try await done(
                alice, .tokensCreate, #"{"apnsEnvironment":"development","clientId":"c"}"#, scope: .public)
            receiver = token["apnsToken"].string
        } catch {
            world.find("the ground cannot be made: \(error)")
        }
    }

    private func makeAccess() async throws {
        let store = world.nodes[0].store
        let tenant = tenant
        try await store.write { writer in
            try writer.insert(
                TokenRow(kind: .api, tenant: tenant, user: nil, label: "api", createdAt: 0, expiresAt: nil),
                digest: AccessToken.digest("api"))
            for user in ["alice", "bob"] {
                try writer.insert(
                    TokenRow(
                        kind: .web, tenant: tenant, user: Self.recordName(user), label: user, createdAt: 0,
                        expiresAt: nil), digest: AccessToken.digest(user))
            }
        }
    }

    private static func recordName(_ user: String) -> String {
        "_" + String(repeating: user == "alice" ? "a" : "b", count: 32)
    }

    private struct Refused: Error, CustomStringConvertible { var description: String }

    @discardableResult
    private func done(
        _ client: Client, _ endpoint: Endpoint, _ body: String, scope: DatabaseScope = .private
    ) async throws -> JSONValue {
        let reply = await client.ask(endpoint, body, scope: scope)
        guard case .answer(let json) = reply, !"\(json)".contains("serverErrorCode") else {
            throw Refused(description: "\(endpoint): \(reply)")
        }
        return json
    }

    private func find(_ user: String) throws {
        let id = DatabaseID(tenant: tenant, owner: Self.recordName(user))
        let found = try world.disk.moment.read { reader in
            guard let database = try reader.database(id) else { return [ZoneRow]() }
            return try reader.zones(in: database)
        }
        zones[user] = found.map { ($0.name, $0.id) }
        // Subscriptions and feeds are followed in one zone.
        world.disk.zones += found.map { ($0.id, user, user == "alice" && $0.isTracked) }
    }
}
