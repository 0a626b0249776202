import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@testable import RecordStoragePostgres
@testable import RecordStorageSQLite

/// What a client is told whose token is older than the deletions that the store still knows.
@Suite struct ForgottenDeletionTests {
    /// Lets a store forget all deletions so far, as its background does after a long time.
    private static func forget(_ cloud: TestCloud) async throws {
        try await cloud.store.write { writer in
            if let writer = writer as? PostgresWriter {
                while try writer.forgetDeletions(upTo: try writer.lastSequence(), limit: 1) > 0 {}
                return
            }
            let writer = try #require(writer as? SQLiteWriter)
            var walk = CompactionWalk(horizon: try writer.lastSequence())
            var budget = WorkBudget()
            #expect(try writer.compact(&walk, within: &budget))
        }
    }

    @Test func `A token from before a forgotten deletion is unknown, and a new start is complete`()
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone", "Quiet")
            for name in ["a", "b", "c"] { try await cloud.save(name, ["n": ["value": 1]], zone: "Zone") }
            let old = try await cloud.changes(zone: "Zone").token
            let quiet = try await cloud.changes(zone: "Quiet").token
            try await cloud.modify([TestCloud.operation("forceDelete", "b")], zone: "Zone")
            let fresh = try await cloud.changes(zone: "Zone", since: old).token
            try await Self.forget(cloud)

            func ask(_ token: String, _ zone: String) async throws -> JSONValue {
                try await cloud.send(
                    .changesZone,
                    ["zones": [["zoneID": ["zoneName": .string(zone)], "syncToken": .string(token)]]]
                ).json["zones"][0]
            }
            let expired = try await ask(old, "Zone")
            #expect(expired["serverErrorCode"] == "BAD_REQUEST")
            #expect(expired["reason"] == "Unknown sync continuation type")
            #expect(try await ask(fresh, "Zone")["records"] == [], "nothing was missed")
            #expect(try await ask(quiet, "Quiet")["records"] == [], "nothing was deleted there")
            let again = try await cloud.changes(zone: "Zone")
            #expect(again.records.compactMap { $0["recordName"].string } == ["a", "c"])
        }
    }

    @Test func `The pages of a first fetch go on over a deletion that is forgotten meanwhile`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            for name in ["a", "b", "c", "d"] { try await cloud.save(name, ["n": ["value": 1]], zone: "Zone") }
            try await cloud.modify([TestCloud.operation("forceDelete", "d")], zone: "Zone")
            var page = try await cloud.changes(zone: "Zone", limit: 1)
            var names = page.records.compactMap { $0["recordName"].string }
            try await Self.forget(cloud)
            while page.moreComing {
                page = try await cloud.changes(zone: "Zone", since: page.token, limit: 1)
                names += page.records.compactMap { $0["recordName"].string }
            }
            #expect(names == ["a", "b", "c"])
        }
    }

    @Test func `A database's token from before a forgotten zone is unknown as well`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("A", "B")
            let old = try await cloud.send(.changesDatabase, [:]).json["syncToken"].string ?? ""
            _ = try await cloud.send(
                .zonesModify,
                ["operations": [["operationType": "delete", "zone": ["zoneID": ["zoneName": "B"]]]]])
            let fresh = try await cloud.send(.changesDatabase, ["syncToken": .string(old)]).json
            #expect(fresh["zones"][0]["deleted"] == true)
            try await Self.forget(cloud)
            let expired = try await cloud.send(.changesDatabase, ["syncToken": .string(old)])
            #expect(expired.status == 400 && expired.json["reason"] == "Unknown sync continuation type")
            let rest = try await cloud.send(.changesDatabase, ["syncToken": fresh["syncToken"]])
            #expect(rest.status == 200 && rest.json["zones"] == [])
            let names = try await cloud.send(.changesDatabase, [:]).json["zones"]
            #expect(names[0]["zoneID"]["zoneName"] == "A" && names[1] == .null)
        }
    }
}
