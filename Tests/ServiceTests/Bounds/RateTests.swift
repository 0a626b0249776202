import CloudKit
import Foundation
import RecordModel
import RecordServer
import TestSupport
import Testing

/// How many requests users, tokens and addresses may send, over sockets.
@Suite struct RateTests {
    private static let path = "/database/1/iCloud.test/development/public"

    private static func ask(
        _ client: RawConnection, _ endpoint: String, user: String? = nil, _ body: String = "{}"
    ) async -> String {
        let token = user.map { "&ckWebAuthToken=\($0)" } ?? ""
        await client.send(
            "POST \(path)/\(endpoint)?ckAPIToken=\(ServiceFixture.apiToken)\(token) HTTP/1.1\r\n"
                + "Host: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        let head = await client.readHead()
        let length = head.lowercased().split(separator: "content-length: ").last.flatMap {
            Int($0.prefix { $0.isNumber })
        }
        var rest = ""
        while rest.utf8.count < length ?? 0 {
            guard let bytes = await client.read(), !bytes.isEmpty else { break }
            rest += String(decoding: bytes, as: UTF8.self)
        }
        return head + rest
    }

    @Test func `A user beyond the rate waits, is told for how long, and holds up nobody else`() async throws {
        try await ServiceFixture.with { fixture in
            let (one, other) = (
                try await fixture.webToken(of: "one"), try await fixture.webToken(of: "other")
            )
            let rates = RateLimits(perAddress: 0, perUser: 6, perToken: 0)
            try await fixture.withServer(rates: rates) { url in
                let client = try RawConnection(try #require(url.port))
                for left in [5, 4, 3, 2, 1, 0] {
                    let answer = await Self.ask(client, "users/caller", user: one)
                    #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
                    #expect(answer.contains("RateLimit-Policy: \"user\";q=6;w=60\r\n"))
                    #expect(answer.contains("RateLimit: \"user\";r=\(left);t="))
                }
                let start = ContinuousClock.now
                let refusal = await Self.ask(client, "users/caller", user: one)
                #expect(ContinuousClock.now - start >= .milliseconds(Limits.refusedRateMilliseconds))
                #expect(refusal.hasPrefix("HTTP/1.1 429 ") && refusal.contains("\"THROTTLED\""), "\(refusal)")
                // A token comes each ten seconds.
                let wait = try #require(refusal.firstMatch(of: /Retry-After: (\d+)/).flatMap { Int($0.1) })
                #expect(1...10 ~= wait && refusal.contains("\"retryAfter\":\(wait)}"))
                #expect(refusal.contains("RateLimit: \"user\";r=0;t="))
                #expect(await Self.ask(client, "users/caller", user: other).hasPrefix("HTTP/1.1 200 "))
                #expect(await Self.ask(client, "zones/list").hasPrefix("HTTP/1.1 200 "))
                let limits = try await RawHTTP.get(try #require(url.port), "/limits")
                #expect(limits.body.contains("\"userRequestsPerMinute\":6"))
                #expect(limits.body.contains("\"addressRequestsPerMinute\":0"))
            }
        }
    }

    @Test func `A large body beyond the rate is not taken`() async throws {
        try await ServiceFixture.with { fixture in
            let token = try await fixture.webToken(of: "one")
            let rates = RateLimits(perAddress: 0, perUser: 1, perToken: 0)
            try await fixture.withServer(rates: rates) { url in
                let port = try #require(url.port)
                #expect(
                    await Self.ask(try RawConnection(port), "users/caller", user: token).contains(" 200 "))
                let client = try RawConnection(port)
                await client.send(
                    "POST \(Self.path)/records/modify?ckAPIToken=\(ServiceFixture.apiToken)&ckWebAuthToken=\(token)"
                        + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(Limits.requestBodyBytes)\r\n\r\n"
                )
                let answer = await client.readToEnd()
                #expect(
                    answer.hasPrefix("HTTP/1.1 429 ") && answer.contains("Connection: close"), "\(answer)")
            }
        }
    }

    @Test func `Live queries, pages and wrong tokens count like other requests`() async throws {
        let token = "?ckAPIToken=\(ServiceFixture.apiToken)"
        let live = "\(Self.path)/records/live\(token)&query=%7B%22recordType%22:%22A%22%7D"
        let caller = "\(Self.path)/users/caller\(token)"
        try await ServiceFixture.with { fixture in
            let rates = RateLimits(perAddress: 5, perUser: 0, perToken: 2)
            let connections = ConnectionLimits(all: 100, perAddress: 100, trustsLoopback: false)
            try await fixture.withServer(connections: connections, rates: rates) { url in
                let port = try #require(url.port)
                var statuses: [Int] = []
                for path in [
                    "/healthz", "\(Self.path)/users/caller?ckAPIToken=wrong", caller, caller, live,
                    "/healthz",
                ] {
                    statuses.append(try await RawHTTP.get(port, path).status)
                }
                #expect(statuses == [200, 401, 421, 421, 429, 429])
            }
            try await fixture.withServer(rates: RateLimits(perAddress: 0, perUser: 0, perToken: 1)) { url in
                let port = try #require(url.port)
                #expect(try await RawHTTP.get(port, caller).status == 421)
                let answer = try await RawHTTP.get(port, live)
                #expect(
                    answer.status == 429 && answer.headers["ratelimit"]?.hasPrefix("\"token\";r=0") == true)
            }
        }
    }

    @Test func `The Swift client waits as it is told, and goes on`() async throws {
        try await ServiceFixture.with { fixture in
            let token = try await fixture.webToken(of: "one")
            // A request each second, after the first sixty.
            let rates = RateLimits(perAddress: 0, perUser: 60, perToken: 0)
            try await fixture.withServer(rates: rates) { url in
                let port = try #require(url.port)
                let client = try RawConnection(port)
                for _ in 0..<60 { _ = await Self.ask(client, "users/caller", user: token) }
                let container = try await fixture.container(user: "one", transport: HTTPTransport(url: url))
                _ = try await container.publicCloudDatabase.allRecordZones()
            }
        }
    }
}
