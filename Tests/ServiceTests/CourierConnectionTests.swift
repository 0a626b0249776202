import Foundation
import RecordWire
import TestSupport
import Testing

/// Devices that poll the web courier over sockets.
@Suite struct CourierConnectionTests {
    private static let database = "/database/1/iCloud.test/development/private"

    /// The answer of a request over a connection of its own, which is left open: the client has all of the answer, and goes on.
    private static func ask(
        _ port: Int, _ method: String, _ path: String, _ body: JSONValue? = nil
    ) async throws -> (status: String, body: JSONValue) {
        let connection = try RawConnection(port)
        let text = body?.text ?? ""
        await connection.send(
            "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
        )
        let head = await connection.readHead()
        let lines = head.components(separatedBy: "\r\n")
        let length = try lines.first { $0.lowercased().hasPrefix("content-length:") }.map {
            try #require(Int($0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces)))
        }
        var received: [UInt8] = []
        while received.count < length ?? 0, let more = await connection.read(), !more.isEmpty {
            received += more
        }
        return (lines[0], received.isEmpty ? .null : try JSONReader.read(received))
    }

    @Test func `A device that polls again at once over a new connection is told each change once`()
        async throws
    {
        try await ServiceFixture.with { fixture in
            let web = try await fixture.webToken(of: "ada")
            try await fixture.withServer { url in
                let port = try #require(url.port)
                let tokens = "?ckAPIToken=\(ServiceFixture.apiToken)&ckWebAuthToken=\(web)"
                func save(_ names: [String]) async throws {
                    let operations: [JSONValue] = names.map {
                        [
                            "operationType": "create",
                            "record": ["recordName": .string($0), "recordType": "Note"],
                        ]
                    }
                    let answer = try await Self.ask(
                        port, "POST", "\(Self.database)/records/modify\(tokens)",
                        ["operations": .array(operations)])
                    #expect(answer.status.contains("200"))
                }
                try await save(["first"])
                _ = try await Self.ask(
                    port, "POST", "\(Self.database)/subscriptions/modify\(tokens)",
                    [
                        "operations": [
                            [
                                "operationType": "create",
                                "subscription": [
                                    "subscriptionID": "s", "subscriptionType": "query", "firesOn": ["create"],
                                    "query": ["recordType": "Note"],
                                ],
                            ]
                        ]
                    ])
                let made = try await Self.ask(
                    port, "POST", "/device/1/iCloud.test/development/tokens/create\(tokens)",
                    ["apnsEnvironment": "development"])
                let text = try #require(made.body["webcourierURL"].string)
                let address = try #require(URL(string: text))
                let names = (0..<200).map { "r\($0)" }
                try await save(names)
                var told: [String] = []
                while told.count < names.count {
                    let poll = try await Self.ask(port, "GET", address.path)
                    try #require(poll.status.contains("200"), "\(poll.status)")
                    told.append(poll.body["ck"]["qry"]["rid"].string ?? "?")
                }
                #expect(told == names)
            }
        }
    }
}
