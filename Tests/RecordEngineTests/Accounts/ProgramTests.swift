import Crypto
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// What programs with a browser beside them get for their codes.
@Suite struct ProgramTests {
    private static let verifier = String(repeating: "v", count: 43)
    private static let redirect = "http://127.0.0.1:49152/"

    /// A code for somebody who is signed in, and the way to redeem it.
    private static func with(
        _ body: (AccountGround, _ redeem: (_ verifier: String) async throws -> String?) async throws -> Void
    ) async throws {
        try await TestCloud.run { cloud in
            let ground = AccountGround(cloud)
            try await ground.open()
            let (account, _) = try #require(try await ground.signUp("ada@example.org"))
            let challenge = Base64.encodeURL(Array(SHA256.hash(data: Array(verifier.utf8))))
            let app = TokenRow(
                kind: .api, tenant: ground.tenant, user: nil, label: "app", createdAt: 0, expiresAt: nil)
            try await cloud.store.write { try $0.insert(app, digest: AccessToken.digest("token")) }
            let program = try #require(
                Accounts.Program(
                    redirect: redirect, state: "12345678", challenge: challenge, method: "S256", of: app))
            let code = try await ground.accounts.beginProgram(
                program, for: account, apiToken: "token", in: ground.tenant)
            try await body(ground) { verifier in
                let answer = try await ground.accounts.redeemProgram(
                    code, verifier: verifier, redirect: redirect, apiToken: "token", in: ground.tenant,
                    client: AccountGround.client)
                if case .granted(let token, _) = answer { return token }
                return nil
            }
        }
    }

    /// Whether a token is known.
    private static func isGood(_ token: String, _ ground: AccountGround) async throws -> Bool {
        try await ground.cloud.store.read(.short) { try $0.token(digest: AccessToken.digest(token)) != nil }
    }

    @Test func `A code that comes a second time ends what the first one began`() async throws {
        try await Self.with { ground, redeem in
            let token = try #require(try await redeem(Self.verifier))
            let first = try await Self.isGood(token, ground)
            let second = try await redeem(Self.verifier)
            let afterwards = try await Self.isGood(token, ground)
            let third = try await redeem(Self.verifier)
            #expect(first && second == nil && third == nil)
            #expect(!afterwards, "two have the code: nobody knows who is who")
        }
    }

    @Test func `Who knows the code and not the secret ends nothing`() async throws {
        try await Self.with { ground, redeem in
            let token = try #require(try await redeem(Self.verifier))
            let other = try await redeem(String(repeating: "w", count: 43))
            let isGood = try await Self.isGood(token, ground)
            #expect(other == nil && isGood)
        }
    }

    @Test func `A first attempt that fails uses the code up`() async throws {
        try await Self.with { _, redeem in
            let first = try await redeem(String(repeating: "w", count: 43))
            let second = try await redeem(Self.verifier)
            #expect(first == nil && second == nil)
        }
    }
}
