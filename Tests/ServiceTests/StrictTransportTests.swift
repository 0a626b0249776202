import CloudKit
import RecordServer
import Testing

/// Whether browsers are told to ask over TLS alone.
@Suite struct StrictTransportTests {
    @Test(
        arguments: [
            (url: nil, isTold: false), (url: "http://records.example.org", isTold: false),
            (url: "https://records.example.org", isTold: true),
        ] as [(url: String?, isTold: Bool)])
    func `Behind a proxy that ends TLS, answers say it as they do with a certificate`(
        _ row: (url: String?, isTold: Bool)
    ) async throws {
        try await ServiceFixture.with { fixture in
            let transport = fixture.routerTransport(publicURL: row.url)
            let answer = try await transport.send(TransportRequest(path: "/healthz", body: nil))
            let field = answer.headers.first { $0.key.lowercased() == "strict-transport-security" }
            #expect((field?.value == "max-age=31536000") == row.isTold)
        }
    }
}
