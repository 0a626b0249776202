import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// What is taken away on one of two nodes on one PostgreSQL counts on the other one: their clocks stand still, so that nothing
/// that is remembered grows old.
@Suite struct RevocationTests {
    private static let now: Int64 = 1_700_000_000_000

    private struct Nodes {
        let tenant: Tenant
        let stores: [any RecordStore]
        let services: [RecordService]

        /// What a node says to a token; nil where it lets in.
        func refusal(of token: String?, at node: Int, app: String = "app") async -> String? {
            let call = ServiceCall(
                endpoint: .usersCaller, tenant: tenant, scope: .public,
                credentials: Credentials(apiToken: app, webAuthToken: token), body: [], requestID: "r")
            do {
                _ = try await services[node].admit(call)
                return nil
            } catch { return ServiceError(describing: error).code.description }
        }

        /// Begins a session at the first node, and shows its token to both.
        func begin(_ account: AccountRow, _ user: UserRow) async throws -> String {
            let token = try await services[0].authenticator.sessions.begin(
                .web, for: account, as: user, lasting: .long, label: "Test")
            for node in services.indices { #expect(await refusal(of: token, at: node) == nil) }
            return token
        }

        func roles(of user: UserRow, at node: Int) async throws -> [String] {
            try await services[node].authenticator.roles(
                of: .user(user.recordName), declared: ["editor"], tenant: tenant, now: RevocationTests.now)
        }
    }

    private func run(_ body: (Nodes, AccountRow, UserRow) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let stores = [try StoreEngine.postgres.open(directory), try StoreEngine.postgres.open(directory)]
        let services = stores.map { store in
            RecordService(
                store: store, secret: ServiceSecret(bytes: Array(repeating: 7, count: 32)),
                environment: ServiceEnvironment(
                    now: { Self.now },
                    random: { count in (0..<count).map { _ in UInt8.random(in: 0...255) } }))
        }
        let tenant = Tenant(container: try ContainerID("iCloud.test"), environment: .development)
        let account = AccountRow(
            id: "ada", address: "ada@example.org", createdAt: Self.now, isDisabled: false)
        let user = UserRow(
            tenant: tenant, recordName: "_ada", label: "ada@example.org", createdAt: Self.now, account: "ada")
        let outcome: Result<Void, any Error>
        do {
            try await stores[0].write { store in
                try store.store(account)
                try store.insert(user)
                for name in ["app", "other"] {
                    try store.insert(
                        TokenRow(
                            kind: .api, tenant: tenant, user: nil, label: name, createdAt: 0, expiresAt: nil),
                        digest: AccessToken.digest(name))
                }
            }
            outcome = .success(
                try await body(Nodes(tenant: tenant, stores: stores, services: services), account, user))
        } catch { outcome = .failure(error) }
        for store in stores { await store.close() }
        try outcome.get()
    }

    @Test func `A session that one node ends is refused by the other one at once`() async throws {
        try await run { nodes, account, user in
            let tokens = [try await nodes.begin(account, user), try await nodes.begin(account, user)]
            let ended = try #require(
                try await nodes.stores[0].read(.short) {
                    try $0.token(digest: AccessToken.digest(tokens[0]))?.succession?.session
                })
            try await nodes.services[0].authenticator.sessions.end(ended)
            #expect(await nodes.refusal(of: tokens[0], at: 0) == "AUTHENTICATION_REQUIRED")
            let isKnown = try await eventually {
                await nodes.refusal(of: tokens[0], at: 1) == "AUTHENTICATION_REQUIRED"
            }
            #expect(isKnown)
            #expect(await nodes.refusal(of: tokens[1], at: 1) == nil, "the other session goes on")
        }
    }

    @Test func `An account that one node shuts lets nobody in at the other one`() async throws {
        try await run { nodes, account, user in
            let token = try await nodes.begin(account, user)
            try await AccountList.setDisabled(true, account.address, store: nodes.stores[1])
            for node in nodes.services.indices {
                let isKnown = try await eventually {
                    await nodes.refusal(of: token, at: node) == "AUTHENTICATION_REQUIRED"
                }
                #expect(isKnown)
            }
        }
    }

    @Test func `Tokens and roles that one node takes away are gone at the other one`() async throws {
        try await run { nodes, _, user in
            #expect(await nodes.refusal(of: nil, at: 1, app: "other") == nil)
            _ = try await Tokens.revoke("other", of: nodes.tenant, store: nodes.stores[0])
            let isRevoked = try await eventually {
                await nodes.refusal(of: nil, at: 1, app: "other") == "AUTHENTICATION_FAILED"
            }
            #expect(isRevoked)
            for roles in [["editor"], []] {
                try await nodes.stores[0].write {
                    try $0.setRoles(roles, ofUserNamed: user.recordName, tenant: nodes.tenant)
                }
                let isKnown = try await eventually { try await nodes.roles(of: user, at: 1) == roles }
                #expect(isKnown)
            }
        }
    }
}
