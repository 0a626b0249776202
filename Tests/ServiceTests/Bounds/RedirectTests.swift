import NIOCore
import RecordModel
import TestSupport
import Testing

@testable import RecordServer

/// The port that sends who asks over plain HTTP to HTTPS.
@Suite struct RedirectTests {
    @Test func `Connections that say nothing make room for those that ask`() async throws {
        let share = Limits.redirectedConnectionsPerAddress
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        let server = Task {
            var server = RedirectServer(host: "127.0.0.1", port: 0, target: nil, securePort: 8443) {
                listening.yield($0)
            }
            server.patience = .hours(1)
            try await server.run()
        }
        defer { server.cancel() }
        let port = try #require(await ports.first { _ in true })
        let silent = try (0..<share + 8).map { _ in try RawConnection(port) }
        await withTaskGroup(of: Bool.self) { reads in
            for connection in silent { reads.addTask { await connection.read()?.isEmpty == true } }
            for _ in 0..<8 { #expect(await reads.next() == true) }
            for connection in silent { connection.endSending() }
        }
        let asking = try RawConnection(port)
        await asking.send("GET /page?x=1 HTTP/1.1\r\nHost: stratus.example:80\r\n\r\n")
        let head = await asking.readHead()
        #expect(head.hasPrefix("HTTP/1.1 308 "))
        #expect(head.contains("Location: https://stratus.example:8443/page?x=1\r\n"))
    }
}
