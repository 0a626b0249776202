import Foundation
import FoundationNetworking
import RecordModel
import RecordServer
import TestSupport
import Testing

/// What HTTP clients see: headers, errors, limits and pages (Documentation/Protocol.md, 'Bodies and headers'), over a real socket.
@Suite struct ServerTests {
    private struct Answer {
        var status: Int
        var headers: [String: String]
        var body: Data

        func json() throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])
        }
    }

    private func send(
        _ method: String, _ url: URL, _ path: String, body: String? = nil, contentType: String = "text/plain",
        headers sent: [String: String] = [:]
    ) async throws -> Answer {
        var request = URLRequest(url: try #require(URL(string: path, relativeTo: url)))
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        if body != nil { request.setValue(contentType, forHTTPHeaderField: "Content-Type") }
        for (name, value) in sent { request.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await URLSession.shared.data(for: request)
        let http = try #require(response as? HTTPURLResponse)
        var headers: [String: String] = [:]
        for case let (name as String, value as String) in http.allHeaderFields {
            headers[name.lowercased()] = value
        }
        return Answer(status: http.statusCode, headers: headers, body: data)
    }

    private let database = "/database/1/iCloud.test/development/public"
    private var token: String { "?ckAPIToken=\(ServiceFixture.apiToken)" }

    @Test func parsesJSONWhateverTheContentType() async throws {
        try await ServiceFixture.with { fixture in
            let web = try await fixture.webToken(of: "ada")
            try await fixture.withServer { url in
                for type in ["text/plain", "application/json", "application/x-www-form-urlencoded"] {
                    let answer = try await send(
                        "POST", url, database + "/records/modify" + token + "&ckWebAuthToken=" + web,
                        body: #"{"operations":[{"operationType":"create","record":{"recordType":"T"}}]}"#,
                        contentType: type)
                    #expect(answer.status == 200)
                    #expect(answer.headers["content-type"] == "application/json; charset=utf-8")
                    let records = try #require(try answer.json()["records"] as? [[String: Any]])
                    #expect(records.first?["serverErrorCode"] == nil)
                }
            }
        }
    }

    @Test func givesTheSameRequestIDInHeaderBodyAndLog() async throws {
        try await ServiceFixture.with { fixture in
            try await fixture.withServer { url in
                let answer = try await send("POST", url, database + "/records/query", body: "{}")
                #expect(answer.status == 401)
                let id = try #require(answer.headers["x-apple-request-uuid"])
                #expect(try answer.json()["uuid"] as? String == id)
                #expect(try answer.json()["serverErrorCode"] as? String == "AUTHENTICATION_FAILED")
                fixture.sink.close()
                let log = try String(contentsOfFile: fixture.logPath, encoding: .utf8)
                let line = try #require(log.split(separator: "\n").first { $0.contains(id) })
                let entry = try #require(
                    try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
                #expect(entry["status"] as? Int == 401)
                #expect(entry["code"] as? String == "AUTHENTICATION_FAILED")
                #expect(entry["route"] as? String == "records/query")
                #expect(!log.contains(ServiceFixture.apiToken), "tokens are in no log line")
            }
        }
    }

    @Test func letsEveryPageAsk() async throws {
        try await ServiceFixture.with { fixture in
            try await fixture.withServer { url in
                let preflight = try await send("OPTIONS", url, database + "/records/query")
                #expect(preflight.status == 204)
                #expect(preflight.headers["access-control-allow-origin"] == "*")
                #expect(preflight.headers["access-control-allow-headers"]?.contains("Content-Type") == true)
                let answer = try await send("GET", url, "/healthz")
                #expect(answer.headers["access-control-allow-origin"] == "*")
                let exposed = try #require(answer.headers["access-control-expose-headers"])
                for name in [
                    "X-Apple-CloudKit-Web-Auth-Token", "x-apple-cloudkit-session", "X-Apple-Request-UUID",
                ] {
                    #expect(exposed.contains(name))
                }
            }
        }
    }

    struct BadRequest: Sendable, CustomTestStringConvertible {
        var path: String
        var method = "POST"
        var body: String? = "{}"
        var status: Int
        var code: String
        var testDescription: String { "\(method) \(path)" }
    }

    static let badRequests: [BadRequest] = [
        BadRequest(path: "/nothing", method: "GET", body: nil, status: 404, code: "NOT_FOUND"),
        BadRequest(
            path: "/database/2/iCloud.test/development/public/records/query", status: 400, code: "BAD_REQUEST"
        ),
        BadRequest(
            path: "/database/1/iCloud.test/staging/public/records/query", status: 400, code: "BAD_REQUEST"),
        BadRequest(
            path: "/database/1/iCloud.test/development/secret/records/query", status: 400, code: "BAD_REQUEST"
        ),
        BadRequest(
            path: "/database/1/iCloud.test/development/public/records/eat", status: 404, code: "NOT_FOUND"),
        BadRequest(
            path: "/database/1/a%20b/development/public/records/query", status: 400, code: "BAD_REQUEST"),
        BadRequest(
            path: "/database/1/iCloud.test/development/public/records/query", method: "GET", body: nil,
            status: 400,
            code: "BAD_REQUEST"),
        BadRequest(
            path: "/database/1/iCloud.test/development/public/records/query?ckAPIToken=wrong", status: 401,
            code: "AUTHENTICATION_FAILED"),
        BadRequest(
            path:
                "/database/1/iCloud.test/production/public/records/query?ckAPIToken=\(ServiceFixture.apiToken)",
            status: 401, code: "AUTHENTICATION_FAILED"),
        BadRequest(
            path:
                "/database/1/iCloud.test/development/private/records/query?ckAPIToken=\(ServiceFixture.apiToken)",
            status: 421, code: "AUTHENTICATION_REQUIRED"),
        BadRequest(
            path:
                "/database/1/iCloud.test/development/public/users/caller?ckAPIToken=\(ServiceFixture.apiToken)",
            status: 421, code: "AUTHENTICATION_REQUIRED"),
        BadRequest(
            path:
                "/database/1/iCloud.test/development/public/records/query?ckAPIToken=\(ServiceFixture.apiToken)",
            body: "{\"query\":", status: 400, code: "BAD_REQUEST"),
        BadRequest(
            path:
                "/database/1/iCloud.test/development/public/records/query?ckAPIToken=\(ServiceFixture.apiToken)",
            body: #"{"query":{"recordType":"Nothing"}}"#, status: 404, code: "NOT_FOUND"),
        BadRequest(
            path:
                "/database/1/iCloud.test/development/public/records/modify?ckAPIToken=\(ServiceFixture.apiToken)",
            body: #"{"operations":[]}"#, status: 421, code: "AUTHENTICATION_REQUIRED"),
    ]

    @Test func answersBadRequestsWithTheirErrors() async throws {
        try await ServiceFixture.with { fixture in
            try await fixture.withServer { url in
                for bad in Self.badRequests {
                    let answer = try await send(bad.method, url, bad.path, body: bad.body)
                    #expect(answer.status == bad.status, "\(bad.testDescription)")
                    let json = try answer.json()
                    #expect(json["serverErrorCode"] as? String == bad.code, "\(bad.testDescription)")
                    #expect(json["reason"] as? String != nil, "\(bad.testDescription)")
                    #expect(answer.headers["link"]?.contains("/limits") == true)
                }
            }
        }
    }

    @Test func refusesBodiesOverTheLimit() async throws {
        try await ServiceFixture.with { fixture in
            try await fixture.withServer { url in
                let path = database + "/records/query" + token
                let just = String(repeating: " ", count: Limits.requestBodyBytes - 2) + "{}"
                let atTheEdge = try await send("POST", url, path, body: just)
                #expect(atTheEdge.status == 400, "it is read, and lacks a query")
                let over = try await send("POST", url, path, body: " " + just)
                #expect(over.status == 413)
                #expect(try over.json()["serverErrorCode"] as? String == "QUOTA_EXCEEDED")
            }
        }
    }

    @Test func showsItsPages() async throws {
        try await ServiceFixture.with { fixture in
            try await fixture.withServer { url in
                let health = try await send("GET", url, "/healthz")
                #expect(try health.json()["status"] as? String == "ok")
                let ready = try await send("GET", url, "/readyz")
                #expect(ready.status == 200)
                let limits = try #require(
                    try await send("GET", url, "/limits").json()["limits"] as? [String: Int])
                #expect(limits.count == Limits.published.count)
                #expect(limits["recordBytes"] == Limits.recordBytes)
                let metrics = try await send("GET", url, "/metrics")
                let text = String(decoding: metrics.body, as: UTF8.self)
                #expect(text.contains("stratus_requests_total{route=\"page\",status=\"200\"}"))
                let description = try await send("GET", url, "/openapi.json").json()
                #expect((description["openapi"] as? String)?.hasPrefix("3.1") == true)
                #expect(try Self.describedLimits(description) == Set(limits.keys))
                let head = try await send("HEAD", url, "/healthz")
                #expect(head.status == 200)
                #expect(head.body.isEmpty)
            }
        }
    }

    /// The names of the limits that the description says every answer has.
    private static func describedLimits(_ description: [String: Any]) throws -> Set<String> {
        var schema = description
        for key in ["components", "schemas", "Limits", "properties", "limits"] {
            schema = try #require(schema[key] as? [String: Any])
        }
        return Set(try #require(schema["required"] as? [String]))
    }

    /// The embedded files, their types, and a name that has to be in them.
    private static let embeddedFiles = [
        ("/cloudkit.js", "text/javascript; charset=utf-8", "export default CloudKit"),
        ("/ck/2/cloudkit.js", "text/javascript; charset=utf-8", "window.CloudKit = CloudKit"),
        ("/cloudkit.d.ts", "application/typescript; charset=utf-8", "export class Database"),
    ]

    @Test func servesCloudKitJS() async throws {
        try await ServiceFixture.with { fixture in
            try await fixture.withServer { url in
                for (path, type, name) in Self.embeddedFiles {
                    let file = try await send("GET", url, path)
                    #expect(file.status == 200)
                    #expect(file.headers["content-type"] == type)
                    #expect(file.headers["access-control-allow-origin"] == "*")
                    #expect(file.headers["cache-control"] == "public, max-age=600")
                    #expect(String(decoding: file.body, as: UTF8.self).contains(name))
                    let tag = try #require(file.headers["etag"])
                    for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
                        let again = try await send("GET", url, path, headers: ["If-None-Match": known])
                        #expect(again.status == 304, "\(known)")
                        #expect(again.body.isEmpty)
                        #expect(again.headers["etag"] == tag)
                    }
                    let other = try await send("GET", url, path, headers: ["If-None-Match": "\"other\""])
                    #expect(other.status == 200)
                }
            }
        }
    }

    @Test func publishesEveryLimit() {
        #expect(Limits.published.count > 100)
        #expect(Limits.published.first { $0.name == "recordBytes" }?.value == Limits.recordBytes)
        // What a kept outcome takes besides its bytes is counted, and limits nothing.
        #expect(!Limits.published.contains { $0.name == "keptOutcomeOverheadBytes" })
        // Zero stands for any number where an operator may set one.
        #expect(Limits.published.allSatisfy { $0.value > 0 || $0.name == "tokenRequestsPerMinute" })
    }
}
