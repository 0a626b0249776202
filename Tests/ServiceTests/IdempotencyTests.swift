import CloudKit
import Foundation
import RecordModel
import RecordStorage
import RecordWire
import Testing

/// A client whose connection breaks before the answer came, over real sockets.
@Suite struct RepeatedRequestTests {
    private func request(_ body: String, web: String) -> String {
        """
        POST /database/1/iCloud.test/development/private/records/modify?ckAPIToken=\(ServiceFixture.apiToken)\
        &ckWebAuthToken=\(web) HTTP/1.1\r
        Host: localhost\r
        Content-Length: \(body.utf8.count)\r
        Connection: close\r
        \r
        \(body)
        """
    }

    private func records(_ answer: String) throws -> [JSONObject] {
        let end = try #require(answer.range(of: "\r\n\r\n"))
        let json = try JSONReader.read(Array(answer[end.upperBound...].utf8))
        return try #require(json.object).objects("records")
    }

    @Test func `A write whose answer was lost is repeated, and there is one record with one tag`()
        async throws
    {
        try await ServiceFixture.with { fixture in
            let web = try await fixture.webToken(of: "ada")
            try await fixture.withServer { url in
                let port = try #require(url.port)
                var expected = 0
                for round in 0..<8 {
                    let body =
                        #"{"idempotencyKey":"round-\#(round)","operations":[{"operationType":"create","record":{"recordType":"Note","fields":{"n":{"value":\#(round)}}}}]}"#
                    let sequence = try await fixture.store.read(.short) { try $0.lastSequence() }
                    do {
                        let cut = try RawConnection(port)
                        cut.breakAtClose()
                        await cut.send(request(body, web: web))
                        // Every other time the write is done before the connection breaks; else it may be done or not.
                        if round.isMultiple(of: 2) {
                            while try await fixture.store.read(.short, { try $0.lastSequence() }) == sequence
                            {
                                try await Task.sleep(for: .milliseconds(1))
                            }
                        }
                        withExtendedLifetime(cut) {}
                    }
                    var answers: [[JSONObject]] = []
                    for _ in 0..<2 {
                        let connection = try RawConnection(port)
                        await connection.send(request(body, web: web))
                        answers.append(try records(await connection.readToEnd()))
                    }
                    #expect(answers[0].count == 1 && answers[0] == answers[1])
                    #expect(answers[0].first?["recordChangeTag"]?.string != nil)
                    expected += 1
                }
                let container = try await fixture.container(
                    user: "ada", transport: HTTPTransport(url: url))
                let found = try await container.privateCloudDatabase.records(
                    matching: CKQuery(recordType: "Note", predicate: NSPredicate(value: true)))
                let numbers = try found.matchResults.map { try $0.1.get()["n"] as? Int }
                #expect(numbers.count == expected && Set(numbers).count == expected)
            }
        }
    }
}
