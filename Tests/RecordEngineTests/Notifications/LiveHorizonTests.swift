import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

/// Live queries whose clients are so slow that the log forgets what comes next.
@Suite struct LiveHorizonTests {
    private static let records = 400

    @Test func `A live query that the horizon passes while it catches up is sent as a whole`() async throws {
        try await TestCloud.run { cloud in
            let text = JSONValue.string(String(repeating: "x", count: 1_000))
            try await cloud.save("first", ["n": ["value": 1], "t": ["value": text]])
            let body: JSONValue = ["query": ["recordType": "Note"]]
            let before = try await LiveClient.open(cloud, body)
            let id = try #require(try await before.next()?.last?.id)
            await before.close()
            for start in stride(from: 0, to: Self.records, by: 200) {
                let operations = (start..<start + 200).map { number in
                    TestCloud.operation(
                        "create", "r\(number)",
                        fields: ["n": ["value": .int(Int64(number))], "t": ["value": text]])
                }
                try await cloud.modify(operations)
            }
            let live = try await LiveClient.open(cloud, body, after: id)
            // The first events fill what is sent at once; the log is read further when they have left.
            var told = try #require(try await live.next()).map(\.name)
            #expect(!told.contains(.page) && told.count < Self.records)
            try await cloud.store.write { store in
                _ = try store.forgetChanges(before: 0, at: 1)
                _ = try store.forgetChanges(before: 1, at: 2)
            }
            while !told.contains(.page), told.count < Self.records, let events = try await live.next() {
                told += events.map(\.name)
            }
            #expect(told.last == .page)
            await live.close()
        }
    }
}
