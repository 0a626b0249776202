import Foundation
import RecordModel
import TestSeeds
import TestSupport
import Testing

@testable import RecordServer

/// However requests end, the server holds nothing of them afterwards.
@Suite struct HoldingTests {
    private static let prefix = "/database/1/iCloud.test/development/public/records/"
    private static let tokens = "?ckAPIToken=\(ServiceFixture.apiToken)"

    /// A request, and how much of it is sent: what a client does before it goes, or reads its answer.
    private struct Visit {
        var head: String
        var body: [UInt8]
        var sent: Int
        var reads: Bool
        var breaks: Bool

        init(_ random: inout Random, _ user: String) {
            let word = String(repeating: "word ", count: random.oneIn(3) ? 40_000 : 10)
            let save =
                #"{"operations":[{"operationType":"forceUpdate","record":{"recordName":"r\#(random.int(0...3))","recordType":"T","fields":{"text":{"value":"\#(word)"}}}}]}"#
            let query = #"{"query":{"recordType":"T"}}"#
            let visits: [(method: String, target: String, more: String, body: String)] = [
                ("POST", "query" + tokens, "", query), ("POST", "query" + tokens, "", "no JSON"),
                ("POST", "modify" + tokens + "&ckWebAuthToken=\(user)", "", save),
                ("POST", "modify" + tokens, "", save),
                ("POST", "query?ckAPIToken=wrong", "", save),
                ("POST", "query" + tokens, "Expect: 100-continue\r\n", query),
                (
                    "GET", "live\(tokens)&query=%7B%22query%22%3A%7B%22recordType%22%3A%22T%22%7D%7D", "",
                    ""
                ),
                ("PUT", "query" + tokens, "", save), ("OPTIONS", "query", "", ""),
            ]
            let visit = random.pick(visits, else: visits[0])
            body = Array(visit.body.utf8)
            head =
                "\(visit.method) \(prefix)\(visit.target) HTTP/1.1\r\nHost: localhost\r\n\(visit.more)"
                + "X-Forwarded-For: 203.0.113.\(random.int(1...3))\r\nContent-Length: \(body.count)\r\n\r\n"
            sent = random.oneIn(3) ? random.int(0...body.count) : body.count
            // The stream of a live query has no end.
            reads = random.oneIn(2) && sent == body.count && !visit.target.hasPrefix("live")
            breaks = random.oneIn(2)
        }

        func run(_ port: Int) async throws {
            let client = try RawConnection(port)
            await client.send(head)
            await client.send(Array(body[..<sent]))
            if reads { _ = await client.readHead() }
            if breaks { client.breakAtClose() }
        }
    }

    @Test(arguments: Seed.some(4))
    func `Requests that are answered, refused, cut off or left give everything back`(seed: Seed) async throws
    {
        let budgets = MemoryBudgets(bodies: 400_000, work: 300_000, answers: 400_000)
        try await ServiceFixture.with { fixture in
            let user = try await fixture.webToken(of: "bob")
            try await fixture.withRunningServer(budgets: budgets) { server, url in
                let port = try #require(url.port)
                var random = seed.random
                for _ in 0..<5 {
                    let visits = (0..<16).map { _ in Visit(&random, user) }
                    try await withThrowingTaskGroup { group in
                        for visit in visits { group.addTask { try await visit.run(port) } }
                        try await group.waitForAll()
                    }
                }
                let state = server.state
                #expect(try await eventually { state.shares.taken == 0 })
                #expect(try await eventually { state.bodies.held == 0 })
                #expect(try await eventually { state.work.used == 0 && state.work.waiting == 0 })
                #expect(try await eventually { state.answers.held == 0 })
                #expect(try await RawHTTP.get(port, "/healthz").status == 200)
            }
        }
    }
}
