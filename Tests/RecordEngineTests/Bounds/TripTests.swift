import RecordModel
import RecordStoragePostgres
import RecordWire
import TestSupport
import Testing

/// How often a request waits for PostgreSQL: a number that does not grow with its operations.
@Suite struct TripTests {
    /// The least trips of some tries: the schema may be read again in one of them, and an index be made.
    private func trips(
        _ cloud: TestCloud, tries: Int = 4, _ request: (Int) async throws -> Void
    ) async throws -> (reading: Int, writing: Int) {
        let store = try #require(cloud.store as? PostgresStore)
        var least = (reading: Int.max, writing: Int.max)
        for number in 0..<tries {
            let before = store.trips
            try await request(number)
            let after = store.trips
            least.reading = min(least.reading, after.reading - before.reading)
            least.writing = min(least.writing, after.writing - before.writing)
        }
        return least
    }

    private func operations(_ type: String, _ names: [String]) -> [JSONValue] {
        names.map {
            TestCloud.operation(type, $0, fields: type.hasSuffix("elete") ? nil : ["n": ["value": 1]])
        }
    }

    @Test(arguments: [1, 50, 200])
    func `Requests of any size take as many trips to PostgreSQL as small ones`(_ count: Int) async throws {
        let cloud = try await TestCloud(engine: .postgres)
        try await cloud.makeZones("Zone")
        let names = (0..<count).map { "r\($0)" }
        for zone in [nil, "Zone"] {
            try await cloud.modify(operations("forceUpdate", ["first"]), zone: zone)
            let created = try await trips(cloud) { number in
                let answer = try await cloud.modify(
                    operations("create", names.map { "\($0)-\(number)" }), zone: zone)
                #expect(answer.codes.allSatisfy { $0 == nil })
            }
            let updated = try await trips(cloud) { number in
                let answer = try await cloud.modify(
                    operations("forceUpdate", names.map { "\($0)-\(number)" }), zone: zone)
                #expect(answer.codes.allSatisfy { $0 == nil })
            }
            let found = try await trips(cloud) { number in
                let records: [JSONValue] = names.map { ["recordName": .string("\($0)-\(number)")] }
                var body: JSONValue = ["records": .array(records)]
                if let zone { body = body.with("zoneID", ["zoneName": .string(zone)]) }
                let answer = try await cloud.send(.recordsLookup, body)
                #expect(answer.codes.allSatisfy { $0 == nil })
            }
            let asked = try await trips(cloud) { _ in
                let answer = try await cloud.query(
                    ["recordType": "Note", "sortBy": [["fieldName": "n"]]], zone: zone, limit: count)
                #expect(answer.records.count == count)
            }
            let deleted = try await trips(cloud) { number in
                let answer = try await cloud.modify(
                    operations("forceDelete", names.map { "\($0)-\(number)" }), zone: zone)
                #expect(answer.codes.allSatisfy { $0 == nil })
            }
            #expect(created.writing <= 3 && updated.writing <= 3)
            // Beyond a thousand statements some go earlier.
            #expect(deleted.writing <= (count <= 50 ? 3 : 4))
            #expect(found.reading == 1)
            // The number of a default zone is known; one of the others has to be asked for.
            #expect(asked.reading == (zone == nil ? 1 : 2))
        }
        await cloud.close()
    }

    @Test func `A record that takes others along takes as many trips as it has levels`() async throws {
        let cloud = try await TestCloud(engine: .postgres)
        try await cloud.makeZones("Zone")
        func child(_ name: String, of parent: String) -> JSONValue {
            TestCloud.operation(
                "create", name,
                fields: ["owner": ["value": ["recordName": .string(parent), "action": "DELETE_SELF"]]])
        }
        let deleted = try await trips(cloud, tries: 3) { number in
            let root = "root\(number)"
            try await cloud.modify(operations("create", [root]), zone: "Zone")
            for start in stride(from: 0, to: 400, by: 200) {
                try await cloud.modify(
                    (start..<start + 200).map { child("\(root)-\($0)", of: root) }, zone: "Zone")
            }
            try await cloud.modify(
                (0..<200).map { child("\(root)-0-\($0)", of: "\(root)-0") }, zone: "Zone")
            let store = try #require(cloud.store as? PostgresStore)
            let before = store.trips.writing
            let answer = try await cloud.modify(operations("forceDelete", [root]), zone: "Zone")
            #expect(answer.codes == [nil])
            // Two for each level, as many as another deletion, and those that thousands of statements take.
            #expect(store.trips.writing - before <= 14, "\(store.trips.writing - before) trips")
        }
        #expect(deleted.writing > 0)
        let left = try await cloud.query(["recordType": "Note"], zone: "Zone")
        #expect(left.names.isEmpty)
        await cloud.close()
    }
}
