import Foundation
import RecordModel
import RecordServer
import TestSupport
import Testing

/// What a request is refused for before its body is taken, and bodies that are given up for others.
@Suite struct RefusalTests {
    private static let query = "/database/1/iCloud.test/development/public/records/query"

    private static func head(_ path: String, length: Int, _ more: String = "") -> String {
        "POST \(path) HTTP/1.1\r\nHost: localhost\r\n\(more)Content-Length: \(length)\r\n\r\n"
    }

    @Test(arguments: [
        ("?ckAPIToken=wrong", "AUTHENTICATION_FAILED"), ("", "AUTHENTICATION_FAILED"),
        ("?ckAPIToken=\(ServiceFixture.apiToken)&ckWebAuthToken=wrong", "AUTHENTICATION_REQUIRED"),
    ])
    func `Who shows a wrong token is told so before a large body`(tokens: String, code: String) async throws {
        try await ServiceFixture.with { fixture in
            try await fixture.withServer { url in
                let client = try RawConnection(try #require(url.port))
                await client.send(Self.head(Self.query + tokens, length: Limits.requestBodyBytes))
                let answer = await client.readToEnd()
                #expect(answer.hasPrefix("HTTP/1.1 401 ") || answer.hasPrefix("HTTP/1.1 421 "), "\(answer)")
                #expect(answer.contains(code) && answer.contains("Connection: close"))
            }
        }
    }

    @Test func `What is sent after a refusal is read slowly, and the sender sees the refusal`() async throws {
        try await ServiceFixture.with { fixture in
            try await fixture.withServer { url in
                let client = try RawConnection(try #require(url.port))
                let start = ContinuousClock.now
                let length = Limits.requestBodyBytes
                await client.send(Self.head(Self.query + "?ckAPIToken=wrong", length: length))
                let isTaken = await client.send([UInt8](repeating: 0x20, count: length))
                // Read as fast as it comes it takes some 10 ms.
                #expect(ContinuousClock.now - start > .seconds(1))
                // On a machine that is too slow for all of it, the connection has ended.
                guard isTaken else { return }
                #expect(await client.readToEnd().hasPrefix("HTTP/1.1 401 "))
            }
        }
    }

    @Test func `A small body with a wrong token leaves the connection open`() async throws {
        try await ServiceFixture.with { fixture in
            try await fixture.withServer { url in
                let client = try RawConnection(try #require(url.port))
                for _ in 0..<3 {
                    await client.send(Self.head(Self.query + "?ckAPIToken=wrong", length: 2) + "{}")
                    let head = await client.readHead()
                    #expect(head.contains("401 ") && !head.contains("Connection: close"))
                    _ = await client.read(until: "}")
                }
            }
        }
    }

    @Test func `The slowest body goes when there is no room, not the newest`() async throws {
        let budgets = MemoryBudgets(
            bodies: 1_000_000, work: Limits.workingBodyBytes, answers: Limits.heldAnswerBytes)
        try await ServiceFixture.with { fixture in
            try await fixture.withServer(budgets: budgets) { url in
                let port = try #require(url.port)
                let path = Self.query + "?ckAPIToken=\(ServiceFixture.apiToken)"
                let slow = try RawConnection(port)
                await slow.send(Self.head(path, length: 900_000))
                await slow.send([UInt8](repeating: 0x20, count: 700_000))
                // Longer than the time over which the pace is taken.
                try await Task.sleep(for: .seconds(5))
                let body = String(repeating: " ", count: 800_000) + "{\"query\":{\"recordType\":\"Note\"}}"
                let fast = try RawConnection(port)
                await fast.send(Self.head(path, length: body.utf8.count, "Connection: close\r\n") + body)
                let answer = await fast.readToEnd()
                #expect(!answer.contains("TRY_AGAIN_LATER"), "\(answer)")
                let refusal = await slow.readToEnd()
                #expect(
                    refusal.hasPrefix("HTTP/1.1 503 ") && refusal.contains("TRY_AGAIN_LATER"), "\(refusal)")
                #expect(refusal.contains("Retry-After: 1") && refusal.contains("Connection: close"))
            }
        }
    }

    static let hosts: [(lines: String, status: String)] = [
        ("Host: localhost\r\n", "200"), ("Host: [::1]:8080\r\n", "200"), ("Host:\r\n", "200"), ("", "400"),
        ("Host: a\r\nHost: a\r\n", "400"), ("Host: a\r\nhost: b\r\n", "400"),
        ("Host: evil.example\"><x\r\n", "400"), ("Host: a, b\r\n", "400"), ("Host: a/b\r\n", "400"),
    ]

    @Test(arguments: hosts)
    func `Host is required, single and valid`(lines: String, status: String) async throws {
        try await ServiceFixture.with { fixture in
            try await fixture.withServer { url in
                let client = try RawConnection(try #require(url.port))
                await client.send("GET /limits HTTP/1.1\r\nConnection: close\r\n\(lines)\r\n")
                let answer = await client.readToEnd()
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer.prefix(200))")
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) func `HTTP/1.0 needs no Host, and ends the connection`() async throws {
        try await ServiceFixture.with { fixture in
            try await fixture.withServer { url in
                let client = try RawConnection(try #require(url.port))
                await client.send("GET /healthz HTTP/1.0\r\n\r\n")
                let answer = await client.readToEnd()
                #expect(answer.contains(" 200 "), "\(answer.prefix(200))")
            }
        }
    }
}
