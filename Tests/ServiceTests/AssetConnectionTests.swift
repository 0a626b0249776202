import AssetStorageFiles
import Foundation
import RecordEngine
import RecordModel
import RecordServer
import RecordWire
import Testing

/// Clients that wait before they send, and clients that send and take slowly, over real sockets.
@Suite struct AssetConnectionTests {
    /// A server and one user's way to it.
    private struct Ground {
        let fixture: ServiceFixture
        let port: Int
        let web: String

        var paths: AssetPaths { AssetPaths(root: fixture.directory + "/assets") }

        func ask(_ endpoint: String, _ body: String) async throws -> JSONObject {
            let path =
                "/database/1/iCloud.test/development/private/\(endpoint)"
                + "?ckAPIToken=\(ServiceFixture.apiToken)&ckWebAuthToken=\(web)"
            let connection = try RawConnection(port)
            await connection.send(
                "POST \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
            let answer = await connection.read(until: "\u{0}")
            let start = try #require(answer.range(of: "\r\n\r\n")).upperBound
            return try #require(JSONReader.read(Array(answer[start...].utf8)).object)
        }

        /// The path of a fresh upload address.
        func uploadPath() async throws -> String {
            let json = try await ask(
                "assets/upload", #"{"tokens":[{"recordName":"r","recordType":"Photo","fieldName":"file"}]}"#)
            let url = json["tokens"]?.array?.first?.object?["url"]?.string
            return try #require(URL(string: url ?? "")).path
        }

        /// Stores a file, and gives the path of its address.
        func store(_ bytes: [UInt8]) async throws -> String {
            let connection = try RawConnection(port)
            await connection.send(
                "POST \(try await uploadPath()) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                    + "Content-Length: \(bytes.count)\r\n\r\n")
            await connection.send(bytes)
            let answer = await connection.read(until: "\u{0}")
            let start = try #require(answer.range(of: "\r\n\r\n")).upperBound
            let file = try #require(
                JSONReader.read(Array(answer[start...].utf8)).object?["singleFile"])
            let value = String(decoding: JSONWriter.text { $0.value(file) }, as: UTF8.self)
            let saved = try await ask(
                "records/modify",
                #"{"operations":[{"operationType":"forceUpdate","record":{"recordName":"r","recordType":"Photo","fields":{"file":{"value":\#(value)}}}}]}"#
            )
            let fields = saved["records"]?.array?.first?.object?["fields"]?.object
            let url = fields?["file"]?.object?["value"]?.object?["downloadURL"]?.string ?? ""
            return try #require(URL(string: url.replacing("${f}", with: "f"))).path
        }
    }

    private static func withGround(
        _ transfers: TransferLimits = AssetConnectionTests.long, _ body: (Ground) async throws -> Void
    ) async throws {
        try await ServiceFixture.with { fixture in
            let web = try await fixture.webToken(of: "ada")
            try await fixture.withServer(transfers: transfers) { url in
                try await body(Ground(fixture: fixture, port: try #require(url.port), web: web))
            }
        }
    }

    private static let go = "HTTP/1.1 100 Continue\r\n\r\n"

    private static func head(_ path: String, _ length: Int, _ method: String = "POST") -> String {
        "\(method) \(path) HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: \(length)\r\n\r\n"
    }

    @Test func aBodyIsAskedForOnceItIsWanted() async throws {
        try await Self.withGround { ground in
            for method in ["POST", "PUT"] {
                let connection = try RawConnection(ground.port)
                await connection.send(Self.head(try await ground.uploadPath(), 5, method))
                #expect(await connection.readHead() == Self.go)
                await connection.send("he")
                await connection.send("llo")
                #expect(await connection.readHead().hasPrefix("HTTP/1.1 200 OK\r\n"))
            }
            #expect(ground.paths.digests(after: nil, limit: 9).count == 1)
            // Whoever does not wait gets the answer all the same, and the connection stays usable.
            let connection = try RawConnection(ground.port)
            for _ in 0..<2 {
                await connection.send(Self.head(try await ground.uploadPath(), 2) + "hi")
                #expect(await connection.readHead() == Self.go)
                #expect(await connection.readHead().hasPrefix("HTTP/1.1 200 OK\r\n"))
                _ = await connection.read(until: "}}")
            }
        }
    }

    @Test func requestsAreAskedForAsWell() async throws {
        try await Self.withGround { ground in
            let connection = try RawConnection(ground.port)
            let body = #"{"records":[{"recordName":"none"}]}"#
            let path =
                "/database/1/iCloud.test/development/private/records/lookup"
                + "?ckAPIToken=\(ServiceFixture.apiToken)&ckWebAuthToken=\(ground.web)"
            // The request in front is answered first.
            await connection.send(
                "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" + Self.head(path, body.utf8.count))
            #expect(await connection.readHead().hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(await connection.read(until: "}").contains("\"ok\""))
            #expect(await connection.readHead() == Self.go)
            await connection.send(body)
            #expect(await connection.readHead().hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(await connection.read(until: "]}").contains("NOT_FOUND"))
        }
    }

    @Test func whoIsRefusedNeedNotSendTheBody() async throws {
        try await Self.withGround { ground in
            let upload = try await ground.uploadPath()
            let query = "?ckAPIToken=\(ServiceFixture.apiToken)&ckWebAuthToken=\(ground.web)"
            let modify = "/database/1/iCloud.test/development/private/records/modify" + query
            let refusals: [(String, Int)] = [
                (Self.head(upload + "A", 50_000_000), 403),
                (Self.head("/assets/upload/", 1_000), 403),
                (Self.head(upload, Limits.assetBytes + 1), 413),
                (Self.head(upload, 1_000, "DELETE"), 400),
                (Self.head(modify, Limits.requestBodyBytes + 1), 413),
                (Self.head("/database/1/iCloud.test/development/private/records/nothing" + query, 9), 404),
                (Self.head("/nowhere", 1_000), 404),
            ]
            for (request, status) in refusals {
                let connection = try RawConnection(ground.port)
                await connection.send(request)
                let answer = await connection.readHead()
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(request)\n\(answer)")
                #expect(answer.lowercased().contains("\r\nconnection: close\r\n"), "\(request)")
                // The end of the connection: nobody waits for the body.
                #expect(await connection.countToEnd() > 0, "the reason")
            }
            #expect(ground.paths.unfinished.isEmpty)
            #expect(ground.paths.digests(after: nil, limit: 9).isEmpty)
        }
    }

    private static let short = TransferLimits(
        request: .seconds(300), stall: .seconds(1), upload: .seconds(300))
    private static let long = TransferLimits(
        request: .seconds(60), stall: .seconds(60), upload: .seconds(120))

    @Test func anUploadThatStallsIsEnded() async throws {
        try await Self.withGround(Self.short) { ground in
            for length in ["Content-Length: 10", "Transfer-Encoding: chunked"] {
                let connection = try RawConnection(ground.port)
                await connection.send(
                    "POST \(try await ground.uploadPath()) HTTP/1.1\r\nHost: x\r\n\(length)\r\n\r\n")
                await connection.send(length.hasPrefix("T") ? "5\r\nhello\r\n" : "hello")
                // The client says nothing more; the server ends the connection, or says why and ends it.
                let answer = await connection.read(until: "\u{0}")
                #expect(!answer.contains(" 200 "), "half a file is none")
            }
            try await expectNothingLeft(ground)
        }
    }

    @Test func anUploadThatTakesTooLongInAllIsEnded() async throws {
        let limits = TransferLimits(request: .seconds(300), stall: .seconds(300), upload: .seconds(1))
        try await Self.withGround(limits) { ground in
            let connection = try RawConnection(ground.port)
            await connection.send(
                "POST \(try await ground.uploadPath()) HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"
            )
            var steps = 0
            while await connection.send("x"), steps < 10_000 {
                steps += 1
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(steps < 10_000, "it never pauses, and is ended all the same")
            try await expectNothingLeft(ground)
        }
    }

    @Test func anUploadMayPause() async throws {
        try await Self.withGround(Self.long) { ground in
            let connection = try RawConnection(ground.port)
            await connection.send(
                "POST \(try await ground.uploadPath()) HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n")
            for part in ["he", "llo", "hello"] {
                await connection.send(part)
                // Longer than the watch takes between two looks.
                try await Task.sleep(for: .milliseconds(1_200))
            }
            #expect(await connection.readHead().hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    /// Longer than the system's buffers on the way.
    private static let longFile = [UInt8](repeating: 7, count: 24 << 20)

    @Test func aDownloadThatNobodyTakesIsEnded() async throws {
        try await Self.withGround { ground in
            let path = try await ground.store(Self.longFile)
            // A second server for the same files, so that the upload is not hurried.
            try await ground.fixture.withServer(transfers: Self.short) { url in
                let port = try #require(url.port)
                var isEnded = false
                // How long a busy machine takes to notice is not known; what counts is that it does.
                for pause in [3, 6, 12, 24, 48] where !isEnded {
                    let connection = try RawConnection(port, receiveBuffer: 8_192)
                    await connection.send("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                    try await Task.sleep(for: .seconds(pause))
                    isEnded = await connection.countToEnd() < Self.longFile.count
                }
                #expect(isEnded)
            }
        }
    }

    @Test func aDownloadMayPause() async throws {
        try await Self.withGround(Self.long) { ground in
            let path = try await ground.store(Self.longFile)
            let connection = try RawConnection(ground.port, receiveBuffer: 8_192)
            await connection.send("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            try await Task.sleep(for: .milliseconds(2_500))
            #expect(await connection.readHead().hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(await connection.countToEnd() == Self.longFile.count)
        }
    }

    /// What was cut off is cleaned up by the task that took it in, a moment after its connection ended.
    private func expectNothingLeft(_ ground: Ground) async throws {
        for _ in 0..<600 where !ground.paths.unfinished.isEmpty {
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(ground.paths.unfinished.isEmpty)
        #expect(ground.paths.digests(after: nil, limit: 9).isEmpty)
    }
}
