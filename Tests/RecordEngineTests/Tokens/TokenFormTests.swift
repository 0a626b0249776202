import Foundation
import RecordModel
import RecordWire
import TestSupport
import Testing

/// How markers and tokens are written: clients decode them, some of them strictly.
@Suite struct TokenFormTests {
    /// The form for addresses, as version 0.1 wrote all tokens.
    private static func oldForm(_ token: String) -> String {
        token.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func expectStandard(_ token: String?, _ what: String) throws -> String {
        let token = try #require(token, "\(what) is missing")
        // Foundation's decoder takes the standard alphabet with full padding and nothing else.
        #expect(Data(base64Encoded: token) != nil, "\(what) is no standard base64: \(token)")
        return token
    }

    @Test func `Continuation markers are standard base64, and old ones go on`() async throws {
        try await TestCloud.run { cloud in
            // Texts of all lengths, so that every padding comes up.
            let texts = (0..<12).map { String(repeating: "x", count: $0) }
            for (number, text) in texts.enumerated() {
                try await cloud.save("r\(number)", ["t": ["value": .string(text)]])
            }
            let query: JSONValue = ["recordType": "Note", "sortBy": [["fieldName": "t"]]]
            var names: [String] = []
            var markers: [String?] = [nil]
            while let marker = markers.last {
                let page = try await cloud.query(query, limit: 1, marker: marker)
                names += page.names
                guard page.json["continuationMarker"] != .null else { break }
                let next = try Self.expectStandard(
                    page.json["continuationMarker"].string, "continuationMarker")
                let old = try await cloud.query(query, limit: 1, marker: Self.oldForm(next))
                #expect(old.names == ["r\(names.count)"])
                markers.append(next)
            }
            #expect(names == texts.indices.map { "r\($0)" })
            #expect(markers.contains { $0?.hasSuffix("==") == true })
            #expect(markers.contains { $0?.hasSuffix("=") == false })
            let back = try await cloud.send(
                .recordsQuery, ["query": query, "backward": true, "resultsLimit": 2])
            _ = try Self.expectStandard(back.json["previousMarker"].string, "previousMarker")
        }
    }

    @Test func `Sync tokens are standard base64, and old ones go on`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            try await cloud.save("a", ["n": ["value": 1]], zone: "Zone")
            let zone: JSONValue = ["zoneName": "Zone"]
            let cases: [(Endpoint, JSONValue, wanted: String, given: String)] = [
                (.recordsChanges, ["zoneID": zone], "syncToken", "syncToken"),
                (.changesDatabase, [:], "syncToken", "syncToken"),
                (.zonesChanges, [:], "metaSyncToken", "metaSyncToken"),
            ]
            for (endpoint, body, wanted, given) in cases {
                let answer = try await cloud.send(endpoint, body)
                let token = try Self.expectStandard(answer.json[wanted].string, "\(endpoint) \(wanted)")
                for form in [token, Self.oldForm(token)] {
                    let next = try await cloud.send(endpoint, body.with(given, .string(form)))
                    #expect(next.code == nil, "\(endpoint): \(next.json.text)")
                    #expect(next.records.isEmpty && next.zones.isEmpty)
                }
            }
            let feed = try await cloud.changes(zone: "Zone")
            _ = try Self.expectStandard(feed.token, "changes/zone syncToken")
            #expect(try await cloud.changes(zone: "Zone", since: Self.oldForm(feed.token)).records.isEmpty)
            let list = try await cloud.send(.zonesLookup, ["zones": [zone]])
            _ = try Self.expectStandard(list.zones[0]["syncToken"].string, "zone syncToken")
        }
    }
}
