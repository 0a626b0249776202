import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// A session is good with the API token that it was made with, and goes with it.
@Suite struct SessionAppTests {
    private struct Walk {
        let ground: AccountGround
        let account: AccountRow
        let user: UserRow
        var own: String { "\(ground.tenant)-api" }
        let other = "another app"

        init(_ cloud: TestCloud) async throws {
            ground = AccountGround(cloud)
            try await ground.open()
            (account, user) = try #require(try await ground.signUp("ada@example.org"))
            let row = TokenRow(
                kind: .api, tenant: ground.tenant, user: nil, label: "other", createdAt: 0, expiresAt: nil)
            let digest = AccessToken.digest(other)
            try await cloud.store.write { try $0.insert(row, digest: digest) }
        }

        func begin(for app: String?) async throws -> String {
            try await ground.accounts.sessions.begin(
                .web, for: account, as: user, lasting: .long, label: "Test", apiToken: app)
        }

        /// The code of the error, and the token to go on with.
        func ask(_ token: String, from app: String) async throws -> (code: String?, next: String?) {
            let call = ServiceCall(
                endpoint: .usersCaller, tenant: ground.tenant, scope: .public,
                credentials: Credentials(apiToken: app, webAuthToken: token), body: [], requestID: "r")
            do { return (nil, try await ground.cloud.service.admit(call).nextWebAuthToken) } catch {
                return (ServiceError(describing: error).code.description, nil)
            }
        }
    }

    @Test func `A session is refused with another app's API token, also after its token was replaced`()
        async throws
    {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let first = try await walk.begin(for: walk.own)
            #expect(try await walk.ask(first, from: walk.own).code == nil)
            #expect(try await walk.ask(first, from: walk.other).code == "AUTHENTICATION_REQUIRED")
            cloud.wait(milliseconds: Sessions.rotationMilliseconds)
            #expect(try await walk.ask(first, from: walk.other).next == nil)
            let second = try #require(try await walk.ask(first, from: walk.own).next)
            #expect(try await walk.ask(second, from: walk.other).code == "AUTHENTICATION_REQUIRED")
            #expect(try await walk.ask(second, from: walk.own).code == nil)
        }
    }

    @Test func `A session of no app is good with each, as those from before are`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let token = try await walk.begin(for: nil)
            for app in [walk.own, walk.other] { #expect(try await walk.ask(token, from: app).code == nil) }
        }
    }

    @Test func `Revoking an API token ends its sessions and no others, and none begins`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let kept = try await walk.begin(for: walk.own)
            let ended = try await walk.begin(for: walk.other)
            #expect(try await walk.ask(ended, from: walk.other).code == nil)
            // What is changed of an app is no reason to sign its users out.
            try await Tokens.setAsksForPeople(
                true, of: walk.other, tenant: walk.ground.tenant, store: cloud.store)
            #expect(try await walk.ask(ended, from: walk.other).code == nil)
            _ = try await Tokens.revoke(walk.other, of: walk.ground.tenant, store: cloud.store)
            #expect(try await walk.ask(ended, from: walk.own).code == "AUTHENTICATION_REQUIRED")
            #expect(try await walk.ask(kept, from: walk.own).code == nil)
            let sessions = try await walk.ground.accounts.sessions(of: walk.account, in: walk.ground.tenant)
            #expect(sessions.map(\.apiToken) == [AccessToken.digest(walk.own)])
            let code = await walk.ground.code { try await walk.begin(for: walk.other) }
            #expect(code == "AUTHENTICATION_FAILED")
        }
    }
}
