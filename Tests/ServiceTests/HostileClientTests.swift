import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import RecordModel
import Synchronization
import Testing

@testable import RecordServer

/// Clients that do not read, that send without waiting, and that go away in the middle.
@Suite struct HostileClientTests {
    /// Answers that take their time, for what reads them or does not.
    private struct SlowSite: Site {
        let name = "slow"
        let prefix = "/slow"
        let allowsOtherOrigins = false

        func answer(_ request: SiteRequest) async -> SiteAnswer {
            if request.path == "/form" {
                do {
                    let bytes = try await request.body(upTo: 1_000)
                    return SiteAnswer(
                        Response(status: .ok, body: .init(byteBuffer: ByteBuffer(bytes: bytes))))
                } catch {
                    return SiteAnswer(error, requestID: request.requestID)
                }
            }
            let isQuiet = request.path == "/tail"
            return SiteAnswer(
                Response(
                    status: .ok,
                    body: ResponseBody { writer in
                        let piece = ByteBuffer(repeating: 0x61, count: isQuiet ? 1 : 65_536)
                        for _ in 0..<(isQuiet ? 2 : 10_000) {
                            try await writer.write(piece)
                            if isQuiet { try await Task.sleep(for: .seconds(4)) }
                        }
                        try await writer.finish(nil)
                    }))
        }
    }

    private static func withServer(
        stall: Duration, history: RequestHistory = RequestHistory(),
        _ body: (Int, ServiceFixture) async throws -> Void
    ) async throws {
        try await ServiceFixture.with { fixture in
            let folder = fixture.directory + "/public"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            _ = FileManager.default.createFile(atPath: folder + "/large", contents: nil)
            try #require(truncate(folder + "/large", 50_000_000) == 0)
            let transfers = TransferLimits(request: .seconds(300), stall: stall, upload: .seconds(300))
            let sites: [any Site] = [SlowSite(), StaticSite(prefix: "/files", folder: folder)]
            try await fixture.withServer(history: history, sites: sites, transfers: transfers) { url in
                try await body(try #require(url.port), fixture)
            }
        }
    }

    private static func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n" }

    @Test(arguments: [("/files/large", 1), ("/openapi.json", Limits.pipelinedRequests), ("/slow/stream", 1)])
    func `Who takes nothing of an answer is cut off`(path: String, requests: Int) async throws {
        try await Self.withServer(stall: .seconds(1)) { port, _ in
            let client = try RawConnection(port, receiveBuffer: 4_096)
            #expect(await client.send(String(repeating: Self.get(path), count: requests)))
            #expect(await client.isCutOff(within: 120))
        }
    }

    /// Counts what a body was asked for.
    private final class Meter: Sendable {
        private let bytes = Atomic<Int>(0)

        var count: Int { bytes.load(ordering: .relaxed) }

        func add(_ more: Int) { bytes.add(more, ordering: .relaxed) }
    }

    private struct MeteredSite: Site {
        let name = "metered"
        let prefix = "/metered"
        let allowsOtherOrigins = false
        let meter: Meter

        func answer(_ request: SiteRequest) async -> SiteAnswer {
            SiteAnswer(
                Response(
                    status: .ok,
                    body: ResponseBody { [meter] writer in
                        for _ in 0..<10_000 {
                            meter.add(65_536)
                            try await writer.write(ByteBuffer(repeating: 0x61, count: 65_536))
                        }
                        try await writer.finish(nil)
                    }))
        }
    }

    @Test func `No more is made ready than a connection takes`() async throws {
        try await ServiceFixture.with { fixture in
            let meter = Meter()
            try await fixture.withServer(sites: [MeteredSite(meter: meter)]) { url in
                let port = try #require(url.port)
                var clients: [RawConnection] = []
                for _ in 0..<20 {
                    let client = try RawConnection(port, receiveBuffer: 4_096)
                    await client.send(Self.get("/metered"))
                    clients.append(client)
                }
                // Until nothing more is asked for.
                var before = -1
                while meter.count != before {
                    before = meter.count
                    try await Task.sleep(for: .seconds(1))
                }
                // The system takes up to 4 MiB for a socket; what is above that waits in the service.
                #expect(meter.count / clients.count < 4_500_000, "\(meter.count / clients.count)")
            }
        }
    }

    @Test func `Who reads slowly gets all of it`() async throws {
        try await Self.withServer(stall: .seconds(6)) { port, _ in
            let client = try RawConnection(port, receiveBuffer: 65_536)
            await client.send("GET /files/large HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            var count = 0
            var pauses = 0
            while let bytes = await client.read(upTo: 1_000_000), !bytes.isEmpty {
                count += bytes.count
                // Longer than the stall in all.
                guard count > pauses * 1_000_000, pauses < 20 else { continue }
                pauses += 1
                try await Task.sleep(for: .milliseconds(400))
            }
            #expect(count > 50_000_000)
        }
    }

    @Test func `A quiet answer goes on while its client reads`() async throws {
        try await Self.withServer(stall: .seconds(1)) { port, _ in
            let client = try RawConnection(port)
            await client.send("GET /slow/tail HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            let answer = await client.readToEnd()
            #expect(answer.hasSuffix("1\r\na\r\n1\r\na\r\n0\r\n\r\n"), "\(answer)")
        }
    }

    @Test func `So many requests may wait for their answers, and no more`() async throws {
        try await Self.withServer(stall: .seconds(30)) { port, _ in
            let most = Limits.pipelinedRequests
            let client = try RawConnection(port)
            #expect(await client.send(String(repeating: Self.get("/healthz"), count: most)))
            var text = ""
            while text.components(separatedBy: "\"version\":\"test\"}").count <= most {
                let bytes = try #require(await client.read())
                try #require(!bytes.isEmpty)
                text += String(decoding: bytes, as: UTF8.self)
            }
            #expect(!text.contains("Connection: close"))
            // The connection is good for more.
            await client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            #expect(await client.readToEnd().hasPrefix("HTTP/1.1 200 OK"))

            for count in [most + 1, 3_000] {
                let greedy = try RawConnection(port)
                #expect(await greedy.send(String(repeating: Self.get("/healthz"), count: count)))
                let answers = await greedy.readToEnd().components(separatedBy: "HTTP/1.1 200 OK\r\n")
                    .dropFirst()
                #expect(answers.count == most, "\(count)")
                #expect(answers.last?.contains("Connection: close\r\n") == true)
                #expect(answers.dropLast().allSatisfy { !$0.contains("Connection: close") })
            }
        }
    }

    static let brokenBodies = [
        "Content-Length: 50\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
    ]

    @Test func `A body that breaks is the client's failure`() async throws {
        let history = RequestHistory()
        try await Self.withServer(stall: .seconds(30), history: history) { port, fixture in
            let query =
                "/database/1/iCloud.test/development/public/records/query?ckAPIToken=\(ServiceFixture.apiToken)"
            var sent = 0
            for path in [query, "/slow/form"] {
                for body in Self.brokenBodies {
                    let client = try RawConnection(port)
                    await client.send("POST \(path) HTTP/1.1\r\nHost: localhost\r\n\(body)")
                    client.endSending()
                    var answer = await client.readToEnd()
                    // A busy machine asks a client that ended its side whether it is still there.
                    while answer.hasPrefix("HTTP/1.1 100 Continue\r\n\r\n") {
                        answer.removeFirst("HTTP/1.1 100 Continue\r\n\r\n".count)
                    }
                    #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(path) \(body)")
                    #expect(answer.contains("BAD_REQUEST"), "\(path) \(body)")
                    sent += 1
                }
                do {
                    let client = try RawConnection(port)
                    await client.send("POST \(path) HTTP/1.1\r\nHost: localhost\r\n\(Self.brokenBodies[0])")
                    client.breakAtClose()
                }
                sent += 1
            }
            var lines: [Substring] = []
            for _ in 0..<1_000 where lines.count < sent {
                try await Task.sleep(for: .milliseconds(20))
                lines = try String(contentsOfFile: fixture.logPath, encoding: .utf8).split(separator: "\n")
            }
            #expect(lines.count == sent)
            #expect(lines.allSatisfy { $0.contains("\"level\":\"info\"") && $0.contains("\"status\":400") })
            let kept = history.page(RequestFilter(), limit: 100).requests
            #expect(kept.count == sent && kept.allSatisfy { $0.status == 400 })
        }
    }

    @Test func `All answers share one description of the protocol`() async throws {
        try await ServiceFixture.with { fixture in
            let pages = OperatorPages(state: ServerState(store: fixture.store, version: "test"))
            let first = try pages.reply(to: "/openapi.json", method: .get)
            let second = try pages.reply(to: "/openapi.json", method: .get)
            #expect(
                first.body.withUnsafeReadableBytes(\.baseAddress)
                    == second.body.withUnsafeReadableBytes(\.baseAddress))
            let tag = try #require(first.headers[.eTag])
            #expect(try pages.reply(to: "/openapi.json", method: .get, ifNoneMatch: tag).status == 304)
        }
    }
}
