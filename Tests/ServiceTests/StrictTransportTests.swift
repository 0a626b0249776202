import CloudKit
import RecordServer
import Testing

/// Whether browsers are told to ask over TLS alone.
@Suite struct StrictTransportTests {
    @Test(
        arguments: zip(
            [nil, "http://records.example.org", "https://records.example.org"] as [String?],
            [false, false, true]))
    func `Behind a proxy that ends TLS, answers say it as they do with a certificate`(
        _ publicURL: String?, _ isTold: Bool
    ) async throws {
        try await ServiceFixture.with { fixture in
            let transport = fixture.routerTransport(publicURL: publicURL)
            let answer = try await transport.send(TransportRequest(path: "/healthz"))
            let field = answer.headers.first { $0.key.lowercased() == "strict-transport-security" }
            #expect((field?.value == "max-age=31536000") == isTold)
        }
    }
}
