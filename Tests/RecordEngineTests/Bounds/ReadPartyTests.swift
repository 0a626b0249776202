import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// Who takes turns with whom when long reads wait.
@Suite struct ReadPartyTests {
    @Test func `Visitors of an app take turns by where they come from, users by who they are`() async throws {
        try await TestCloud.run { cloud in
            let tenant = Tenant(container: cloud.container, environment: .development)
            func party(_ sender: TestCloud.Sender, from client: String?) async throws -> ReadParty {
                var call = ServiceCall(
                    endpoint: .recordsQuery, tenant: tenant, scope: .public,
                    credentials: Credentials(
                        apiToken: "\(tenant)-api",
                        webAuthToken: sender == .nobody ? nil : "\(tenant)-\(sender.rawValue)"),
                    body: [], requestID: "r")
                call.client = client
                return try await cloud.service.context(for: call, isWhole: false).party
            }
            let here = try await party(.nobody, from: "4:1")
            #expect(try await party(.nobody, from: "4:1") == here)
            #expect(try await party(.nobody, from: "4:2") != here)
            #expect(try await party(.nobody, from: nil) != here)
            #expect(try await party(.nobody, from: nil) == party(.nobody, from: nil))
            #expect(try await party(.alice, from: "4:1") == party(.alice, from: "4:2"))
            #expect(try await party(.alice, from: "4:1") != party(.bob, from: "4:1"))
        }
    }
}
