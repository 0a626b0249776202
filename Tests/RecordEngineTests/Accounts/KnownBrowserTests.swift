import RecordModel
import RecordStorage
import TestSupport
import Testing

@testable import RecordEngine

/// Who has signed in before is not kept out by strangers at the same address of the network.
@Suite struct KnownBrowserTests {
    private typealias Ground = AccountGround

    private static func browser(_ cookie: String?, session: String? = nil) -> Accounts.Client {
        Accounts.Client(
            address: Ground.client.address, label: "Test", knownBrowser: cookie, session: session)
    }

    @Test func `An attacker polls for an hour, and the owner at the same address gets in`() async throws {
        try await TestCloud.run { cloud in
            let ground = Ground(cloud)
            try await ground.open()
            let made = try #require(try await ground.signUp("ada@example.org"))
            let cookie = ground.accounts.knownBrowser(of: "ada@example.org")
            for round in 0..<720 {
                // The victim's account by name, and made-up ones.
                for name in ["ada@example.org", "nobody\(round)@example.org"] {
                    _ = await ground.code { try await ground.signIn(name, password: "wrong") }
                }
                cloud.wait(milliseconds: 5_000)
            }
            #expect(await ground.code { try await ground.signIn("ada@example.org") } == "THROTTLED")
            let owner = Self.browser(cookie)
            #expect(try await ground.signIn("ada@example.org", from: owner).account == made.account)
            // A session's owner proves the password as well.
            try await ground.accounts.prove(
                Ground.password, of: made.account, client: Self.browser(nil, session: "s"))
        }
    }

    @Test func `A cookie is good for its account, and its guesses wait as well`() async throws {
        try await TestCloud.run { cloud in
            let ground = Ground(cloud)
            try await ground.open()
            try await ground.signUp("ada@example.org")
            try await ground.signUp("bob@example.org")
            let bobs = ground.accounts.knownBrowser(of: "bob@example.org")
            let own = ground.accounts.knownBrowser(of: "ada@example.org")
            #expect(own.utf8.count == bobs.utf8.count && own != bobs)
            for _ in 0..<AttemptLimits.freeAttempts {
                _ = await ground.code { try await ground.signIn("ada@example.org", password: "wrong") }
            }
            for wrong in [bobs, String(own.dropLast()), "", String(own.reversed())] {
                let client = Self.browser(wrong)
                #expect(
                    await ground.code { try await ground.signIn("ada@example.org", from: client) }
                        == "THROTTLED")
            }
            var codes: [String?] = []
            for _ in 0...AttemptLimits.freeAttempts {
                codes.append(
                    await ground.code {
                        try await ground.signIn(
                            "ada@example.org", password: "wrong", from: Self.browser(own))
                    })
            }
            #expect(codes.last == "THROTTLED")
        }
    }
}
