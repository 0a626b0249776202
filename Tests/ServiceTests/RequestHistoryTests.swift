import Foundation
import FoundationNetworking
import RecordModel
import RecordServer
import Testing

/// The id from an app's error opens the request, over a real socket and after a restart.
@Suite struct RequestHistoryOverHTTPTests {
    private func send(_ url: URL, _ path: String, body: String?, agent: String? = nil) async throws
        -> [String: Any]
    {
        var request = URLRequest(url: try #require(URL(string: path, relativeTo: url)))
        request.httpMethod = body == nil ? "GET" : "POST"
        request.httpBody = body.map { Data($0.utf8) }
        if let agent { request.setValue(agent, forHTTPHeaderField: "User-Agent") }
        let (data, _) = try await URLSession.shared.data(for: request)
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    private let database = "/database/1/iCloud.test/development/public"
    private var token: String { "?ckAPIToken=\(ServiceFixture.apiToken)" }

    @Test func opensTheRequestOfAnError() async throws {
        try await ServiceFixture.with { fixture in
            let history = RequestHistory(directory: fixture.directory)
            var failure: RequestID?
            try await fixture.withServer(history: history) { url in
                let answer = try await send(
                    url, database + "/records/query" + token, body: #"{"query":{"recordType":"Nothing"}}"#,
                    agent: "Club/1.0 " + String(repeating: "x", count: 300))
                let uuid = try #require(answer["uuid"] as? String)
                failure = RequestID(uuid)
                _ = try await send(url, "/healthz", body: nil)
            }
            // The server has stopped; another one reads what it left.
            let id = try #require(failure)
            let kept = try #require(RequestHistory(directory: fixture.directory).request(id))
            #expect(kept.status == 404 && kept.code == "NOT_FOUND" && kept.route == "records/query")
            #expect(kept.container == "iCloud.test" && kept.recordType == "Nothing")
            #expect(kept.reason?.isEmpty == false && kept.milliseconds > 0)
            #expect(kept.userAgent?.hasPrefix("Club/1.0 x") == true)
            #expect(kept.userAgent?.count == Limits.userAgentCharacters)
            #expect(abs(kept.time - Int64(Date().timeIntervalSince1970 * 1_000)) < 600_000)
            #expect(history.page(RequestFilter(), limit: 10).requests.count == 1, "probes are not listed")
        }
    }

    @Test func opensTheRequestOfARecordsError() async throws {
        try await ServiceFixture.with { fixture in
            let history = RequestHistory()
            let web = try await fixture.webToken(of: "ada")
            try await fixture.withServer(history: history) { url in
                let create =
                    #"{"operations":[{"operationType":"create","record":{"recordType":"T","recordName":"r"}}]}"#
                let path = database + "/records/modify" + token + "&ckWebAuthToken=" + web
                _ = try await send(url, path, body: create)
                let answer = try await send(url, path, body: create)
                let error = try #require((answer["records"] as? [[String: Any]])?.first)
                let uuid = try #require(error["uuid"] as? String)
                let id = try #require(RequestID(uuid))
                let kept = try #require(history.request(id))
                #expect(kept.status == 200 && kept.failedItems == 1 && kept.isFailed)
                #expect(kept.user == "_ada" && kept.recordType == "T")
                let item = try #require(kept.itemFailures.first)
                #expect(item.name == "r" && item.code == error["serverErrorCode"] as? String)
                #expect(item.reason == error["reason"] as? String)
                var filter = RequestFilter()
                filter.code = item.code
                #expect(history.page(filter, limit: 10).requests.map(\.id) == [id])
                let points = history.points(.hour, now: kept.time)
                #expect(points.reduce(0) { $0 + $1.count } == 2)
            }
        }
    }
}
