import RecordModel
import RecordStorage
import RecordStoragePostgres
import RecordWire
import Synchronization
import TestSupport
import Testing

/// Requests that wait for the writing thread are stored together, and yet as if one had come after the other.
@Suite struct WaitingWriteTests {
    /// Has requests wait for a write that does not end before all of them were sent.
    private func together(
        _ cloud: TestCloud, _ requests: [@Sendable () async throws -> TestCloud.Answer]
    ) async throws -> [TestCloud.Answer] {
        let isReleased = Atomic(false)
        async let held: Void = cloud.store.write { _ in
            while !isReleased.load(ordering: .acquiring) {}
        }
        let answers = try await withThrowingTaskGroup(of: (Int, TestCloud.Answer).self) { group in
            for (number, request) in requests.enumerated() {
                group.addTask { (number, try await request()) }
            }
            try await Task.sleep(for: .milliseconds(200))
            isReleased.store(true, ordering: .releasing)
            var answers: [Int: TestCloud.Answer] = [:]
            for try await (number, answer) in group { answers[number] = answer }
            return requests.indices.compactMap { answers[$0] }
        }
        try await held
        return answers
    }

    private static func create(_ name: String?, _ value: JSONValue, type: String = "Note") -> JSONValue {
        TestCloud.operation("create", name, type: type, fields: ["n": ["value": value]])
    }

    @Test(arguments: StoreEngine.durable)
    func `Each of them sees what those before it did`(_ engine: StoreEngine) async throws {
        try await TestCloud.run(engine: engine) { cloud in
            try await cloud.makeZones("Zone")
            let tag = try await cloud.save("tagged", ["n": ["value": 0]], zone: "Zone")
            let answers = try await together(
                cloud,
                (0..<8).flatMap { number -> [@Sendable () async throws -> TestCloud.Answer] in
                    let note: JSONValue = ["n": ["value": .int(Int64(number))]]
                    return [
                        { try await cloud.modify([Self.create("same", 1)], zone: "Zone") },
                        {
                            try await cloud.modify(
                                [TestCloud.operation("forceUpdate", "hot", fields: note)], zone: "Zone")
                        },
                        {
                            try await cloud.modify(
                                [TestCloud.operation("update", "tagged", tag: tag, fields: note)],
                                zone: "Zone")
                        },
                        { try await cloud.modify([Self.create("bad\(number)", "text")], zone: "Zone") },
                        {
                            try await cloud.modify(
                                [Self.create("torn\(number)", 1), Self.create("tagged", 1)], zone: "Zone",
                                atomic: true)
                        },
                        {
                            try await cloud.send(
                                .recordsModify,
                                [
                                    "operations": [Self.create(nil, 7)], "idempotencyKey": "key",
                                    "zoneID": ["zoneName": "Zone"],
                                ])
                        },
                        {
                            try await cloud.modify(
                                [TestCloud.operation("forceDelete", "hot", type: nil)], zone: "Zone")
                        },
                    ]
                })
            func codes(_ kind: Int) -> [String?] {
                answers.indices.filter { $0 % 7 == kind }.map { answers[$0].codes[0] }
            }
            #expect(codes(0).filter { $0 == nil }.count == 1)
            #expect(codes(0).filter { $0 == "CONFLICT" }.count == 7)
            #expect(codes(1).allSatisfy { $0 == nil } && codes(6).allSatisfy { $0 == nil })
            #expect(codes(2).filter { $0 == nil }.count == 1)
            #expect(codes(3).allSatisfy { $0 == "BAD_REQUEST" })
            #expect(codes(4).allSatisfy { $0 == "ATOMIC_ERROR" || $0 == "CONFLICT" })
            #expect(codes(5).allSatisfy { $0 == nil })
            let keyed = answers.indices.filter { $0 % 7 == 5 }.map { answers[$0].records[0]["recordName"] }
            #expect(Set(keyed).count == 1)
            let tags = answers.indices.filter { [0, 1, 2].contains($0 % 7) && answers[$0].codes[0] == nil }
                .map { answers[$0].records[0]["recordChangeTag"] }
            #expect(Set(tags).count == tags.count)
            let names = try await cloud.query(["recordType": "Note"], zone: "Zone").names
            let expected = Set(["same", "tagged", keyed[0].string].compactMap(\.self))
            #expect(Set(names).subtracting(["hot"]) == expected && names.count <= 4)
        }
    }

    @Test(arguments: StoreEngine.durable)
    func `Types that come with them are made once`(_ engine: StoreEngine) async throws {
        try await TestCloud.run(engine: engine) { cloud in
            let answers = try await together(
                cloud,
                (0..<12).map { number in
                    {
                        try await cloud.modify(
                            [Self.create("r\(number)", .int(Int64(number)), type: "Type\(number % 3)")],
                            in: .public)
                    }
                })
            #expect(answers.allSatisfy { $0.codes == [nil] })
            for type in 0..<3 {
                let found = try await cloud.query(
                    ["recordType": .string("Type\(type)"), "sortBy": [["fieldName": "n"]]], in: .public)
                #expect(found.names == (0..<4).map { "r\(type + 3 * $0)" })
            }
        }
    }

    @Test func `They share their trips to PostgreSQL`() async throws {
        try await TestCloud.run(engine: .postgres) { cloud in
            let store = try #require(cloud.store as? PostgresStore)
            try await cloud.save("first", ["n": ["value": 0]], in: .public)
            for isNamed in [true, false] {
                let before = store.trips.writing
                let answers = try await together(
                    cloud,
                    (0..<40).map { number in
                        {
                            try await cloud.modify(
                                [Self.create(isNamed ? "r\(number)" : nil, 1)], in: .public)
                        }
                    })
                #expect(answers.allSatisfy { $0.codes == [nil] })
                // One by one they would take 80 at least. Some may have come too late for the rest.
                #expect(store.trips.writing - before <= 30)
            }
        }
    }
}
