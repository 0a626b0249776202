import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Law: whoever goes forward and then back sees the same pages, whatever the order, ties and missing values.
@Suite struct BackwardPagingTests {
    private struct Page: Equatable {
        var names: [String]
        var next: String?
        var previous: String?
    }

    private static func page(
        _ cloud: TestCloud, _ query: JSONValue, _ limit: Int, backward: Bool, marker: String?
    ) async throws -> Page {
        var body: JSONValue = [
            "query": query, "resultsLimit": .int(Int64(limit)), "backward": .bool(backward),
        ]
        if let marker { body = body.with("continuationMarker", .string(marker)) }
        let json = try await cloud.send(.recordsQuery, body).json
        #expect(json["serverErrorCode"] == .null, "\(query.text): \(json.text.prefix(300))")
        return Page(
            names: json["records"].elements.map { $0["recordName"].string ?? "?" },
            next: json["continuationMarker"].string, previous: json["previousMarker"].string)
    }

    @Test(arguments: Seed.some(4))
    func `Back are the pages that were seen on the way`(_ seed: Seed) async throws {
        var random = seed.random
        let records = random.records(150)
        let queries = (0..<15).map { _ in (query: MarkerLawTests.query(&random), limit: random.int(1...40)) }
        try await TestCloud.run { cloud in
            try await cloud.save(records)
            for (query, limit) in queries {
                var forward = [try await Self.page(cloud, query, limit, backward: false, marker: nil)]
                #expect(forward[0].previous == nil)
                while let next = forward[forward.count - 1].next {
                    forward.append(try await Self.page(cloud, query, limit, backward: false, marker: next))
                }
                #expect(forward.flatMap(\.names) == (try await cloud.query(query, limit: 200)).names)
                var back = [forward[forward.count - 1]]
                while let previous = back[back.count - 1].previous {
                    back.append(try await Self.page(cloud, query, limit, backward: true, marker: previous))
                }
                #expect(
                    Array(back.reversed()).map(\.names) == forward.map(\.names), "\(query.text) by \(limit)")
                // From a page that was reached backwards, forward is the page that was left.
                for (page, following) in zip(back.dropFirst(), back) {
                    let next = try #require(page.next)
                    let again = try await Self.page(cloud, query, limit, backward: false, marker: next)
                    #expect(again.names == following.names, "\(query.text) by \(limit)")
                }
            }
        }
    }

    @Test(arguments: Seed.some(2))
    func `The last page ends where the result ends`(_ seed: Seed) async throws {
        var random = seed.random
        let records = random.records(90)
        let queries = (0..<10).map { _ in (query: MarkerLawTests.query(&random), limit: random.int(1...40)) }
        try await TestCloud.run { cloud in
            try await cloud.save(records)
            for (query, limit) in queries {
                let all = try await cloud.query(query, limit: 200).names
                var pages: [[String]] = []
                var marker: String?
                repeat {
                    let page = try await Self.page(cloud, query, limit, backward: true, marker: marker)
                    if pages.isEmpty { #expect(page.next == nil) }
                    pages.insert(page.names, at: 0)
                    marker = page.previous
                } while marker != nil
                #expect(pages.flatMap { $0 } == all, "\(query.text) by \(limit)")
            }
        }
    }

    @Test func `A page whose rows are gone leads back to the rows before it`() async throws {
        try await TestCloud.run { cloud in
            for name in ["a", "b", "c", "d"] { try await cloud.save(name, ["n": ["value": 1]]) }
            let query: JSONValue = ["recordType": "Note", "sortBy": [["fieldName": "n"]]]
            let first = try await Self.page(cloud, query, 2, backward: false, marker: nil)
            let marker = try #require(first.next)
            try await cloud.modify(["c", "d"].map { TestCloud.operation("forceDelete", $0) })
            let second = try await Self.page(cloud, query, 2, backward: false, marker: marker)
            #expect(second.names == [])
            let previous = try #require(second.previous)
            #expect(
                try await Self.page(cloud, query, 2, backward: true, marker: previous).names == ["a", "b"])
        }
    }

    @Test func `Only who asks for both directions is told of the page before`() async throws {
        try await TestCloud.run { cloud in
            for name in ["a", "b", "c"] { try await cloud.save(name, ["n": ["value": 1]]) }
            let query: JSONValue = ["recordType": "Note"]
            let first = try await cloud.query(query, limit: 1)
            let marker = try #require(first.json["continuationMarker"].string)
            let second = try await cloud.query(query, limit: 1, marker: marker)
            #expect(second.json.object?.members.map(\.key) == ["records", "continuationMarker"])
        }
    }
}
