import Foundation
import RecordServer
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// A folder over HTTP: what it shows, and above all what it does not. Requests are written by hand: a client's
/// library would tidy the hostile ones up.
@Suite struct StaticSiteTests {
    @Test func showsFilesWithTheirTypes() async throws {
        try await Self.withSite { port, _ in
            for (path, type, body) in [
                ("/app/", "text/html; charset=utf-8", "<p>front"),
                ("/app/app.js", "text/javascript; charset=utf-8", "let a"),
                ("/app/sub/", "text/html; charset=utf-8", "<p>sub"),
                ("/app/sub/a%20b.txt", "text/plain; charset=utf-8", "blank"),
                ("/app/gr%C3%BC%C3%9Fe.txt", "text/plain; charset=utf-8", "hello"),
                ("/app/noend", "application/octet-stream", "bytes"),
                ("/app/empty.css", "text/css; charset=utf-8", ""),
                ("/app/app.js?v=2", "text/javascript; charset=utf-8", "let a"),
            ] {
                let answer = try await RawHTTP.get(port, path)
                #expect(answer.status == 200, "\(path)")
                #expect(answer.body == body, "\(path)")
                #expect(answer.headers["content-type"] == type, "\(path)")
                #expect(answer.headers["x-content-type-options"] == "nosniff")
                #expect(answer.headers["referrer-policy"] == "no-referrer")
                #expect(answer.headers["x-apple-request-uuid"] != nil)
                let policy = answer.headers["content-security-policy"] ?? ""
                #expect(policy.contains("default-src 'self'") && policy.contains("frame-ancestors 'none'"))
                #expect(!policy.contains("unsafe"))
            }
        }
    }

    static let hostilePaths = [
        "/app/../secret.txt", "/app/sub/../../secret.txt", "/app/%2e%2e/secret.txt",
        "/app/%2E%2E%2Fsecret.txt",
        "/app/..%2fsecret.txt", "/app/..%5csecret.txt", "/app/..\\secret.txt", "/app/%252e%252e/secret.txt",
        "/app/....//secret.txt", "/app/./index.html", "/app/.hidden", "/app/%2ehidden", "/app/.git/config",
        "/app/sub/.hidden", "/app//etc/passwd", "/app/%2fetc%2fpasswd", "/app/sub//a%20b.txt",
        "/app/index.html%00.png", "/app/%00", "/app/index.html/", "/app/index.html/more", "/app/link.txt",
        "/app/linked/secret.txt", "/app/inside.txt", "/app/pipe", "/app/%", "/app/%4", "/app/%zz",
        "/app/%ff%fe",
        "/app/a%0d%0aSet-Cookie:%20x=1", "/app/%7f", "/app/\\evil.example", "/app/%5Cevil.example",
        "/app/" + String(repeating: "a", count: 300), "/app/" + String(repeating: "a/", count: 4_000),
        "/app/" + String(repeating: "%2e%2e/", count: 500), "/app/empty/", "/app/folder-index/",
        "/app/INDEX.HTML", "/app/con:", "/app/~root", "/app/index.html;x", "/application/app.js",
    ]

    @Test func showsNothingElse() async throws {
        try await Self.withSite { port, _ in
            for path in Self.hostilePaths {
                let answer = try await RawHTTP.get(port, path)
                #expect(answer.status == 404, "\(path.prefix(80))")
                for secret in ["secret", "hidden", "root:"] {
                    #expect(!answer.body.contains(secret), "\(path.prefix(80))")
                }
                #expect(answer.headers["set-cookie"] == nil)
            }
        }
    }

    @Test func leadsToFoldersByOneSlashMore() async throws {
        try await Self.withSite { port, _ in
            for (path, target) in [
                ("/app", "/app/"), ("/app?a=b", "/app/?a=b"), ("/app/sub", "/app/sub/"),
                ("/app/sub?x", "/app/sub/?x"),
            ] {
                let answer = try await RawHTTP.get(port, path)
                #expect(answer.status == 301)
                #expect(answer.headers["location"] == target)
            }
        }
    }

    @Test func sendsAFileAgainOnlyWhenItHasChanged() async throws {
        try await Self.withSite { port, folder in
            let first = try await RawHTTP.get(port, "/app/app.js")
            let tag = try #require(first.headers["etag"])
            #expect(first.headers["cache-control"] == "no-cache")
            for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
                let again = try await RawHTTP.get(port, "/app/app.js", "If-None-Match: \(known)")
                #expect(again.status == 304 && again.body.isEmpty && again.headers["etag"] == tag)
            }
            #expect(try await RawHTTP.get(port, "/app/app.js", "If-None-Match: \"other\"").status == 200)
            try Data("let b = 2".utf8).write(to: URL(fileURLWithPath: folder + "/app.js"))
            let changed = try await RawHTTP.get(port, "/app/app.js", "If-None-Match: \(tag)")
            #expect(changed.status == 200 && changed.body == "let b = 2" && changed.headers["etag"] != tag)
        }
    }

    @Test func onlyReads() async throws {
        try await Self.withSite { port, _ in
            let head = try await RawHTTP.send(port, "HEAD", "/app/app.js")
            #expect(head.status == 200 && head.body.isEmpty && head.headers["content-length"] == "5")
            for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"] {
                let answer = try await RawHTTP.send(port, method, "/app/app.js", "Content-Length: 0")
                #expect(answer.status == 405 && answer.headers["allow"] == "GET, HEAD", "\(method)")
            }
        }
    }

    /// More than any buffer on the way, so that it goes in pieces.
    @Test func streamsLargeFilesWhole() async throws {
        try await Self.withSite { port, folder in
            let text = (0..<200_000).map { "\($0 % 7_919);" }.joined()
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/large.txt"))
            let answer = try await RawHTTP.get(port, "/app/large.txt")
            #expect(answer.headers["content-length"] == String(text.utf8.count))
            #expect(answer.body == text)
        }
    }

    @Test func takesWhatIsLeftWhereItHasNoPrefix() async throws {
        try await Self.withSite { port, _ in
            let index = try await RawHTTP.get(port, "/")
            let json = try #require(
                try JSONSerialization.jsonObject(with: Data(index.body.utf8)) as? [String: Any])
            let addresses = try #require(json["addresses"] as? [String]).filter { !$0.contains("{") }
            try await Self.withSite(prefix: "") { rootPort, folder in
                #expect(try await RawHTTP.get(rootPort, "/").body == "<p>front")
                #expect(try await RawHTTP.get(rootPort, "/app.js").body == "let a")
                #expect(try await RawHTTP.get(rootPort, "/sub").headers["location"] == "/sub/")
                #expect(try await RawHTTP.get(rootPort, "//evil.example").status == 404)
                #expect(addresses.count >= 5)
                for address in addresses {
                    // Not even a file of that name takes an address from the server.
                    let file = URL(fileURLWithPath: folder + address)
                    try FileManager.default.createDirectory(
                        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                    try Data("mine".utf8).write(to: file)
                    let answer = try await RawHTTP.get(rootPort, address)
                    #expect(answer.status == 200 && answer.body != "mine", "\(address)")
                }
                let protocolError = try await RawHTTP.get(rootPort, "/database/1/nothing")
                #expect(protocolError.body.contains("serverErrorCode"))
            }
        }
    }

    /// A folder with everything in it that must not be shown, and a server for it.
    private static func withSite(
        prefix: String = "/app", _ body: (Int, String) async throws -> Void
    ) async throws {
        try await ServiceFixture.with { fixture in
            let outside = fixture.directory + "/outside"
            let folder = outside + "/public"
            let files = FileManager.default
            for name in ["/sub", "/.git", "/empty", "/folder-index/index.html"] {
                try files.createDirectory(atPath: folder + name, withIntermediateDirectories: true)
            }
            for (name, text) in [
                ("/index.html", "<p>front"), ("/app.js", "let a"), ("/sub/index.html", "<p>sub"),
                ("/sub/a b.txt", "blank"), ("/grüße.txt", "hello"), ("/noend", "bytes"), ("/empty.css", ""),
                ("/.hidden", "hidden"), ("/sub/.hidden", "hidden"), ("/.git/config", "hidden"),
                ("/../secret.txt", "secret"),
            ] {
                try Data(text.utf8).write(to: URL(fileURLWithPath: folder + name))
            }
            for (name, target) in [
                ("/link.txt", outside + "/secret.txt"), ("/linked", outside), ("/inside.txt", "app.js"),
            ] {
                try files.createSymbolicLink(atPath: folder + name, withDestinationPath: target)
            }
            try #require(mkfifo(folder + "/pipe", 0o600) == 0)
            try await fixture.withServer(sites: [StaticSite(prefix: prefix, folder: folder)]) { url in
                try await body(try #require(url.port), folder)
            }
        }
    }
}
