import CurlAccess
import Foundation
import TestSupport
import Testing

/// Requests and their answers, over sockets of this machine.
@Suite(.timeLimit(.minutes(1))) struct CurlClientTests {
    private static func answer(_ status: String, _ headers: [String] = [], _ body: String = "") -> [UInt8] {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + headers
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }

    private func withServer<Value>(
        _ answers: [String: [UInt8]], _ body: (LoopbackServer, String) async throws -> Value
    ) async throws -> Value {
        let server = try LoopbackServer(answers)
        defer { server.stop() }
        return try await body(server, server.url)
    }

    private func file(_ count: Int) throws -> URL {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data(count: count).write(to: file)
        return file
    }

    private func kind(_ request: CurlRequest) async -> CurlError.Kind? {
        await #expect(throws: CurlError.self) { try await CurlClient.shared.send(request) }?.kind
    }

    @Test func anAnswerHasItsStatusHeadersAndBody() async throws {
        let body = Self.answer("404 Not Found", ["X-One: a", "x-one:b", "Retry-After: 3"], "no")
        try await withServer(["/a": body]) { _, url in
            let answer = try await CurlClient.shared.send(
                CurlRequest(url: url + "/a", to: .memory(maximumBytes: 2)))
            #expect(answer.status == 404)
            #expect(answer.headers["x-one"] == "a, b")
            #expect(answer.headers["retry-after"] == "3")
            #expect(answer.body == Array("no".utf8))
        }
    }

    @Test(
        "A body goes to the address that the server leads to, from its beginning, and only the last head counts"
    )
    func redirection() async throws {
        let sent = try file(200_000)
        defer { try? FileManager.default.removeItem(at: sent) }
        let answers = [
            "/a": Self.answer("307 Temporary Redirect", ["Location: /b", "X-First: 1"]),
            "/b": Self.answer("200 OK", [], "yes"),
        ]
        try await withServer(answers) { server, url in
            for body in [
                CurlRequest.Body.file(path: sent.path, type: "x/y"), .bytes([1, 2, 3], type: "x/y"),
            ] {
                let answer = try await CurlClient.shared.send(
                    CurlRequest(url: url + "/a", body: body, to: .memory(maximumBytes: 100)))
                #expect(answer.status == 200 && answer.headers["x-first"] == nil)
            }
            let asked = server.requests.filter { $0.path == "/b" }.map(\.body.count)
            #expect(asked == [200_000, 3])
        }
    }

    @Test func anAnswerOfMoreBytesThanAskedForIsGivenUp() async throws {
        try await withServer(["/a": Self.answer("200 OK", [], "12345")]) { _, url in
            #expect(await kind(CurlRequest(url: url + "/a", to: .memory(maximumBytes: 4))) == .tooLong)
            let target = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: target) }
            let request = CurlRequest(url: url + "/a", to: .file(path: target.path, maximumBytes: 4))
            #expect(await kind(request) == .tooLong)
        }
    }

    @Test func filesAreNewAndHoldOnlyWhatSucceeded() async throws {
        let answers = ["/a": Self.answer("200 OK", [], "12345"), "/b": Self.answer("410 Gone", [], "gone")]
        try await withServer(answers) { _, url in
            let target = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: target) }
            let gone = try await CurlClient.shared.send(
                CurlRequest(url: url + "/b", to: .file(path: target.path, maximumBytes: 100)))
            #expect(gone.status == 410 && gone.body == Array("gone".utf8))
            #expect(!FileManager.default.fileExists(atPath: target.path))
            let request = CurlRequest(url: url + "/a", to: .file(path: target.path, maximumBytes: 5))
            #expect(try await CurlClient.shared.send(request).body.isEmpty)
            #expect(try Data(contentsOf: target) == Data("12345".utf8))
            #expect(await kind(request) == .file)
        }
    }

    @Test func aServerThatSaysNothingIsWaitedForOnlySoLong() async throws {
        try await withServer([:]) { _, url in
            let request = CurlRequest(
                url: url + "/a", to: .memory(maximumBytes: 100), secondsWithoutBytes: 0.2)
            #expect(await kind(request) == .timedOut)
        }
    }

    @Test func whatCannotBeAskedSaysWhy() async throws {
        #expect(await kind(CurlRequest(url: "ftp://127.0.0.1/x", to: .memory(maximumBytes: 1))) == .badURL)
        #expect(
            await kind(CurlRequest(url: "http://127.0.0.1:1/", to: .memory(maximumBytes: 1)))
                == .cannotConnect)
        #expect(
            await kind(CurlRequest(url: "http://x.invalid/", to: .memory(maximumBytes: 1))) == .unknownHost)
        let missing = CurlRequest(
            url: "http://127.0.0.1:1/", body: .file(path: "/no/such/file", type: "x/y"),
            to: .memory(maximumBytes: 1))
        #expect(await kind(missing) == .file)
        let cut = Array("HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\nabc".utf8)
        try await withServer(["/a": cut, "/b": Self.answer("302 Found", ["Location: file:///etc/passwd"])]) {
            _, url in
            #expect(
                await kind(CurlRequest(url: url + "/a", to: .memory(maximumBytes: 100))) == .connectionLost)
            #expect(await kind(CurlRequest(url: url + "/b", to: .memory(maximumBytes: 100))) == .badURL)
        }
    }
}
