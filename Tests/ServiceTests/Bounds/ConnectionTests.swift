import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import RecordEngine
import RecordModel
import RecordStorage
import Synchronization
import TestSupport
import Testing

@testable import RecordServer

/// Clients that leave, and clients that stay without asking for anything.
@Suite struct ConnectionTests {
    /// Answers after a while, and knows when it was told to stop.
    private final class WaitingSite: Site {
        let name = "waiting"
        let prefix = "/waiting"
        let allowsOtherOrigins = false
        let wait: Duration
        private let state = Mutex((started: 0, stopped: 0))
        var started: Int { state.withLock { $0.started } }
        var stopped: Int { state.withLock { $0.stopped } }

        init(wait: Duration) { self.wait = wait }

        func answer(_ request: SiteRequest) async -> SiteAnswer {
            state.withLock { $0.started += 1 }
            do {
                try await Task.sleep(for: wait)
            } catch {
                state.withLock { $0.stopped += 1 }
            }
            return SiteAnswer(Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: "done"))))
        }
    }

    /// How a client leaves.
    enum Departure: CaseIterable { case closing, breaking }

    @Test(arguments: Departure.allCases)
    func `A client that leaves ends what is done for it`(departure: Departure) async throws {
        let site = WaitingSite(wait: .seconds(600))
        try await ServiceFixture.with { fixture in
            try await fixture.withServer(sites: [site]) { url in
                let port = try #require(url.port)
                var client: RawConnection? = try RawConnection(port)
                await client?.send("GET /waiting HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try await eventually { site.started == 1 })
                if departure == .breaking { client?.breakAtClose() }
                client = nil
                // `bounds.py` says how soon; tests share their machine.
                #expect(try await eventually { site.stopped == 1 })
            }
        }
    }

    @Test func `A live query ends with its client, before the next heartbeat`() async throws {
        let query = "query=%7B%22query%22:%7B%22recordType%22:%22A%22%7D%7D"
        try await ServiceFixture.with { fixture in
            _ = try await fixture.store.write { [tenant = fixture.tenant] store in
                try store.makeType(named: "A", tenant: tenant)
            }
            try await fixture.withServer { url in
                let port = try #require(url.port)
                let path = "/database/1/\(fixture.tenant.container)/development/public/records/live"
                for page in ["", "/count"] {
                    var client: RawConnection? = try RawConnection(port)
                    await client?.send(
                        "GET \(path)\(page)?ckAPIToken=\(ServiceFixture.apiToken)&\(query) HTTP/1.1\r\nHost: localhost\r\n\r\n"
                    )
                    let first = await client?.read(until: "\n\n") ?? ""
                    #expect(first.contains("text/event-stream"), "\(first)")
                    #expect(await fixture.service.connections(of: fixture.tenant, limit: 1).count == 1)
                    client = nil
                    #expect(
                        try await eventually {
                            await fixture.service.connections(of: fixture.tenant, limit: 1).count == 0
                        })
                }
            }
        }
    }

    @Test func `A client that only stopped sending gets its answer`() async throws {
        let site = WaitingSite(wait: .milliseconds(300))
        try await ServiceFixture.with { fixture in
            try await fixture.withServer(sites: [site]) { url in
                for version in ["1.1", "1.0"] {
                    let client = try RawConnection(try #require(url.port))
                    await client.send("GET /waiting HTTP/\(version)\r\nHost: localhost\r\n\r\n")
                    client.endSending()
                    let answer = await client.readToEnd()
                    #expect(answer.hasSuffix("done") && answer.contains(" 200 OK\r\n"), "\(answer)")
                    #expect(answer.contains("100 Continue") == (version == "1.1"))
                }
                #expect(site.stopped == 0)
            }
        }
    }

    @Test func `Idle connections make room for new ones, the oldest first`() async throws {
        let limits = ConnectionLimits(all: 10, perAddress: 10)
        try await ServiceFixture.with { fixture in
            try await fixture.withServer(connections: limits) { url in
                let port = try #require(url.port)
                var clients: [RawConnection] = []
                for _ in 0..<15 {
                    let client = try RawConnection(port)
                    await client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    #expect(await client.readHead().contains(" 200 "))
                    _ = await client.read(until: "}")
                    clients.append(client)
                }
                for client in clients.prefix(5) { #expect(await client.read()?.isEmpty != false) }
                for client in clients.dropFirst(5) {
                    await client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    #expect(await client.readHead().contains(" 200 "))
                }
            }
        }
    }

    @Test func `An address has only its share of the connections`() async throws {
        let limits = ConnectionLimits(all: 100, perAddress: 3, trustsLoopback: false)
        let site = WaitingSite(wait: .seconds(600))
        try await ServiceFixture.with { fixture in
            try await fixture.withServer(sites: [site], connections: limits) { url in
                let port = try #require(url.port)
                var busy: [RawConnection] = []
                for number in 1...3 {
                    let client = try RawConnection(port)
                    await client.send("GET /waiting HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    #expect(try await eventually { site.started == number })
                    busy.append(client)
                }
                let further = try RawConnection(port)
                #expect(await further.read()?.isEmpty != false)
                #expect(busy.count == 3 && site.stopped == 0)
            }
        }
    }
}
