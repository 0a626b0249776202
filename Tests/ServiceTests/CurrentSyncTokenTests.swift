import Foundation
import RecordWire
import TestSeeds
import TestSupport
import Testing

/// `getCurrentSyncToken`, over a socket and as other people's clients send it (Documentation/Protocol.md, 'Addresses').
@Suite struct CurrentSyncTokenTests {
    /// A client that sends what pyicloud sends: what its address says beside the tokens, and the members of its bodies.
    private struct Visitor {
        let port: Int
        let token: String
        /// How the client's language writes a truth value; nil for a client that does not ask.
        var yes: String? = "True"

        func ask(_ endpoint: String, _ body: JSONValue) async throws -> JSONValue {
            let asked = yes.map { "remapEnums=\($0)&getCurrentSyncToken=\($0)&" } ?? ""
            let text = body.text
            let connection = try RawConnection(port)
            await connection.send(
                """
                POST /database/1/iCloud.test/development/private/\(endpoint)?\(asked)clientBuildNumber=2534Project66\
                &clientId=c&dsid=1&ckAPIToken=\(ServiceFixture.apiToken)&ckWebAuthToken=\(token) HTTP/1.1\r
                Host: localhost\r\nContent-Type: text/plain\r\nContent-Length: \(text.utf8.count)\r
                Connection: close\r\n\r\n\(text)
                """)
            let received = await connection.readToEnd()
            try #require(received.hasPrefix("HTTP/1.1 200"), "\(received)")
            let start = try #require(received.range(of: "\r\n\r\n")).upperBound
            return try JSONReader.read(Array(received[start...].utf8))
        }

        /// Asks for one record of an index, as pyicloud's notes do when they want nothing but the token.
        func query() async throws -> JSONValue {
            try await ask(
                "records/query",
                [
                    "query": [
                        "recordType": "SearchIndexes",
                        "filterBy": [
                            [
                                "comparator": "EQUALS", "fieldName": "indexName",
                                "fieldValue": ["type": "STRING", "value": "recents"],
                            ]
                        ],
                    ],
                    "zoneID": ["zoneName": "Notes"], "resultsLimit": 1,
                ])
        }

        func lookup(_ names: [String]) async throws -> JSONValue {
            try await ask(
                "records/lookup",
                [
                    "records": .array(names.map { ["recordName": .string($0)] }),
                    "zoneID": ["zoneName": "Notes", "zoneType": "REGULAR_CUSTOM_ZONE"],
                ])
        }

        func modify(_ operations: [JSONValue], atomic: Bool = true, key: String? = nil) async throws
            -> JSONValue
        {
            let body: JSONValue = [
                "operations": .array(operations), "zoneID": ["zoneName": "Notes"], "atomic": .bool(atomic),
            ]
            return try await ask(
                "records/modify", key.map { body.with("idempotencyKey", .string($0)) } ?? body)
        }

        func save(_ names: String...) async throws -> JSONValue {
            try await modify(names.map(Self.saving))
        }

        static func saving(_ name: String) -> JSONValue {
            [
                "operationType": "forceUpdate",
                "record": [
                    "recordName": .string(name), "recordType": "SearchIndexes",
                    "fields": ["indexName": ["value": "recents", "type": "STRING"]],
                ],
            ]
        }

        /// The names of the records that changed since a token.
        func changed(since token: String) async throws -> Set<String> {
            let answer = try await ask(
                "changes/zone",
                [
                    "zones": [
                        [
                            "zoneID": ["zoneName": "Notes", "zoneType": "REGULAR_CUSTOM_ZONE"],
                            "reverse": false, "syncToken": .string(token),
                        ]
                    ]
                ])
            let zone = answer["zones"][0]
            #expect(zone["moreComing"].bool == false)
            return Set(zone["records"].elements.compactMap { $0["recordName"].string })
        }
    }

    private func withVisitor(yes: String? = "True", _ body: (Visitor) async throws -> Void) async throws {
        try await ServiceFixture.with { fixture in
            let token = try await fixture.webToken(of: "ada")
            try await fixture.withServer { url in
                let visitor = Visitor(port: try #require(url.port), token: token, yes: yes)
                _ = try await visitor.ask(
                    "zones/modify",
                    ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": "Notes"]]]]])
                try await body(visitor)
            }
        }
    }

    @Test(arguments: ["true", "True", "TRUE", "1"])
    func `Each client's way to say yes is answered with a token`(_ yes: String) async throws {
        try await withVisitor(yes: yes) { visitor in
            let answers = [
                try await visitor.save("a"), try await visitor.query(),
                try await visitor.lookup(["a", "nobody"]),
            ]
            for answer in answers {
                let token = try #require(answer["syncToken"].string, "\(answer.text)")
                #expect(try await visitor.changed(since: token) == [])
            }
        }
    }

    @Test(arguments: [nil, "false", "False", "0", ""])
    func `Who does not ask gets no token`(_ no: String?) async throws {
        try await withVisitor(yes: no) { visitor in
            let answers = [
                try await visitor.save("a"), try await visitor.query(), try await visitor.lookup(["a"]),
            ]
            for answer in answers { #expect(answer["syncToken"] == .null, "\(answer.text)") }
        }
    }

    @Test(arguments: Seed.some(2))
    func `The token of any answer leads to what changed after it, and to nothing else`(_ seed: Seed)
        async throws
    {
        try await withVisitor { visitor in
            var random = seed.random
            // Each token with the names that changed since it was given.
            var tokens: [(token: String, changed: Set<String>)] = []
            let names = (0..<6).map { "n\($0)" }
            _ = try await visitor.save("n0")
            for _ in 0..<40 {
                let answer: JSONValue
                switch Int.random(in: 0..<5, using: &random) {
                case 0: answer = try await visitor.query()
                case 1: answer = try await visitor.lookup([try #require(names.randomElement(using: &random))])
                default:
                    let chosen = names.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
                    let isDeletion = Bool.random(using: &random)
                    answer = try await visitor.modify(
                        chosen.map { name in
                            isDeletion
                                ? ["operationType": "forceDelete", "record": ["recordName": .string(name)]]
                                : Visitor.saving(name)
                        })
                    let done = answer["records"].elements.filter { $0["serverErrorCode"] == .null }
                    #expect(done.count == chosen.count, "\(answer.text)")
                    for index in tokens.indices { tokens[index].changed.formUnion(chosen) }
                }
                tokens.append((try #require(answer["syncToken"].string, "\(answer.text)"), []))
            }
            for (token, changed) in tokens {
                // A deletion of what was not there changes nothing.
                let told = try await visitor.changed(since: token)
                #expect(told.isSubset(of: changed))
                let held = Set(
                    (try await visitor.lookup(Array(changed))["records"].elements)
                        .filter { $0["serverErrorCode"] == .null }.compactMap { $0["recordName"].string })
                #expect(told.isSuperset(of: held))
            }
        }
    }

    @Test func `A failed operation, a repeated request and a failed batch`() async throws {
        try await withVisitor { visitor in
            let missing: JSONValue = [
                "operationType": "update",
                "record": ["recordName": "no", "recordChangeTag": "1", "recordType": "T"],
            ]
            let some = try await visitor.modify([Visitor.saving("a"), missing], atomic: false)
            let token = try #require(some["syncToken"].string, "\(some.text)")
            #expect(try await visitor.changed(since: token) == [])
            let none = try await visitor.modify([Visitor.saving("b"), missing])
            #expect(none["syncToken"] == .null)
            #expect(try await visitor.changed(since: token) == [])

            let first = try await visitor.modify([Visitor.saving("c")], key: "once")
            let again = try await visitor.modify([Visitor.saving("c")], key: "once")
            #expect(first.text == again.text)
            #expect(first["syncToken"].string != nil)
            _ = try await visitor.save("d")
            let later = try await visitor.modify([Visitor.saving("c")], key: "once")
            let last = try #require(later["syncToken"].string)
            #expect(try await visitor.changed(since: last) == [])
        }
    }

    @Test func `The default zone and a query of all zones have no token`() async throws {
        try await withVisitor { visitor in
            _ = try await visitor.save("a")
            let whole = try await visitor.ask(
                "records/query", ["query": ["recordType": "SearchIndexes"], "zoneWide": true])
            #expect(whole["records"].array?.count == 1)
            #expect(whole["syncToken"] == .null)
            let plain = try await visitor.ask("records/query", ["query": ["recordType": "SearchIndexes"]])
            #expect(plain["syncToken"] == .null)
        }
    }
}
