import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSeeds
import TestSupport
import Testing

/// Every role against what tells of changes: live queries, live counts and subscriptions.
@Suite struct RightsLiveMatrixTests {
    typealias Case = RightsMatrixTests.Case

    private static let records = 2

    /// The code with which a query is refused; nil where it is answered.
    private static func refusal(_ item: Case, _ asker: RightsGround.Asker) -> String? {
        guard !RightsGround.allows(.read, item.grants, asker, isOwn: true) else { return nil }
        return asker == .nobody && item.permissions.contains(.read)
            ? "AUTHENTICATION_REQUIRED" : "ACCESS_DENIED"
    }

    private static func fill(_ item: Case, _ cloud: TestCloud) async throws -> RightsGround {
        let ground = try await RightsGround(cloud)
        for index in 0..<records { try await cloud.save("r\(index)", ["n": ["value": 1]], in: .public) }
        try await ground.set(item.grants)
        return ground
    }

    @Test(arguments: RightsMatrixTests.cases, [Endpoint.recordsLive, .recordsLiveCount])
    func `Live queries and counts begin with what their caller may read`(
        _ item: Case, _ endpoint: Endpoint
    ) async throws {
        try await TestCloud.run { cloud in
            _ = try await Self.fill(item, cloud)
            for asker in RightsGround.Asker.allCases {
                guard let sender = asker.sender else { continue }
                let mayRead = RightsGround.allows(.read, item.grants, asker, isOwn: asker == .alice)
                let client = LiveClient(endpoint, in: .public)
                var code: String?
                do {
                    try await client.start(cloud, ["query": ["recordType": "Note"]], as: sender)
                } catch { code = ServiceError(describing: error).code.description }
                #expect(code == Self.refusal(item, asker), "\(asker)")
                guard code == nil else { continue }
                #expect(try await eventually { !client.events.isEmpty }, "\(asker)")
                let count = mayRead ? Self.records : 0
                if endpoint == .recordsLive {
                    #expect(client.names.count == count, "\(asker): \(client.events)")
                } else {
                    #expect(client.count == Int64(count), "\(asker)")
                }
                await client.stop()
            }
        }
    }

    @Test(arguments: RightsMatrixTests.cases)
    func `Subscriptions tell of what their user may read, and of nothing else`(_ item: Case) async throws {
        try await TestCloud.run { cloud in
            let ground = try await Self.fill(item, cloud)
            for (number, asker) in RightsGround.Asker.allCases.enumerated() {
                guard let sender = asker.sender else { continue }
                let wish: JSONValue = [
                    "operations": [
                        [
                            "operationType": "create",
                            "subscription": TestCloud.notes("s", on: ["update"]),
                        ]
                    ]
                ]
                let answer = try await cloud.send(.subscriptionsModify, wish, as: sender, in: .public)
                let isTaken = answer.json["subscriptions"][0]["subscriptionType"] != .null
                guard asker != .nobody else {
                    #expect(!isTaken, "who has no name has no subscriptions")
                    continue
                }
                let mayRead = RightsGround.allows(.read, item.grants, asker, isOwn: asker == .alice)
                if mayRead { #expect(isTaken, "\(asker): \(answer.json.text)") }
                let courier = try await Courier.make(cloud, as: sender)
                let change = TestCloud.operation(
                    "forceUpdate", "r0", fields: ["n": ["value": .int(Int64(10 + number))]])
                let done = try await ground.send(
                    .recordsModify, ["operations": [change]], as: .administrator)
                #expect(done.codes == [nil])
                #expect(try await courier.all() == (mayRead ? ["s:updated:r0"] : []), "\(asker)")
            }
        }
    }
}
