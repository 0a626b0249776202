import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// Web auth tokens that follow each other.
@Suite struct SessionTests {
    private struct Walk {
        let ground: AccountGround
        let account: AccountRow
        let user: UserRow

        init(_ cloud: TestCloud) async throws {
            ground = AccountGround(cloud)
            try await ground.open()
            (account, user) = try #require(try await ground.signUp("ada@example.org"))
        }

        func begin(_ duration: Sessions.Duration = .long, _ kind: TokenRow.Kind = .web) async throws -> String
        {
            try await ground.accounts.sessions.begin(
                kind, for: account, as: user, lasting: duration, label: "Test")
        }

        /// Asks with a token; nil for an answer, else the error's code, and the next token.
        func ask(_ token: String) async throws -> (code: String?, next: String?) {
            let call = ServiceCall(
                endpoint: .usersCaller, tenant: ground.tenant, scope: .public,
                credentials: Credentials(apiToken: "\(ground.tenant)-api", webAuthToken: token), body: [],
                requestID: "r")
            do {
                let admission = try await ground.cloud.service.admit(call)
                #expect(admission.caller == .user(user.recordName))
                return (nil, admission.nextWebAuthToken)
            } catch { return (ServiceError(describing: error).code.description, nil) }
        }

        /// Looks again at what an answer began with, as streams do that go on.
        func renew(_ token: String) async throws -> Caller {
            let call = ServiceCall(
                endpoint: .recordsLive, tenant: ground.tenant, scope: .public,
                credentials: Credentials(apiToken: "\(ground.tenant)-api", webAuthToken: token), body: [],
                requestID: "r")
            return try await ground.cloud.service.context(for: call, isWhole: true, isRenewal: true).caller
        }

        var audited: [String] {
            get async throws {
                try await ground.cloud.store.read(.short) {
                    try $0.audit(before: nil, limit: 99).map(\.action)
                }
            }
        }
    }

    @Test
    func `A token is answered with its successor when it is ten minutes old, and both are good for a while`()
        async throws
    {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let first = try await walk.begin()
            #expect(first.utf8.count == 43 && !first.contains { "+/=%".contains($0) })
            #expect(try await walk.ask(first) == (nil, nil))
            cloud.wait(milliseconds: Sessions.rotationMilliseconds)
            let second = try #require(try await walk.ask(first).next)
            // Requests that come together are offered the same one.
            #expect(try await walk.ask(first).next == second)
            // Until it is used, nothing changes, however late that is.
            cloud.wait(milliseconds: 3_600_000)
            #expect(try await walk.ask(first).code == nil)
            #expect(try await walk.ask(second).code == nil)
            #expect(try await walk.ask(first).code == nil)
            cloud.wait(milliseconds: Sessions.graceMilliseconds - 10_000)
            #expect(try await walk.ask(first).code == nil)
            #expect(try await walk.audited.contains("session.stolen") == false)
        }
    }

    @Test func `A stream that began with a token ends long after its successor, and the session goes on`()
        async throws
    {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let first = try await walk.begin()
            #expect(try await walk.ask(first).code == nil)
            cloud.wait(milliseconds: Sessions.rotationMilliseconds)
            let second = try #require(try await walk.ask(first).next)
            #expect(try await walk.ask(second).code == nil)
            #expect(try await walk.renew(first) == .user(walk.user.recordName))
            cloud.wait(milliseconds: Sessions.graceMilliseconds + 10_000)
            await #expect(throws: Sessions.ReplacedToken.self) { try await walk.renew(first) }
            #expect(try await walk.ask(second).code == nil)
            #expect(try await walk.audited.contains("session.stolen") == false)
        }
    }

    @Test func `A token that is used long after its successor ends the session, and the audit log tells it`()
        async throws
    {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let other = try await walk.begin()
            let first = try await walk.begin()
            cloud.wait(milliseconds: Sessions.rotationMilliseconds)
            let second = try #require(try await walk.ask(first).next)
            #expect(try await walk.ask(second).code == nil)
            cloud.wait(milliseconds: Sessions.graceMilliseconds + 10_000)
            #expect(try await walk.ask(second).code == nil)
            #expect(try await walk.ask(first).code == "AUTHENTICATION_REQUIRED")
            #expect(try await walk.ask(second).code == "AUTHENTICATION_REQUIRED")
            #expect(try await walk.audited.count { $0 == "session.stolen" } == 1)
            #expect(try await walk.ask(other).code == nil)
        }
    }

    @Test func `Two who have a successor each of one token are found out`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let first = try await walk.begin()
            cloud.wait(milliseconds: Sessions.rotationMilliseconds)
            let second = try #require(try await walk.ask(first).next)
            cloud.wait(milliseconds: 120_000)
            let third = try #require(try await walk.ask(first).next)
            #expect(third != second)
            #expect(try await walk.ask(second).code == nil)
            cloud.wait(milliseconds: Sessions.graceMilliseconds + 10_000)
            #expect(try await walk.ask(third).code == "AUTHENTICATION_REQUIRED")
            #expect(try await walk.ask(second).code == "AUTHENTICATION_REQUIRED")
        }
    }

    @Test(arguments: [Sessions.Duration.short, .long])
    func `A session ends when it is not used, and at last in any case`(_ duration: Sessions.Duration)
        async throws
    {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let idle = try await walk.begin(duration)
            cloud.wait(milliseconds: duration.idleMilliseconds)
            #expect(try await walk.ask(idle).code == "AUTHENTICATION_REQUIRED")
            var token = try await walk.begin(duration)
            let start = cloud.wait(milliseconds: 0)
            var code: String?
            while code == nil, cloud.wait(milliseconds: 0) - start < 2 * duration.wholeMilliseconds {
                let answer = try await walk.ask(token)
                code = answer.code
                token = answer.next ?? token
                cloud.wait(milliseconds: duration.idleMilliseconds / 2)
            }
            #expect(code == "AUTHENTICATION_REQUIRED")
            let lasted = cloud.wait(milliseconds: 0) - start
            #expect(lasted >= duration.wholeMilliseconds)
            #expect(lasted <= duration.wholeMilliseconds + 2 * duration.idleMilliseconds)
        }
    }

    @Test func `An ended session is refused at once`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let token = try await walk.begin()
            #expect(try await walk.ask(token).code == nil)
            try await walk.ground.accounts.sessions.endAll(of: walk.account.id)
            #expect(try await walk.ask(token).code == "AUTHENTICATION_REQUIRED")
            try await AccountList.setDisabled(true, "ada@example.org", store: cloud.store)
            await #expect(throws: (any Error).self) { _ = try await walk.begin() }
        }
    }

    @Test func `The cookie of the page is no token of an app`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let cookie = try await walk.begin(.long, .page)
            #expect(try await walk.ask(cookie).code == "AUTHENTICATION_FAILED")
        }
    }

    @Test func `An account has only so many sessions`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let first = try await walk.begin()
            for _ in 0..<Sessions.mostOfAccount { _ = try await walk.begin() }
            let rows = try await cloud.store.read(.short) { try $0.sessions(of: walk.account.id) }
            #expect(rows.count == Sessions.mostOfAccount)
            #expect(try await walk.ask(first).code == "AUTHENTICATION_REQUIRED")
        }
    }

    @Test func `Ended sessions are forgotten by the sweep, however many slices that takes`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let tenant = walk.ground.tenant
            let now = cloud.wait(milliseconds: 0)
            let ends = (0..<2_500).map { $0.isMultiple(of: 5) ? now + 1_000_000 : now - 1 }
            try await cloud.store.write { store in
                for (number, end) in ends.enumerated() {
                    let id = "session \(number)"
                    try store.store(
                        SessionRow(
                            id: id, tenant: tenant, user: walk.user.recordName, account: walk.account.id,
                            label: "", createdAt: 0, seenAt: 0, endsAt: end, idleMilliseconds: 1))
                    try store.insert(
                        TokenRow(
                            kind: .web, tenant: tenant, user: walk.user.recordName, label: "", createdAt: 0,
                            expiresAt: nil, succession: TokenSuccession(session: id)),
                        digest: AccessToken.digest(id))
                }
            }
            try await cloud.service.sweepSignIns()
            try await cloud.store.read(.short) { store in
                #expect(try store.sessions(of: walk.account.id).count == 500)
                for (number, end) in ends.enumerated() {
                    let token = try store.token(digest: AccessToken.digest("session \(number)"))
                    #expect((token == nil) == (end < now), "\(number)")
                }
            }
        }
    }
}
