import RecordModel
import RecordStorage
import TestSeeds
import Testing

/// Accounts, what shows that they are somebody's, and sign-ins, alike on every engine.
enum AccountRules {
    static let all = [
        accountGoes, providers, sessions, links, discovery, disabling, sessionsOfApps,
    ]

    private static func session(_ id: String, _ tenant: Tenant, of account: String, endsAt: Int64 = 100)
        -> SessionRow
    {
        SessionRow(
            id: id, tenant: tenant, user: "_u", account: account, label: "Browser ü", createdAt: 5, seenAt: 6,
            endsAt: endsAt, idleMilliseconds: 7)
    }

    private static func token(
        _ tenant: Tenant, session: String, previous: [UInt8]? = nil, expiresAt: Int64? = 90
    ) -> TokenRow {
        TokenRow(
            kind: .web, tenant: tenant, user: "_u", label: "", createdAt: 5, expiresAt: expiresAt,
            succession: TokenSuccession(session: session, previous: previous))
    }

    static let discovery = StoreRule("Users are listed while they allow it, in the order of their names") {
        engine in
        try await engine.run { store in
            let tenant = try Ground.tenant()
            let other = try Ground.tenant("iCloud.other")
            try await store.write { store in
                for (place, name) in [(tenant, "_b"), (tenant, "_a"), (tenant, "_C"), (other, "_d")] {
                    try store.insert(UserRow(tenant: place, recordName: name, label: name, createdAt: 0))
                    try store.setDiscovery(
                        UserDiscovery(isAllowed: true, givenName: name, familyName: "ß"),
                        ofUserNamed: name, tenant: place)
                }
                try store.insert(UserRow(tenant: tenant, recordName: "_e", label: "_e", createdAt: 0))
            }
            try await store.read(.short) { store throws in
                let users = try store.discoverableUsers(of: tenant, after: "", limit: 9)
                #expect(users.map(\.recordName) == ["_C", "_a", "_b"])
                #expect(users.map(\.discovery.givenName) == ["_C", "_a", "_b"])
                #expect(
                    try store.discoverableUsers(of: tenant, after: "_C", limit: 1).map(\.recordName)
                        == ["_a"])
                #expect(try store.user(named: "_e", of: tenant)?.discovery == UserDiscovery())
            }
            try await store.write { store in
                try store.setDiscovery(
                    UserDiscovery(isAllowed: false), ofUserNamed: "_a", tenant: tenant)
            }
            try await store.read(.short) { store throws in
                #expect(
                    try store.discoverableUsers(of: tenant, after: "", limit: 9).map(\.recordName)
                        == ["_C", "_b"])
                #expect(try store.discoverableUsers(of: other, after: "", limit: 9).count == 1)
            }
        }
    }

    static let disabling = StoreRule("Users are shut out and let in again by themselves") { engine in
        try await engine.run { store in
            let tenant = try Ground.tenant()
            try await store.write { store in
                for name in ["_a", "_b"] {
                    try store.insert(UserRow(tenant: tenant, recordName: name, label: name, createdAt: 0))
                }
                try store.setDisabled(true, ofUserNamed: "_a", tenant: tenant)
                try store.setDisabled(true, ofUserNamed: "_nobody", tenant: tenant)
            }
            try await store.read(.short) { store throws in
                #expect(try store.user(named: "_a", of: tenant)?.isDisabled == true)
                #expect(try store.user(named: "_b", of: tenant)?.isDisabled == false)
                #expect(try store.users(of: tenant).filter(\.isDisabled).map(\.recordName) == ["_a"])
            }
            try await store.write { try $0.setDisabled(false, ofUserNamed: "_a", tenant: tenant) }
            #expect(
                try await store.read(.short) { try $0.user(named: "_a", of: tenant)?.isDisabled } == false)
        }
    }

    static let sessionsOfApps = StoreRule("The sessions of an API token's app end together") { engine in
        try await engine.run { store in
            let tenant = try Ground.tenant()
            let apps: [(id: String, app: [UInt8]?)] = [
                ("r", [1, 0]), ("s", [1, 0]), ("t", [2]), ("u", nil),
            ]
            try await store.write { store in
                try store.store(AccountRow(id: "a", address: "a@example.org", createdAt: 3))
                for (index, (id, app)) in apps.enumerated() {
                    var session = Self.session(id, tenant, of: "a")
                    session.apiToken = app
                    try store.store(session)
                    try store.insert(Self.token(tenant, session: id), digest: [9, UInt8(index)])
                }
            }
            try await store.read(.short) { store throws in
                for (id, app) in apps { #expect(try store.session(id)?.apiToken == app) }
            }
            try await store.write { try $0.deleteSessions(ofAPIToken: [1, 0]) }
            try await store.read(.short) { store throws in
                #expect(try store.sessions(of: "a").map(\.id) == ["t", "u"])
                #expect(try store.token(digest: [9, 0]) == nil)
                #expect(try store.token(digest: [9, 1]) == nil)
                #expect(try store.token(digest: [9, 2]) != nil)
            }
        }
    }

    static let accountGoes = StoreRule("An account goes with all that lets somebody in") { engine in
        try await engine.run { store in
            let tenant = try Ground.tenant()
            let policy = SignInPolicyRow(
                tenant: tenant, admission: .invited, invited: ["@b.example", "ä@example"], title: "Spieler ü",
                color: "#0a3d62", logo: [0x89, 0, 255], showsShares: true,
                appLink: "ä://{link}", linkedApps: ["A.b", "c/D"], mutesInvitations: true)
            let rows = ["b", "a"].map {
                AccountRow(id: $0, address: "\($0)@example.org", createdAt: 3, isDisabled: $0 == "b")
            }
            let credential = CredentialRow(
                account: "a", kind: .password, name: "a", secret: [0, 1, 255], createdAt: 4)
            let link = AccountLinkRow(
                purpose: .address, account: "a", address: "new@example.org", tenant: tenant, apiToken: "t",
                createdAt: 1, expiresAt: 50)
            let user = UserRow(
                tenant: tenant, recordName: "_u", label: "a@example.org", createdAt: 5, account: "a",
                discovery: UserDiscovery(isAllowed: false, givenName: "Ä", familyName: "B\u{0}C"),
                isDisabled: true)
            try await store.write { store in
                for row in rows { try store.store(row) }
                try store.store(credential)
                try store.insert(link, digest: [1])
                try store.insert(user)
                try store.store(Self.session("s", tenant, of: "a"))
                try store.insert(Self.token(tenant, session: "s", previous: [9]), digest: [2])
                try store.store(policy)
            }
            try await store.read(.short) { store throws in
                #expect(try store.accounts(after: "", limit: 9).map(\.id) == ["a", "b"])
                #expect(try store.accounts(after: "a@example.org", limit: 1) == [rows[0]])
                #expect(try store.account(withAddress: "a@example.org") == rows[1])
                #expect(try store.account("b")?.isDisabled == true)
                #expect(try store.credentials(of: "a") == [credential])
                #expect(try store.credentials(of: "b").isEmpty)
                #expect(try store.accountLink(digest: [1]) == link)
                #expect(try store.session("s") == Self.session("s", tenant, of: "a"))
                #expect(try store.sessions(of: "a").map(\.id) == ["s"])
                #expect(try store.users(ofAccount: "a") == [user])
                #expect(try store.userName(labelled: "a@example.org", of: tenant) == "_u")
                #expect(try store.userName(labelled: "_u", of: tenant) == nil)
                #expect(try store.user(named: "_u", of: tenant) == user)
                #expect(try store.users(of: tenant, limit: 9) == [user])
                #expect(try store.discoverableUsers(of: tenant, after: "", limit: 9).isEmpty)
                #expect(try store.user(named: "_u", of: tenant)?.account == "a")
                #expect(try store.token(digest: [2]) == Self.token(tenant, session: "s", previous: [9]))
                #expect(try store.signInPolicy(of: tenant) == policy)
                // Lists are of what operators made.
                #expect(try store.identifiedTokens(of: tenant).isEmpty)
                #expect(try store.accessCounts(of: tenant).tokens == 0)
            }
            await #expect(throws: (any Error).self) {
                try await store.write {
                    try $0.store(AccountRow(id: "c", address: "a@example.org", createdAt: 0))
                }
            }
            try await store.write { store in
                var other = credential
                other.secret = [7]
                try store.store(other)
                try store.setLabel("new", ofUserNamed: "_u", tenant: tenant)
                #expect(try store.credentials(of: "a") == [other])
                #expect(try store.user(named: "_u", of: tenant)?.label == "new")
                try store.deleteAccount("a")
            }
            try await store.read(.short) { store throws in
                #expect(try store.account("a") == nil && store.account("b") != nil)
                #expect(try store.credentials(of: "a").isEmpty)
                #expect(try store.accountLink(digest: [1]) == nil)
                #expect(try store.session("s") == nil && store.token(digest: [2]) == nil)
                #expect(try store.user(named: "_u", of: tenant) != nil)
            }
        }
    }

    static let providers = StoreRule("Providers belong to a tenant, and identities lead to one account") {
        engine in
        try await engine.run { store in
            let tenant = try Ground.tenant()
            let other = Tenant(container: try ContainerID("iCloud.other"), environment: .production)
            @Sendable func row(_ name: String, _ tenant: Tenant, title: String = "Anbieter ü")
                -> SignInProviderRow
            {
                SignInProviderRow(
                    tenant: tenant, name: name, title: title, issuer: "https://id.example", clientID: "c",
                    secret: [0, 255], keyID: "k", team: "t", scopes: "openid", postsForm: true, createdAt: 7)
            }
            let identity = CredentialRow(
                account: "a", kind: .provider, name: "https://id.example ü", secret: [], createdAt: 4)
            try await store.write { store in
                try store.store(AccountRow(id: "a", address: "a@example.org", createdAt: 3))
                try store.store(identity)
                for row in [row("b", tenant), row("a", tenant), row("a", other)] { try store.store(row) }
                try store.store(row("b", tenant, title: "new"))
            }
            try await store.read(.short) { store throws in
                #expect(
                    try store.signInProviders(of: tenant) == [
                        row("a", tenant), row("b", tenant, title: "new"),
                    ])
                #expect(try store.credential(.provider, named: identity.name) == identity)
                #expect(try store.credential(.password, named: identity.name) == nil)
                #expect(try store.credential(.provider, named: "https://id.example") == nil)
            }
            try await store.write { store in
                try store.deleteSignInProvider(named: "a", of: tenant)
                try store.deleteAccount("a")
            }
            try await store.read(.short) { store throws in
                #expect(try store.signInProviders(of: tenant).map(\.name) == ["b"])
                #expect(try store.signInProviders(of: other) == [row("a", other)])
                #expect(try store.credential(.provider, named: identity.name) == nil)
            }
        }
    }

    static let sessions = StoreRule("Sessions that ended are forgotten with their tokens") { engine in
        try await engine.run { store in
            let tenant = try Ground.tenant()
            try await store.write { store in
                try store.store(AccountRow(id: "a", address: "a@example.org", createdAt: 0))
                for (number, (id, end, tokenEnd)) in [
                    ("over", 99, 99), ("idle", 200, 99), ("good", 200, 100),
                ]
                .enumerated() {
                    try store.store(Self.session(id, tenant, of: "a", endsAt: Int64(end)))
                    try store.insert(
                        Self.token(tenant, session: id, expiresAt: Int64(tokenEnd)), digest: [UInt8(number)])
                }
                try store.insert(Self.token(tenant, session: "good", previous: [2]), digest: [5])
                try store.setSuccession(
                    TokenSuccession(session: "good", replacedAt: 40), expiresAt: 100, ofToken: [2])
                try store.insert(
                    TokenRow(
                        kind: .api, tenant: tenant, user: nil, label: "", createdAt: 0, expiresAt: nil,
                        callback: "https://app.example/in",
                        origins: ["https://a.example", "https://b.example"], asksForPeople: true),
                    digest: [8])
                // In steps of two: "good" and "idle" first, whose ids come first.
                #expect(try store.deleteSessions(endedBefore: 100, after: "", limit: 2) == "idle")
                #expect(try store.sessions(of: "a").map(\.id).sorted() == ["good", "over"])
                #expect(try store.deleteSessions(endedBefore: 100, after: "idle", limit: 2) == "over")
                #expect(try store.deleteSessions(endedBefore: 100, after: "over", limit: 2) == nil)
            }
            try await store.read(.short) { store throws in
                #expect(try store.sessions(of: "a").map(\.id) == ["good"])
                #expect(try [0, 1].allSatisfy { try store.token(digest: [$0]) == nil })
                #expect(try store.token(digest: [2])?.succession?.replacedAt == 40)
                #expect(try store.token(digest: [8])?.asksForPeople == true)
                #expect(try store.token(digest: [2])?.asksForPeople == false)
                #expect(try store.token(digest: [5])?.succession?.previous == [2])
                #expect(try store.token(digest: [8])?.callback == "https://app.example/in")
                #expect(
                    try store.token(digest: [8])?.origins == ["https://a.example", "https://b.example"])
                #expect(try store.identifiedTokens(of: tenant).map(\.digest) == [[8]])
            }
            try await store.write { store in
                try store.deleteTokens(of: "good", replacedBefore: 41)
                #expect(try store.token(digest: [2]) == nil && store.token(digest: [5]) != nil)
                try store.deleteSession("good")
                #expect(try store.token(digest: [5]) == nil && store.token(digest: [8]) != nil)
            }
        }
    }

    static let links = StoreRule("Links end by their time, by their address and by their account") { engine in
        try await engine.run { store in
            let tenant = try Ground.tenant()
            try await store.write { store in
                for (number, (account, address, end)) in [
                    ("a", "x@example.org", 10), (nil, "x@example.org", 20), ("a", "y@example.org", 20),
                    (nil, "z@example.org", 20), ("b", "z2@example.org", 20),
                ].enumerated() as EnumeratedSequence<[(String?, String, Int64)]> {
                    try store.insert(
                        AccountLinkRow(
                            purpose: .reset, account: account, address: address, tenant: tenant,
                            apiToken: nil, createdAt: 0, expiresAt: end), digest: [UInt8(number)])
                }
                func left() throws -> [UInt8] {
                    try (0..<5).filter { try store.accountLink(digest: [$0]) != nil }
                }
                try store.deleteAccountLinks(expiredBefore: 20)
                #expect(try left() == [1, 2, 3, 4])
                try store.deleteAccountLinks(to: "x@example.org", of: "a")
                #expect(try left() == [3, 4])
                try store.deleteAccountLinks(to: "z@example.org", of: nil)
                #expect(try left() == [4])
                try store.deleteAccountLink(digest: [4])
                #expect(try left() == [])
            }
        }
    }
}
