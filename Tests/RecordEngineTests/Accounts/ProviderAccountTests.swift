import Foundation
import RecordModel
import RecordStorage
import Synchronization
import TestSupport
import Testing

@testable import RecordEngine

/// Signing in with providers: which account an identity leads to, who is let in, and who set out and came back.
@Suite struct ProviderAccountTests {
    /// Says that somebody is whoever the code names.
    final class Identities: IdentityProviders {
        let known = Mutex<[String: ProvidedIdentity]>([:])
        let visits = Mutex<[ProviderVisit]>([])

        func address(of provider: SignInProviderRow, for visit: ProviderVisit) async throws -> String {
            visits.withLock { $0.append(visit) }
            return "https://id.example/authorize"
        }

        func identity(
            at provider: SignInProviderRow, code: String, for visit: ProviderVisit
        ) async throws -> ProvidedIdentity {
            // The way back knows what was sent out, without having kept it.
            #expect(
                visits.withLock { $0.contains { $0.verifier == visit.verifier && $0.nonce == visit.nonce } })
            guard let identity = known.withLock({ $0[code] }) else {
                throw ServiceError(.authenticationFailed, "An unknown code.")
            }
            return identity
        }
    }

    struct Walk {
        let ground: AccountGround
        let identities = Identities()
        let accounts: Accounts
        let provider: SignInProviderRow
        static let redirect = "http://localhost/back"

        init(_ cloud: TestCloud, issuer: String = "https://id.example") async throws {
            ground = AccountGround(cloud)
            accounts = Accounts(
                store: cloud.store, secret: ground.accounts.secret,
                environment: ground.accounts.environment, stretcher: ground.stretcher, post: ground.post,
                identities: identities, authenticated: cloud.service)
            provider = SignInProviderRow(
                tenant: ground.tenant, name: "example", title: "Example", issuer: issuer,
                clientID: "client", createdAt: 1)
            try await SignInProviders.add(provider, store: cloud.store)
            for (code, address) in [
                ("ada", "ada@example.org"), ("bob", "bob@example.com"), ("nobody", nil),
            ] {
                identities.known.withLock {
                    $0[code] = ProvidedIdentity(
                        issuer: issuer, subject: "subject-" + code,
                        address: address.flatMap { MailAddress($0) })
                }
            }
        }

        func arrival(session: String? = nil, user: String? = nil) async throws -> Accounts.Return? {
            let departure = try await accounts.depart(
                to: provider, redirect: Self.redirect, query: "lang=de", keeps: true, session: session)
            let state = identities.visits.withLock { $0.last?.state } ?? ""
            return accounts.arrival(
                state, cookie: departure.cookie, from: provider.name, in: ground.tenant,
                redirect: Self.redirect,
                carriedName: user.flatMap { accounts.carriedName(ofUser: $0, besides: state) })
        }

        /// - Parameter user: what the provider posts beside its answer.
        func signIn(
            _ code: String, user: String? = nil
        ) async throws -> (account: AccountRow, user: UserRow) {
            try await accounts.signIn(
                with: provider, code: code, after: #require(try await arrival(user: user)))
        }

        func session(
            of made: (account: AccountRow, user: UserRow)
        ) async throws -> Accounts.PageSession {
            let token = try await accounts.sessions.begin(
                .page, for: made.account, as: made.user, lasting: .short, label: "Browser")
            return try #require(try await accounts.pageSession(token, in: ground.tenant))
        }

        func connect(_ code: String, to account: AccountRow, user: String? = nil) async throws {
            try await accounts.connect(
                provider, code: code, after: #require(try await arrival(session: "s", user: user)),
                to: account,
                at: ground.place())
        }
    }

    @Test func `An identity leads to one account, by issuer and subject alone`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            try await walk.ground.open()
            let first = try await walk.signIn("ada")
            #expect(first.account.address == "ada@example.org")
            // Another address at the provider is the same person.
            walk.identities.known.withLock { $0["ada"]?.address = MailAddress("other@example.org") }
            #expect(try await walk.signIn("ada").user == first.user)
            // The same address from another issuer is not.
            var other = walk.provider
            other.name = "other"
            other.issuer = "https://other.example"
            try await SignInProviders.add(other, store: cloud.store)
            walk.identities.known.withLock {
                $0["eve"] = ProvidedIdentity(
                    issuer: other.issuer, subject: "subject-ada", address: MailAddress("ada@example.org"))
            }
            // A token of another issuer than the one that was asked is nobody's.
            #expect(await walk.ground.code { try await walk.signIn("eve") } == "AUTHENTICATION_FAILED")
            let arrival = try #require(try await walk.arrival())
            await #expect(throws: ProviderRefusal.addressTaken) {
                try await walk.accounts.signIn(with: other, code: "eve", after: arrival)
            }
            let made = try await cloud.store.read(.short) { try $0.accounts(after: "", limit: 9).count }
            #expect(made == 1)
        }
    }

    @Test func `An equal mail address connects nothing, and the owner connects it`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            try await walk.ground.open()
            let own = try #require(try await walk.ground.signUp("ada@example.org"))
            await #expect(throws: ProviderRefusal.addressTaken) { try await walk.signIn("ada") }
            let client = AccountGround.client
            let session = try await walk.session(of: own)
            #expect(
                await walk.ground.code {
                    try await walk.accounts.proveOwner(of: session, password: "wrong", client: client)
                } == "AUTHENTICATION_FAILED")
            try await walk.accounts.proveOwner(of: session, password: AccountGround.password, client: client)
            try await walk.connect("ada", to: own.account)
            #expect(try await walk.signIn("ada").user == own.user)
            #expect(walk.ground.post.mails.last?.kind == .connected)
            // Somebody else's account does not get it.
            let bob = try #require(try await walk.ground.signUp("bob@example.org"))
            await #expect(throws: ProviderRefusal.connectedElsewhere) {
                try await walk.connect("ada", to: bob.account)
            }
            // Taken away, it leads to the account no more.
            try await walk.accounts.disconnect(walk.provider, from: own.account, at: walk.ground.place())
            await #expect(throws: ProviderRefusal.addressTaken) { try await walk.signIn("ada") }
        }
    }

    @Test
    func `Without a password, only a sign-in of a moment ago changes what an account is connected with`()
        async throws
    {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            try await walk.ground.open()
            var session = try await walk.session(of: try await walk.signIn("ada"))
            try await walk.accounts.proveOwner(of: session, password: "", client: AccountGround.client)
            session.beganAt -= Accounts.presenceMilliseconds
            await #expect(throws: DepartureRefusal.signInAgain) {
                try await walk.accounts.proveOwner(of: session, password: "", client: AccountGround.client)
            }
        }
    }

    @Test func `The only way into an account stays`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            try await walk.ground.open()
            let made = try await walk.signIn("ada")
            await #expect(throws: ProviderRefusal.lastWay) {
                try await walk.accounts.disconnect(walk.provider, from: made.account, at: walk.ground.place())
            }
            // A link to the address that the provider has verified gives a password.
            try await walk.ground.accounts.mailLink(
                .reset, to: #require(MailAddress("ada@example.org")), at: walk.ground.place())
            let code = try #require(walk.ground.post.code(to: "ada@example.org"))
            _ = try await walk.ground.accounts.choosePassword(
                AccountGround.password, by: code, at: walk.ground.place())
            // The link has taken the provider away: somebody else may have made the account with it.
            #expect(try await walk.accounts.ways(into: made.account).issuers.isEmpty)
            await #expect(throws: ProviderRefusal.addressTaken) { try await walk.signIn("ada") }
            #expect(try await walk.ground.signIn("ada@example.org").user == made.user)
            try await walk.connect("ada", to: made.account)
            try await walk.accounts.disconnect(walk.provider, from: made.account, at: walk.ground.place())
        }
    }

    @Test func `The container's policy decides who gets an account`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let refused = "ACCESS_DENIED"
            #expect(await walk.ground.code { try await walk.signIn("ada") } == refused)
            _ = try await SignInPolicies.set(
                admission: .invited, invited: ["@example.org"], of: walk.ground.tenant, store: cloud.store)
            let ada = try await walk.signIn("ada")
            #expect(await walk.ground.code { try await walk.signIn("bob") } == refused)
            // An address that nobody has verified is on no list.
            #expect(await walk.ground.code { try await walk.signIn("nobody") } == refused)
            try await walk.ground.open()
            let nobody = try await walk.signIn("nobody")
            #expect(nobody.account.address.hasSuffix("@no-address.invalid"))
            #expect(try await walk.signIn("nobody").user == nobody.user)
            // No mail goes there, and nobody can ask for a link to it.
            let count = walk.ground.post.mails.count
            try await walk.ground.accounts.mailLink(
                .reset, to: #require(MailAddress(nobody.account.address)), at: walk.ground.place())
            #expect(walk.ground.post.mails.count == count)
            // Who is in stays in; a shut account does not.
            _ = try await SignInPolicies.set(
                admission: .operators, of: walk.ground.tenant, store: cloud.store)
            #expect(try await walk.signIn("ada").user == ada.user)
            try await AccountList.setDisabled(true, "ada@example.org", store: cloud.store)
            #expect(await walk.ground.code { try await walk.signIn("ada") } == "AUTHENTICATION_FAILED")
        }
    }

    @Test func `Only the browser that set out comes back, from that provider, in time`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let accounts = walk.accounts
            let tenant = walk.ground.tenant
            let departure = try await accounts.depart(
                to: walk.provider, redirect: Walk.redirect, query: "lang=de", keeps: true, session: nil)
            let state = try #require(walk.identities.visits.withLock { $0.last?.state })
            func arrival(
                _ state: String, cookie: String? = nil, from name: String = "example", in place: Tenant? = nil
            ) -> Accounts.Return? {
                accounts.arrival(
                    state, cookie: cookie ?? departure.cookie, from: name, in: place ?? tenant,
                    redirect: Walk.redirect)
            }
            let found = try #require(arrival(state))
            #expect(found.keeps && found.query == "lang=de" && found.session == nil)
            let production = Tenant(container: cloud.container, environment: .production)
            #expect(arrival(state, cookie: String(repeating: "0", count: 64)) == nil)
            #expect(arrival(state, cookie: "") == nil)
            #expect(arrival(state, from: "other") == nil)
            #expect(arrival(state, in: production) == nil)
            #expect(arrival("") == nil)
            // The last letter has bits that say nothing.
            for index in 0..<state.utf8.count - 1 where index % 7 == 0 {
                var bytes = Array(state.utf8)
                bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                #expect(arrival(String(decoding: bytes, as: UTF8.self)) == nil, "letter \(index)")
            }
            _ = cloud.wait(milliseconds: Accounts.visitSeconds * 1_000)
            #expect(arrival(state) == nil)
        }
    }

    @Test func `What cannot be a provider is refused`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            func refusal(_ change: (inout SignInProviderRow) -> Void) async -> String? {
                var row = walk.provider
                row.name = "second"
                row.issuer = "https://second.example"
                change(&row)
                return await walk.ground.code { try await SignInProviders.add(row, store: cloud.store) }
            }
            let bad: [(inout SignInProviderRow) -> Void] = [
                { $0.name = "../x" }, { $0.name = "" }, { $0.name = "A" },
                { $0.issuer = "http://evil.example" },
                { $0.issuer = "https://a.example/?x=1" }, { $0.issuer = "https://a:b@a.example" },
                { $0.issuer = walk.provider.issuer }, { $0.title = "" }, { $0.title = "a\nb" },
                { $0.clientID = "" }, { $0.scopes = "email" }, { $0.keyID = "k" }, { $0.team = "t" },
                { $0.secret = Array(repeating: 1, count: 9_000) },
            ]
            for (index, change) in bad.enumerated() {
                #expect(await refusal(change) == "BAD_REQUEST", "number \(index)")
            }
            #expect(await refusal { _ in } == nil)
            #expect(try await SignInProviders.list(of: walk.ground.tenant, store: cloud.store).count == 2)
            try await SignInProviders.remove("second", of: walk.ground.tenant, store: cloud.store)
            #expect(
                await walk.ground.code {
                    try await SignInProviders.remove("second", of: walk.ground.tenant, store: cloud.store)
                } == "NOT_FOUND")
        }
    }
}
