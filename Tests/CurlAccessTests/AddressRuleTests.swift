import CurlAccess
import Foundation
import TestSupport
import Testing

/// Requests that may go to the public internet only, and answers that are read in part.
@Suite(.timeLimit(.minutes(1))) struct AddressRuleTests {
    @Test(arguments: [
        "93.184.216.34", "8.8.8.8", "172.15.255.255", "172.32.0.0", "100.63.255.255", "100.128.0.0",
        "192.0.1.1",
        "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
        "2002:808:808::1", "2001:4860:4860::8888",
    ])
    func `An address of the internet is public`(_ text: String) { #expect(AddressRule.isPublic(text)) }

    @Test(arguments: [
        "127.0.0.1", "127.255.255.254", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1",
        "169.254.169.254", "100.64.0.1", "100.127.255.255", "192.0.0.1", "192.0.2.1", "198.19.0.1",
        "198.51.100.1",
        "203.0.113.9", "224.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fc00::1", "fd12::1",
        "ff02::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "2002:7f00:1::1",
        "2002:a00:1::", "2001::1", "2001:db8::1", "::127.0.0.1", "3fff::1", "localhost", "", "1.2.3",
    ])
    func `An address of this machine, a private network or none is not`(_ text: String) {
        #expect(!AddressRule.isPublic(text))
    }

    @Test(arguments: ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "0"])
    func `A name that leads to this machine is refused when it is connected to`(_ host: String) async throws {
        let server = try LoopbackServer(["/": Self.answer("200 OK", "yes")])
        defer { server.stop() }
        var request = CurlRequest(url: "http://\(host):\(server.port)/", to: .memory(maximumBytes: 100))
        request.addresses = .publicOnly
        // A client of its own: connections that are kept were allowed by the rule of their request.
        let client = CurlClient(connectionsPerHost: 1)
        let error = await #expect(throws: CurlError.self) { try await client.send(request) }
        #expect(error?.kind == .refusedAddress)
        #expect(server.requests.isEmpty)
    }

    @Test func `A redirection is an answer where it is not to be followed, and headers go along`()
        async throws
    {
        let server = try LoopbackServer([
            "/a": Array("HTTP/1.1 307 Temporary Redirect\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n".utf8),
            "/b": Self.answer("200 OK", "yes"),
        ])
        defer { server.stop() }
        var request = CurlRequest(
            url: server.url + "/a", body: .bytes([1], type: "x/y"),
            to: .beginning(bytes: 10))
        request.followsRedirections = false
        request.headers = ["x-one": "1"]
        #expect(try await CurlClient.shared.send(request).status == 307)
        #expect(server.requests.map(\.path) == ["/a"])
        #expect(server.requests.first?.head.contains("x-one: 1") == true)
    }

    @Test func `Of an endless answer only the beginning is read, and a slow one has an end`() async throws {
        let endless = Array("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n".utf8) + Array("x".utf8)
        let server = try LoopbackServer([
            "/a": endless + [UInt8](repeating: 0x79, count: 50_000), "/b": endless,
        ])
        defer { server.stop() }
        var request = CurlRequest(url: server.url + "/a", to: .beginning(bytes: 100))
        request.seconds = 20
        let answer = try await CurlClient.shared.send(request)
        #expect(answer.status == 200 && answer.body.count == 100)
        request.url = server.url + "/b"
        request.seconds = 0.3
        let error = await #expect(throws: CurlError.self) { try await CurlClient.shared.send(request) }
        #expect(error?.kind == .timedOut)
    }

    private static func answer(_ status: String, _ body: String) -> [UInt8] {
        Array("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
    }
}
