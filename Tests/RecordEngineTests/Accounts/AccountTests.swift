import Foundation
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// Accounts by address and password: how they are made, found, changed and kept from strangers.
@Suite struct AccountTests {
    private typealias Ground = AccountGround

    @Test func `Who follows the mailed link and chooses a password may sign in`() async throws {
        try await TestCloud.run { cloud in
            let ground = Ground(cloud)
            try await ground.open()
            let made = try #require(try await ground.signUp(" Ada@Example.org "))
            #expect(made.account.address == "ada@example.org")
            #expect(made.user.recordName.wholeMatch(of: /_[0-9a-f]{32}/) != nil)
            #expect(try await ground.signIn("ada@EXAMPLE.org").user == made.user)
            // The link is used up, also for looking.
            let code = try #require(ground.post.code(to: "ada@example.org"))
            #expect(try await ground.accounts.link(code) == nil)
            #expect(
                try await ground.accounts.choosePassword("another raven", by: code, at: ground.place()) == nil
            )
            let rows = try await cloud.store.read(.short) { try $0.credentials(of: made.account.id) }
            let secret = String(decoding: rows[0].secret, as: UTF8.self)
            #expect(secret.hasPrefix("scrypt$15$8$3$") && !secret.contains("raven"))
        }
    }

    @Test func `A mail that cannot be written is noted, since nobody waits for it`() async throws {
        try await TestCloud.run { cloud in
            let ground = Ground(cloud)
            try await ground.open()
            await cloud.close()
            try ground.accounts.requestLink(
                .signUp, to: "ada@example.org", at: ground.place(), client: Ground.client)
            #expect(try await eventually { ground.post.failures.count == 1 })
            #expect(ground.post.mails.isEmpty)
            #expect(ground.post.failures.first?.contains("ada@") == false)
        }
    }

    @Test func `A container knows an account by a name that tells nothing of its other names`() async throws {
        try await TestCloud.run { cloud in
            let ground = Ground(cloud)
            let other = Tenant(container: try ContainerID("iCloud.other"), environment: .development)
            let production = Tenant(container: cloud.container, environment: .production)
            for tenant in [ground.tenant, other, production] { try await ground.open(tenant) }
            let made = try #require(try await ground.signUp("ada@example.org"))
            let there = try await ground.signIn("ada@example.org", in: other)
            #expect(there.account == made.account)
            #expect(there.user.recordName != made.user.recordName)
            #expect(
                try await ground.signIn("ada@example.org", in: production).user.recordName
                    == made.user.recordName)
            // Another installation gives other names to the same account.
            let foreign = Accounts(
                store: cloud.store, secret: ServiceSecret(bytes: Array(repeating: 8, count: 32)),
                environment: ground.accounts.environment, stretcher: ground.stretcher, post: ground.post)
            #expect(
                foreign.recordName(of: made.account.id, in: ground.tenant) != made.user.recordName)
            #expect(!made.user.recordName.contains(made.account.id.prefix(8)))
        }
    }

    @Test func `Unknown address and wrong password have one answer and cost one stretching`() async throws {
        try await TestCloud.run { cloud in
            let ground = Ground(cloud)
            try await ground.open()
            try await ground.signUp("ada@example.org")
            try await ground.signUp("shut@example.org")
            try await AccountList.setDisabled(true, "shut@example.org", store: cloud.store)
            var answers: Set<String> = []
            for (address, password) in [
                ("ada@example.org", "wrong password"), ("nobody@example.org", Ground.password),
                ("shut@example.org", Ground.password), ("no address", Ground.password), ("", ""),
                ("nobody2@example.org", String(repeating: "x", count: 5_000)),
            ] {
                let before = ground.stretcher.count
                do {
                    _ = try await ground.signIn(address, password: password)
                    Issue.record("\(address) came in")
                } catch { answers.insert("\(ServiceError(describing: error))") }
                #expect(ground.stretcher.count == before + 1, "\(address)")
            }
            #expect(answers.count == 1)
        }
    }

    @Test func `A container lets in whom its policy says`() async throws {
        try await TestCloud.run { cloud in
            let ground = Ground(cloud)
            #expect(try await ground.signUp("ada@example.org") == nil)
            #expect(ground.post.mails.isEmpty)
            _ = try await SignInPolicies.set(
                admission: .invited, invited: ["@Example.org", "bob@elsewhere.example"], of: ground.tenant,
                store: cloud.store)
            #expect(try await ground.signUp("ada@example.org") != nil)
            #expect(try await ground.signUp("bob@elsewhere.example") != nil)
            #expect(try await ground.signUp("eve@elsewhere.example") == nil)
            #expect(try await ground.signUp("eve@sub.example.org") == nil)
            // An account of one container comes into another only as that one says.
            let other = Tenant(container: try ContainerID("iCloud.other"), environment: .development)
            #expect(
                await ground.code { try await ground.signIn("ada@example.org", in: other) } == "ACCESS_DENIED"
            )
            #expect(try await ground.accounts.invite("ada@example.org", to: other) == nil)
            #expect(await ground.code { try await ground.signIn("ada@example.org", in: other) } == nil)
            // Operators invite whom they like.
            let path = try #require(try await ground.accounts.invite("eve@elsewhere.example", to: other))
            let code = try #require(
                path.split(separator: "/").last?.split(separator: "?").first.map(String.init))
            #expect(
                try await ground.accounts.choosePassword(Ground.password, by: code, at: ground.place(other))
                    != nil)
            #expect(await ground.code { try await ground.signIn("eve@elsewhere.example", in: other) } == nil)
            for wrong in ["example.org", "@", "@-a", "a@b@c", "a b@c.org"] {
                #expect(
                    await ground.code {
                        try await SignInPolicies.set(invited: [wrong], of: other, store: cloud.store)
                    } == "BAD_REQUEST", "\(wrong)")
            }
        }
    }

    @Test func `A link is good once and for a while, and a new password ends all sessions`() async throws {
        try await TestCloud.run { cloud in
            let ground = Ground(cloud)
            try await ground.open()
            let made = try #require(try await ground.signUp("ada@example.org"))
            let token = try await ground.accounts.sessions.begin(
                .web, for: made.account, as: made.user, lasting: .long, label: "")
            let credentials = Credentials(apiToken: "\(ground.tenant)-api", webAuthToken: token)
            func ask() async throws -> String? {
                try await cloud.send(
                    .zonesList, bytes: [], credentials: credentials, tenant: ground.tenant, in: .private
                ).code
            }
            #expect(try await ask() == nil)
            let address = try #require(MailAddress("ada@example.org"))
            // Asking for an account again is answered by mail alone.
            try await ground.accounts.mailLink(.signUp, to: address, at: ground.place())
            #expect(ground.post.mails.last?.kind == .known)
            try await ground.accounts.mailLink(.reset, to: address, at: ground.place())
            #expect(ground.post.mails.last?.kind == .reset)
            let code = try #require(ground.post.code(to: address.text))
            cloud.wait(milliseconds: Accounts.linkMilliseconds)
            #expect(
                try await ground.accounts.choosePassword("another raven", by: code, at: ground.place()) == nil
            )
            try await ground.accounts.mailLink(.reset, to: address, at: ground.place())
            let next = try #require(ground.post.code(to: address.text))
            #expect(next != code)
            #expect(
                try await ground.accounts.choosePassword("another raven", by: next, at: ground.place())?.user
                    == made.user)
            #expect(try await ask() == "AUTHENTICATION_REQUIRED")
            #expect(
                await ground.code { try await ground.signIn("ada@example.org") } == "AUTHENTICATION_FAILED")
            #expect(
                await ground.code {
                    try await ground.signIn("ada@example.org", password: "another raven")
                } == nil)
            // Nobody who is unknown gets a mail that says so.
            let count = ground.post.mails.count
            let unknown = try #require(MailAddress("nobody@example.org"))
            try await ground.accounts.mailLink(.reset, to: unknown, at: ground.place())
            #expect(ground.post.mails.count == count)
        }
    }

    @Test func `Two who use one link at once have one account`() async throws {
        try await TestCloud.run { cloud in
            let ground = Ground(cloud)
            try await ground.open()
            let address = try #require(MailAddress("ada@example.org"))
            try await ground.accounts.mailLink(.signUp, to: address, at: ground.place())
            let code = try #require(ground.post.code(to: address.text))
            let done = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        try await ground.accounts.choosePassword(
                            "raven number \(number)", by: code, at: ground.place()) != nil
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(done == 1)
        }
    }

    @Test func `An address is changed by who knows the password and reads the mail`() async throws {
        try await TestCloud.run { cloud in
            let ground = Ground(cloud)
            try await ground.open()
            let made = try #require(try await ground.signUp("ada@example.org"))
            try await ground.signUp("bob@example.org")
            let accounts = ground.accounts
            #expect(
                await ground.code {
                    try await accounts.requestAddress(
                        "new@example.org", for: made.account, password: "wrong password", at: ground.place(),
                        client: Ground.client)
                } == "AUTHENTICATION_FAILED")
            let new = try #require(MailAddress("new@example.org"))
            try await accounts.mailAddressLink(to: new, for: made.account, at: ground.place())
            let code = try #require(ground.post.code(to: new.text))
            // It is not a link for a password.
            #expect(try await accounts.choosePassword("another raven", by: code, at: ground.place()) == nil)
            #expect(try await accounts.confirmAddress(by: code, at: ground.place()))
            #expect(try await !accounts.confirmAddress(by: code, at: ground.place()))
            #expect(ground.post.mails.last?.kind == .addressChanged)
            #expect(ground.post.mails.last?.address.text == "ada@example.org")
            #expect(
                await ground.code { try await ground.signIn("ada@example.org") } == "AUTHENTICATION_FAILED")
            let there = try await ground.signIn("new@example.org")
            #expect(there.user.recordName == made.user.recordName && there.user.label == "new@example.org")
            // An address that is somebody's gets no link.
            let count = ground.post.mails.count
            let taken = try #require(MailAddress("bob@example.org"))
            try await accounts.mailAddressLink(to: taken, for: there.account, at: ground.place())
            #expect(ground.post.mails.count == count)
        }
    }

    @Test func `Mails that one app's page asks for use up none of another's`() async throws {
        try await TestCloud.run { cloud in
            let ground = Ground(cloud)
            let other = Tenant(container: try ContainerID("iCloud.other"), environment: .development)
            try await ground.open()
            try await ground.open(other)
            let address = try #require(MailAddress("ada@example.org"))
            for _ in 0..<20 {
                try await ground.accounts.mailLink(.signUp, to: address, at: ground.place(other))
            }
            try await ground.accounts.mailLink(.signUp, to: address, at: ground.place())
            #expect(ground.post.mails.count == MailLimits.mostToAddress + 1)
            #expect(ground.post.mails.last?.tenant == ground.tenant)
        }
    }

    @Test func `Who is unknown costs a write as well, of a link that is good for nothing`() async throws {
        try await TestCloud.run { cloud in
            let ground = Ground(cloud)
            let accounts = Accounts(
                store: cloud.store, secret: ground.accounts.secret,
                environment: ServiceEnvironment(
                    now: { cloud.wait(milliseconds: 1) }, random: { Array(repeating: 9, count: $0) }),
                stretcher: ground.stretcher, post: ground.post, authenticated: cloud.service)
            let unknown = try #require(MailAddress("nobody@example.org"))
            try await accounts.mailLink(.reset, to: unknown, at: ground.place())
            let code = AccessToken.make(random: Array(repeating: 9, count: 32))
            let digest = AccessToken.digest(code)
            let row = try await cloud.store.read(.short) { try $0.accountLink(digest: digest) }
            #expect(row?.purpose == .dead && row?.account == nil)
            #expect(try await accounts.link(code) == nil)
            #expect(
                try await accounts.choosePassword("another raven", by: code, at: ground.place()) == nil)
            #expect(ground.post.mails.isEmpty)
        }
    }

    @Test func `Mails to one address are few`() async throws {
        try await TestCloud.run { cloud in
            let ground = Ground(cloud)
            try await ground.open()
            let address = try #require(MailAddress("ada@example.org"))
            for _ in 0..<20 { try await ground.accounts.mailLink(.signUp, to: address, at: ground.place()) }
            #expect(ground.post.mails.count == MailLimits.mostToAddress)
            cloud.wait(milliseconds: MailLimits.windowMilliseconds)
            try await ground.accounts.mailLink(.signUp, to: address, at: ground.place())
            #expect(ground.post.mails.count == MailLimits.mostToAddress + 1)
        }
    }

    @Test(arguments: [
        "a@b", "ada.lovelace+x@example.org", "o'brien@sub.example.co.uk", "1@2.3",
    ])
    func `Plain addresses are read`(_ text: String) {
        #expect(MailAddress(text)?.text == text)
    }

    @Test(arguments: [
        "", "a", "@", "a@", "@b", "a@b@c", "a b@c", "a@b c", "a@b\r\nBcc: c@d", "a\n@b", "<a@b>", "a@b,c@d",
        "\"a b\"@c", "a@[127.0.0.1]", ".a@b", "a.@b", "a..b@c", "a@-b", "a@b-", "a@b..c", "ä@b", "a@ö",
        String(repeating: "a", count: 65) + "@b", "a@" + String(repeating: "b", count: 64),
        "a@" + String(repeating: "b.", count: 126) + "b", "a\u{0}@b", "a;b@c", "a(b)@c", "a:b@c",
    ])
    func `What could be more than one plain address is refused`(_ text: String) {
        #expect(MailAddress(text) == nil)
    }
}
