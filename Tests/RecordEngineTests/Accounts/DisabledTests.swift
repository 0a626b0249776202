import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// What is good for somebody whom an operator has shut out: nothing, whoever made it.
@Suite struct DisabledTests {
    private struct Walk {
        let ground: AccountGround
        let account: AccountRow
        let user: UserRow
        /// Made by an operator, without a session.
        let token: String

        init(_ cloud: TestCloud) async throws {
            ground = AccountGround(cloud)
            try await ground.open()
            (account, user) = try #require(try await ground.signUp("ada@example.org"))
            token = try await Self.token(of: user, ground)
        }

        static func token(of user: UserRow, _ ground: AccountGround) async throws -> String {
            try await Tokens.create(
                tenant: ground.tenant, user: user, label: "", lifetimeMilliseconds: nil,
                store: ground.cloud.store,
                environment: ServiceEnvironment(
                    now: { 0 }, random: { count in (0..<count).map { _ in UInt8.random(in: 0...255) } })
            ).token
        }

        func begin() async throws -> String {
            try await ground.accounts.sessions.begin(
                .web, for: account, as: user, lasting: .long, label: "Test")
        }

        /// The code of the error that a token is answered with; nil where it is good.
        func refusal(of token: String) async -> String? {
            let call = ServiceCall(
                endpoint: .usersCaller, tenant: ground.tenant, scope: .public,
                credentials: Credentials(apiToken: "\(ground.tenant)-api", webAuthToken: token), body: [],
                requestID: "r")
            return await ground.code { try await ground.cloud.service.admit(call) }
        }
    }

    @Test func `A disabled account's tokens by operators are refused until it is enabled`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            #expect(await walk.refusal(of: walk.token) == nil)
            try await AccountList.setDisabled(true, walk.account.address, store: cloud.store)
            #expect(await walk.refusal(of: walk.token) == "AUTHENTICATION_REQUIRED")
            try await AccountList.setDisabled(false, walk.account.address, store: cloud.store)
            #expect(await walk.refusal(of: walk.token) == nil)
        }
    }

    @Test func `A disabled user has no good token or session, and begins none`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let session = try await walk.begin()
            let tokens = [walk.token, session]
            for token in tokens { #expect(await walk.refusal(of: token) == nil) }
            let row = try await Users.setDisabled(
                true, walk.user.label, of: walk.ground.tenant, store: cloud.store)
            #expect(row.isDisabled)
            for token in tokens { #expect(await walk.refusal(of: token) == "AUTHENTICATION_REQUIRED") }
            #expect(await walk.ground.code { try await walk.begin() } == "AUTHENTICATION_FAILED")
            try await Users.setDisabled(
                false, walk.user.recordName, of: walk.ground.tenant, store: cloud.store)
            #expect(await walk.refusal(of: walk.token) == nil)
            #expect(await walk.refusal(of: session) == "AUTHENTICATION_REQUIRED", "it has ended")
            let another = try await walk.begin()
            #expect(await walk.refusal(of: another) == nil)
        }
    }

    @Test func `A user whom an operator made can be disabled, too`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let tenant = walk.ground.tenant
            let row = UserRow(tenant: tenant, recordName: "_made", label: "made", createdAt: 0)
            try await cloud.store.write { try $0.insert(row) }
            let token = try await Walk.token(of: row, walk.ground)
            #expect(await walk.refusal(of: token) == nil)
            try await Users.setDisabled(true, "made", of: tenant, store: cloud.store)
            #expect(await walk.refusal(of: token) == "AUTHENTICATION_REQUIRED")
            #expect(await walk.refusal(of: walk.token) == nil, "another user's is good as before")
        }
    }

    @Test func `Disabling keeps an address that changed meanwhile, and makes no account again`() async throws
    {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            var moved = walk.account
            moved.address = "countess@example.org"
            let changed = moved
            try await cloud.store.write { try $0.store(changed) }
            try await AccountList.setDisabled(true, "countess@example.org", store: cloud.store)
            let row = try await cloud.store.read(.short) { try $0.account(changed.id) }
            #expect(row?.address == "countess@example.org" && row?.isDisabled == true)
            try await cloud.store.write { try $0.deleteAccount(changed.id) }
            let code = await walk.ground.code {
                try await AccountList.setDisabled(false, "countess@example.org", store: cloud.store)
            }
            #expect(code == "NOT_FOUND")
            #expect(try await cloud.store.read(.short) { try $0.account(changed.id) } == nil)
        }
    }
}
