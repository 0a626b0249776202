import Foundation
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// Deleting an account: who may, what ends at once, and what is left of public records.
@Suite struct DepartureTests {
    private typealias Ground = AccountGround

    private static func session(
        of made: (account: AccountRow, user: UserRow), _ ground: Ground
    ) async throws -> Accounts.PageSession {
        let token = try await ground.accounts.sessions.begin(
            .page, for: made.account, as: made.user, lasting: .short, label: "Browser")
        return try #require(try await ground.accounts.pageSession(token, in: ground.tenant))
    }

    /// Leaves an account that is signed in to through a provider alone.
    private static func replacePassword(of account: AccountRow, in cloud: TestCloud) async throws {
        try await cloud.store.write { store in
            try store.deleteCredential(.password, named: account.id)
            try store.store(
                CredentialRow(
                    account: account.id, kind: .provider, name: "https://id.example s", secret: [],
                    createdAt: 1))
        }
    }

    @Test func `Only the password deletes an account, and everything that lets somebody in ends at once`()
        async throws
    {
        try await TestCloud.run { cloud in
            let ground = Ground(cloud)
            try await ground.open()
            let made = try #require(try await ground.signUp("ada@example.org"))
            let other = try #require(try await ground.signUp("bob@example.org"))
            let session = try await Self.session(of: made, ground)
            let web = try await ground.accounts.sessions.begin(
                .web, for: made.account, as: made.user, lasting: .long, label: "App")
            try await cloud.addToken("adas", .web, ground.tenant, user: made.user.recordName)
            let key = try await ServerKeys.create(
                tenant: ground.tenant, label: "ada's", user: made.user, publicKey: nil, store: cloud.store,
                environment: ground.accounts.environment)
            #expect(try await ground.accounts.holdings(of: made.account).map(\.tenant) == [ground.tenant])

            #expect(
                await ground.code {
                    try await ground.accounts.delete(
                        session, password: "a wrong one", code: "", at: ground.place(), client: Ground.client)
                } == "AUTHENTICATION_FAILED")
            #expect(try await cloud.store.read(.short) { try $0.account(made.account.id) } == made.account)
            try await ground.accounts.delete(
                session, password: Ground.password, code: "", at: ground.place(), client: Ground.client)

            try await cloud.store.read(.short) { store throws in
                #expect(try store.account(made.account.id) == nil)
                #expect(try store.credentials(of: made.account.id).isEmpty)
                #expect(try store.sessions(of: made.account.id).isEmpty)
                #expect(try store.users(ofAccount: made.account.id).isEmpty)
                #expect(try store.token(digest: AccessToken.digest(web)) == nil)
                let mine = try store.identifiedTokens(of: ground.tenant).filter {
                    $0.row.user == made.user.recordName || $0.digest.hex == key.id
                }
                #expect(mine.isEmpty)
                #expect(try store.erasures(limit: 9).map(\.user) == [made.user.recordName])
                #expect(try store.account(other.account.id) != nil)
                let log = try store.audit(before: nil, limit: 9)
                #expect(log.contains { $0.action == "account.delete" && $0.subject == "ada@example.org" })
            }
            #expect(ground.post.mails.last?.kind == .deleted)
            #expect(
                await ground.code { try await ground.signIn("ada@example.org") } == "AUTHENTICATION_FAILED")
            // The address is free, and is somebody else's from now on.
            let again = try #require(try await ground.signUp("ada@example.org"))
            #expect(again.user.recordName != made.user.recordName)
        }
    }

    @Test func `A second step is asked for, and who has no password has to have signed in lately`()
        async throws
    {
        try await TestCloud.run { cloud in
            let ground = Ground(cloud)
            try await ground.open()
            let made = try #require(try await ground.signUp("ada@example.org"))
            var session = try await Self.session(of: made, ground)
            let secret = Array(repeating: UInt8(5), count: OneTimeCode.secretBytes)
            try await cloud.store.write { store in
                try store.store(
                    CredentialRow(
                        account: made.account.id, kind: .oneTimeCode, name: made.account.id,
                        secret: secret + Array(repeating: 0, count: 8), createdAt: 1))
            }
            await #expect(throws: DepartureRefusal.wrongCode) {
                try await ground.accounts.delete(
                    session, password: Ground.password, code: "000", at: ground.place(), client: Ground.client
                )
            }
            try await Self.replacePassword(of: made.account, in: cloud)
            session.beganAt -= Accounts.presenceMilliseconds
            await #expect(throws: DepartureRefusal.signInAgain) {
                try await ground.accounts.delete(
                    session, password: "", code: "", at: ground.place(), client: Ground.client)
            }
            await #expect(throws: DepartureRefusal.signInAgain) {
                try await ground.accounts.proveOwner(of: session, password: "", client: Ground.client)
            }
            session = try await Self.session(of: made, ground)
            let code = OneTimeCode.code(of: secret, step: cloud.wait(milliseconds: 0) / 30_000)
            try await ground.accounts.delete(
                session, password: "", code: code, at: ground.place(), client: Ground.client)
            #expect(try await cloud.store.read(.short) { try $0.account(made.account.id) } == nil)
        }
    }

    @Test func `Other sessions are ended for who shows the password, or has just signed in without one`()
        async throws
    {
        try await TestCloud.run { cloud in
            let ground = Ground(cloud)
            try await ground.open()
            let made = try #require(try await ground.signUp("ada@example.org"))
            let own = try await Self.session(of: made, ground)
            let phone = try await Self.session(of: made, ground)
            let desk = try await Self.session(of: made, ground)
            func end(_ id: String?, _ password: String, by session: Accounts.PageSession) async throws {
                try await ground.accounts.endOther(
                    id, by: session, password: password, in: ground.tenant, client: Ground.client)
            }
            func left() async throws -> Set<String> {
                Set(try await ground.accounts.sessions(of: made.account, in: ground.tenant).map(\.id))
            }
            let all = try await left()
            #expect(all.isSuperset(of: [own.id, phone.id, desk.id]))
            for id in [phone.id, nil] {
                #expect(
                    await ground.code { try await end(id, "a wrong one", by: own) } == "AUTHENTICATION_FAILED"
                )
            }
            #expect(try await left() == all)
            try await end(phone.id, Ground.password, by: own)
            #expect(try await left() == all.subtracting([phone.id]))

            try await Self.replacePassword(of: made.account, in: cloud)
            var old = own
            old.beganAt -= Accounts.presenceMilliseconds
            let stale = old
            await #expect(throws: DepartureRefusal.signInAgain) { try await end(nil, "", by: stale) }
            #expect(try await left() == all.subtracting([phone.id]))
            try await end(nil, "", by: own)
            #expect(try await left() == [own.id])
        }
    }

    @Test(arguments: ErasureRow.PublicRecords.allCases)
    func `Public records follow what the operator said`(_ rule: ErasureRow.PublicRecords) async throws {
        try await TestCloud.run { cloud in
            let tenant = Tenant(container: cloud.container, environment: .development)
            _ = try await SignInPolicies.set(publicRecords: rule, of: tenant, store: cloud.store)
            let alice = TestCloud.Sender.alice.userName
            try await cloud.store.write { store in
                try store.insert(
                    UserRow(tenant: tenant, recordName: alice, label: "alice", createdAt: 1))
            }
            try await cloud.save("post", ["n": ["value": 1]], in: .public)
            try await cloud.save("other", ["n": ["value": 2]], as: .bob, in: .public)
            try await cloud.save("secret", ["n": ["value": 3]])
            try await cloud.makeZones("Zone")
            try await cloud.save("tracked", ["n": ["value": 4]], zone: "Zone")
            let other = try await cloud.record("other", as: .bob, in: .public)

            try await Users.remove("alice", from: tenant, now: 1, store: cloud.store)
            // Tokens are remembered for some seconds; a new service has none of that.
            try await cloud.reopen()
            #expect(try await cloud.send(.usersCaller, [:], as: .alice).status != 200)
            var done: Set<ErasureRow> = []
            try await cloud.service.eraseUsers(passing: &done) { _, _ in }
            let post = try await cloud.record("post", as: .bob, in: .public)
            switch rule {
            case .keep:
                #expect(post?["created"]["userRecordName"] == .string(Erasures.nobody))
                #expect(post?["modified"]["userRecordName"] == .string(Erasures.nobody))
                #expect(post?["fields"]["n"]["value"] == 1)
            case .remove: #expect(post == nil)
            }
            #expect(try await cloud.record("other", as: .bob, in: .public) == other)
            try await cloud.store.read(.short) { store throws in
                let database = try #require(try store.database(DatabaseID(tenant: tenant, owner: alice)))
                #expect(try store.usage(of: database).records == 0)
                #expect(try store.zones(in: database).map(\.name) == [ZoneID.defaultName])
            }
        }
    }

    @Test func `A user with an account goes with the account`() async throws {
        try await TestCloud.run { cloud in
            let ground = Ground(cloud)
            try await ground.open()
            _ = try #require(try await ground.signUp("ada@example.org"))
            #expect(
                await ground.code {
                    try await Users.remove("ada@example.org", from: ground.tenant, now: 1, store: cloud.store)
                } == "BAD_REQUEST")
            let users = try await AccountList.remove("Ada@Example.org", now: 1, store: cloud.store)
            #expect(users.map(\.tenant) == [ground.tenant])
            #expect(
                await ground.code {
                    try await AccountList.remove("ada@example.org", now: 1, store: cloud.store)
                }
                    == "NOT_FOUND")
        }
    }
}
