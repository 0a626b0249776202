import AssetStorageFiles
import Foundation
import FoundationNetworking
import RecordModel
import RecordServer
import RecordWire
import Testing

/// Files over real sockets.
@Suite struct AssetTests {
    /// A server, and one user's way to a database of it.
    private struct Ground {
        let fixture: ServiceFixture
        let url: URL
        let web: String

        func ask(_ path: String, _ body: String, in database: String = "private") async throws -> JSONObject {
            let query = "?ckAPIToken=\(ServiceFixture.apiToken)&ckWebAuthToken=\(web)"
            let address = "/database/1/iCloud.test/development/\(database)/\(path)\(query)"
            let answer = try await AssetTests.send(
                "POST", try #require(URL(string: address, relativeTo: url)), Data(body.utf8))
            return try #require(JSONReader.read(answer.body).object)
        }

        func uploadURL(in database: String = "private") async throws -> URL {
            let json = try await ask(
                "assets/upload", #"{"tokens":[{"recordName":"r","recordType":"Photo","fieldName":"file"}]}"#,
                in: database)
            return try #require(URL(string: json["tokens"]?.array?.first?.object?["url"]?.string ?? ""))
        }

        /// Uploads and saves; gives the address of the file.
        func store(_ bytes: [UInt8], in database: String = "private") async throws -> String {
            let answer = try await AssetTests.send("POST", try await uploadURL(in: database), Data(bytes))
            try #require(answer.status == 200)
            let file = try #require(JSONReader.read(answer.body).object?["singleFile"])
            let value = String(decoding: JSONWriter.text { $0.value(file) }, as: UTF8.self)
            let saved = try await ask(
                "records/modify",
                #"{"operations":[{"operationType":"forceUpdate","record":{"recordName":"r","recordType":"Photo","fields":{"file":{"value":\#(value)}}}}]}"#,
                in: database)
            let fields = saved["records"]?.array?.first?.object?["fields"]?.object
            return try #require(fields?["file"]?.object?["value"]?.object?["downloadURL"]?.string)
        }
    }

    private struct Answer {
        var status: Int
        var headers: [String: String]
        var body: [UInt8]

        var code: String? { (try? JSONReader.read(body))?.object?["serverErrorCode"]?.string }
    }

    private static func send(
        _ method: String, _ url: URL, _ body: Data? = nil, headers: [String: String] = [:]
    ) async throws -> Answer {
        var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
        request.httpMethod = method
        request.httpBody = body
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await URLSession.shared.data(for: request)
        let http = try #require(response as? HTTPURLResponse)
        var fields: [String: String] = [:]
        for case let (name as String, value as String) in http.allHeaderFields {
            fields[name.lowercased()] = value
        }
        return Answer(status: http.statusCode, headers: fields, body: Array(data))
    }

    private static func withGround(_ body: (Ground) async throws -> Void) async throws {
        try await ServiceFixture.with { fixture in
            let web = try await fixture.webToken(of: "ada")
            try await fixture.withServer { url in
                try await body(Ground(fixture: fixture, url: url, web: web))
            }
        }
    }

    private static func file(_ address: String, named name: String = "a%20b.jpg") throws -> URL {
        try #require(URL(string: address.replacing("${f}", with: name)))
    }

    @Test func takesAndGivesFilesOfAnyLength() async throws {
        try await Self.withGround { ground in
            for count in [0, 1, 262_144, 700_001] {
                let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
                for method in ["POST", "PUT"] {
                    let answer = try await Self.send(method, try await ground.uploadURL(), Data(bytes))
                    #expect(answer.status == 200, "\(count)")
                }
                let address = try await ground.store(bytes)
                let answer = try await Self.send("GET", try Self.file(address))
                #expect(answer.status == 200)
                #expect(answer.body == bytes)
                #expect(answer.headers["content-length"] == String(count))
            }
        }
    }

    @Test func takesMultipartBodies() async throws {
        try await Self.withGround { ground in
            let body =
                "--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a\"\r\n\r\nhello\r\n--x--\r\n"
            let answer = try await Self.send(
                "POST", try await ground.uploadURL(), Data(body.utf8),
                headers: ["Content-Type": "multipart/form-data; boundary=x"])
            #expect(answer.status == 200)
            #expect(try JSONReader.read(answer.body).object?["singleFile"]?.object?["size"]?.int == 5)
        }
    }

    @Test func refusesWhatIsTooLongOrNotAllowed() async throws {
        try await Self.withGround { ground in
            let url = try await ground.uploadURL()
            let over = try await Self.send("POST", url, Data(count: Limits.assetBytes + 1))
            #expect(over.status == 413)
            #expect(over.code == "QUOTA_EXCEEDED")
            let wrong = try #require(URL(string: url.absoluteString + "A"))
            let denied = try await Self.send("POST", wrong, Data([1]))
            #expect(denied.status == 403)
            #expect(denied.code == "ACCESS_DENIED")
            #expect(try await Self.send("GET", url).status == 400)
            ground.fixture.wait(seconds: Limits.uploadTokenSeconds)
            #expect(try await Self.send("POST", url, Data([1])).status == 403)
            let paths = AssetPaths(root: ground.fixture.directory + "/assets")
            #expect(paths.unfinished.isEmpty)
            #expect(paths.digests(after: nil, limit: 9).isEmpty)
        }
    }

    /// A request in the bytes of the wire, and the answer's first line; nil where the connection only ended.
    private static func raw(_ url: URL, _ request: String, thenClose: Bool = false) throws -> String? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(try #require(url.port)).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(connected == 0)
        let bytes = Array(request.utf8)
        try #require(Foundation.send(descriptor, bytes, bytes.count, 0) == bytes.count)
        if thenClose { shutdown(descriptor, Int32(SHUT_WR)) }
        var answer = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor, &answer, answer.count, 0)
        return count > 0
            ? String(decoding: answer.prefix(count), as: UTF8.self).split(separator: "\r\n").first.map(
                String.init)
            : nil
    }

    @Test func takesChunkedBodiesAndOnlyWholeOnes() async throws {
        try await Self.withGround { ground in
            let url = try await ground.uploadURL()
            let paths = AssetPaths(root: ground.fixture.directory + "/assets")
            let head = "POST \(url.path) HTTP/1.1\r\nHost: x\r\n"
            // Cut off in the middle, in each way that a length can be told.
            let cut = try await ground.uploadURL()
            _ = try Self.raw(cut, head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", thenClose: true)
            _ = try Self.raw(cut, head + "Content-Length: 10\r\n\r\nhello", thenClose: true)
            #expect(paths.digests(after: nil, limit: 9).isEmpty, "half a file is none")
            let answer = try Self.raw(
                url, head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n3\r\n wo\r\n0\r\n\r\n")
            #expect(answer == "HTTP/1.1 200 OK")
            #expect(paths.digests(after: nil, limit: 9).count == 1)
            let waiting = try Self.raw(url, head + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\nhi")
            #expect(waiting == "HTTP/1.1 100 Continue" || waiting == "HTTP/1.1 200 OK")
        }
    }

    /// A `Range` header over ten bytes, and what is answered.
    private static let ranges: [(String, Int, String)] = [
        ("bytes=0-", 206, "0123456789"), ("bytes=2-4", 206, "234"), ("bytes=9-9", 206, "9"),
        ("bytes=8-99", 206, "89"), ("bytes=-3", 206, "789"), ("bytes=-99", 206, "0123456789"),
        ("BYTES=1-1", 206, "1"), ("bytes= 1 - 2 ", 206, "12"),
        ("bytes=10-", 416, ""), ("bytes=10-11", 416, ""), ("bytes=-0", 416, ""),
        ("bytes=99999999999999999999-", 416, ""), ("bytes=0-99999999999999999999", 206, "0123456789"),
        ("bytes=4-2", 200, "0123456789"), ("bytes=-", 200, "0123456789"), ("bytes=a-b", 200, "0123456789"),
        ("bytes=0-1,3-4", 200, "0123456789"), ("lines=0-1", 200, "0123456789"), ("", 200, "0123456789"),
    ]

    @Test func givesRanges() async throws {
        try await Self.withGround { ground in
            let url = try Self.file(try await ground.store(Array("0123456789".utf8)))
            for (range, status, text) in Self.ranges {
                for method in ["GET", "HEAD"] {
                    let answer = try await Self.send(method, url, headers: ["Range": range])
                    #expect(answer.status == status, "\(range)")
                    guard status != 416 else {
                        #expect(answer.headers["content-range"] == "bytes */10")
                        continue
                    }
                    #expect(answer.headers["content-length"] == String(text.utf8.count), "\(method) \(range)")
                    #expect(answer.body == (method == "GET" ? Array(text.utf8) : []), "\(range)")
                    #expect((answer.headers["content-range"] != nil) == (status == 206), "\(range)")
                }
            }
            for header in [[:], ["Range": "bytes=2-4"], ["Range": "bytes=99-"], ["If-None-Match": "*"]] {
                var answers: [[String: String]] = []
                for method in ["GET", "HEAD"] {
                    var headers = try await Self.send(method, url, headers: header).headers
                    for name in ["date", "x-apple-request-uuid"] { headers[name] = nil }
                    // It tells how many seconds are left.
                    headers["cache-control"] = headers["cache-control"]?.filter { !$0.isNumber }
                    answers.append(headers)
                }
                #expect(answers[0] == answers[1], "\(header)")
            }
            let whole = try await Self.send("GET", url)
            let tag = try #require(whole.headers["etag"])
            let same = try await Self.send("GET", url, headers: ["Range": "bytes=1-2", "If-Range": tag])
            #expect(same.status == 206)
            // A weak tag and a date do not say that the bytes are the same.
            for version in ["\"x\"", "W/" + tag, "Sat, 21 Nov 2026 20:00:00 GMT", "*"] {
                let other = try await Self.send(
                    "GET", url, headers: ["Range": "bytes=1-2", "If-Range": version])
                #expect(other.status == 200, "\(version)")
                #expect(other.body.count == 10)
            }
            for known in [tag, "W/" + tag, "\"x\", " + tag, "*"] {
                let answer = try await Self.send("GET", url, headers: ["If-None-Match": known])
                #expect(answer.status == 304, "\(known)")
                #expect(answer.body.isEmpty)
                #expect(answer.headers["etag"] == tag)
            }
            #expect(try await Self.send("GET", url, headers: ["If-None-Match": "\"x\""]).status == 200)
            let empty = try Self.file(try await ground.store([]))
            #expect(try await Self.send("GET", empty, headers: ["Range": "bytes=0-"]).status == 416)
        }
    }

    /// The beginning of a file, its type, and whether a browser shows it.
    private static let kinds: [([UInt8], String, Bool)] = [
        ([0xFF, 0xD8, 0xFF, 0xE0], "image/jpeg", true),
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png", true),
        (Array("GIF89a..".utf8), "image/gif", true), (Array("RIFF....WEBPVP8".utf8), "image/webp", true),
        (Array("....ftypheic".utf8), "image/heic", true), (Array("....ftypisom".utf8), "video/mp4", true),
        (Array("%PDF-1.7".utf8), "application/pdf", true),
        (Array("<html><script>".utf8), "application/octet-stream", false),
        (Array("<svg onload='alert(1)'>".utf8), "application/octet-stream", false),
        (Array("hello".utf8), "application/octet-stream", false), ([], "application/octet-stream", false),
    ]

    /// A file name in an address, and how the answer tells it.
    private static let names = [
        ("a%20b.jpg", "attachment; filename=\"a b.jpg\""),
        ("50%25.txt", "attachment; filename=\"50_.txt\"; filename*=UTF-8''50%25.txt"),
        (
            "%E6%97%A5%E6%9C%AC.png",
            "attachment; filename=\"__.png\"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.png"
        ),
        ("..%2F..%2Fetc%5Cpasswd", "attachment; filename=\"....etcpasswd\""),
        ("a%0D%0ASet-Cookie%3A%20x", "attachment; filename=\"aSet-Cookie: x\""),
        // Right-to-left override: "photo_gpj.exe" would look like "photo_exe.jpg".
        ("photo_%E2%80%AEgpj.exe", "attachment; filename=\"photo_gpj.exe\""),
        ("%FF", "attachment"), ("%00", "attachment"), ("", "attachment"),
    ]

    @Test func tellsKindsAndRunsNothing() async throws {
        try await Self.withGround { ground in
            for (bytes, type, isShown) in Self.kinds {
                let url = try Self.file(try await ground.store(bytes), named: "gr%C3%BC%C3%9Fe%22%0d.x")
                let answer = try await Self.send("GET", url)
                #expect(answer.headers["content-type"] == type)
                let way = isShown ? "inline" : "attachment"
                #expect(
                    answer.headers["content-disposition"]
                        == "\(way); filename=\"gr__e_.x\"; filename*=UTF-8''gr%C3%BC%C3%9Fe%22.x")
                #expect(answer.headers["x-content-type-options"] == "nosniff")
                let policy = try #require(answer.headers["content-security-policy"])
                #expect(policy.contains("default-src 'none'"))
                #expect(policy.contains("sandbox") == (type != "application/pdf"))
                #expect(answer.headers["access-control-allow-origin"] == "*")
            }
            for (name, disposition) in Self.names {
                let url = try Self.file(try await ground.store([1]), named: name)
                let answer = try await Self.send("GET", url)
                #expect(answer.headers["content-disposition"] == disposition, "\(name)")
            }
            let plain = try await Self.send(
                "GET", try Self.file(try await ground.store([1]), named: "%24%7Bf%7D"))
            #expect(plain.headers["content-disposition"] == "attachment", "nobody put a name there")
        }
    }

    @Test func keepsPublicFilesForEverAndPrivateOnesForAWhile() async throws {
        try await Self.withGround { ground in
            let open = try Self.file(try await ground.store([1], in: "public"))
            let closed = try Self.file(try await ground.store([1], in: "private"))
            let forAll = try await Self.send("GET", open)
            #expect(forAll.headers["cache-control"] == "public, max-age=31536000, immutable")
            let forOne = try await Self.send("GET", closed)
            let caching = try #require(forOne.headers["cache-control"])
            let seconds = try #require(caching.firstMatch(of: /private, max-age=(\d+), immutable/)?.1)
            #expect(
                (Limits.downloadSeconds * 3 / 4 - 60...Limits.downloadSeconds).contains(Int(seconds) ?? 0))
            ground.fixture.wait(seconds: Limits.downloadSeconds)
            let late = try await Self.send("GET", closed)
            #expect(late.status == 403)
            #expect(late.code == "ACCESS_DENIED")
            #expect(try await Self.send("GET", open).status == 200)
            let nothing = try await Self.send(
                "GET", try #require(URL(string: "/assets/get/AAAA/f", relativeTo: ground.url)))
            #expect(nothing.status == 404)
            #expect(nothing.code == "NOT_FOUND")
        }
    }

    @Test func writesNoAddressIntoTheLog() async throws {
        try await Self.withGround { ground in
            let upload = try await ground.uploadURL()
            _ = try await Self.send("POST", upload, Data([1, 2, 3]))
            let url = try Self.file(try await ground.store([1, 2, 3, 4]))
            _ = try await Self.send("GET", url)
            let metrics = try await Self.send(
                "GET", try #require(URL(string: "/metrics", relativeTo: ground.url)))
            let text = String(decoding: metrics.body, as: UTF8.self)
            #expect(text.contains("stratus_request_bytes_total{route=\"assets/upload/file\"} 7"))
            #expect(text.contains("stratus_response_bytes_total{route=\"assets/get\"} 4"))
            ground.fixture.sink.close()
            let log = try String(contentsOfFile: ground.fixture.logPath, encoding: .utf8)
            #expect(log.contains("\"route\":\"assets/get\""))
            #expect(log.contains("\"route\":\"assets/upload/file\""))
            #expect(!log.contains(upload.lastPathComponent))
            #expect(!log.contains(url.deletingLastPathComponent().lastPathComponent))
        }
    }

    @Test func letsPagesOfOtherOriginsUpload() async throws {
        try await Self.withGround { ground in
            let answer = try await Self.send(
                "OPTIONS", try await ground.uploadURL(),
                headers: ["Origin": "https://example.org", "Access-Control-Request-Method": "PUT"])
            #expect(answer.status == 204)
            #expect(answer.headers["access-control-allow-methods"]?.contains("PUT") == true)
            #expect(answer.headers["access-control-allow-headers"]?.contains("Content-Type") == true)
        }
    }
}
