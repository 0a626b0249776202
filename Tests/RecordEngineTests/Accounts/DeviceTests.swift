import Foundation
import RecordModel
import RecordStorage
import TestSupport
import Testing

@testable import RecordEngine

/// Devices without a browser: what their codes are good for, when, and how often.
@Suite struct DeviceTests {
    private struct Walk {
        let ground: AccountGround
        let session: Accounts.PageSession
        let lamp = Accounts.Client(address: "192.0.2.9", label: "Lamp\u{202e}\n<1>")

        var accounts: Accounts { ground.accounts }
        var apiToken: String { "\(ground.tenant)-api" }
        var elsewhere: Tenant { Tenant(container: ground.tenant.container, environment: .production) }

        init(_ cloud: TestCloud, address: String = "ada@example.org") async throws {
            ground = AccountGround(cloud)
            try await ground.open()
            session = try await Self.session(of: address, ground)
        }

        static func session(of address: String, _ ground: AccountGround) async throws -> Accounts.PageSession
        {
            let made = try #require(try await ground.signUp(address))
            let token = try await ground.accounts.sessions.begin(
                .page, for: made.account, as: made.user, lasting: .short, label: "Browser")
            return try #require(try await ground.accounts.pageSession(token, in: ground.tenant))
        }

        func begin() async throws -> Accounts.DeviceCodes {
            try #require(try await accounts.beginDevice(apiToken: apiToken, in: ground.tenant, client: lamp))
        }

        /// Asks after as long as a device has to wait.
        func ask(
            _ code: String, apiToken: String? = nil, in tenant: Tenant? = nil, after seconds: Int64 = 60
        ) async throws -> String {
            ground.cloud.wait(milliseconds: seconds * 1_000)
            let tenant = tenant ?? ground.tenant
            switch try await accounts.askForDevice(code, apiToken: apiToken ?? self.apiToken, in: tenant) {
            case .pending: return "pending"
            case .slowDown(let seconds): return "slow down to \(seconds)"
            case .denied: return "denied"
            case .over: return "over"
            case .granted(_, let user): return user
            }
        }

        func look(_ code: String, in tenant: Tenant? = nil) async throws -> String? {
            try await accounts.waitingDevice(code, for: session, in: tenant ?? ground.tenant)?.label
        }

        func say(_ isAllowed: Bool, to code: String) async throws -> Bool {
            try await accounts.answerDevice(
                code, isAllowed: isAllowed, by: session, at: ground.place())
        }
    }

    @Test func `A device that is not let in has not used up its code`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let codes = try await walk.begin()
            #expect(try await walk.say(true, to: codes.userCode))
            // What is revoked between the device's question and the session.
            let digest = AccessToken.digest(walk.apiToken)
            let row = try #require(try await cloud.store.read(.short) { try $0.token(digest: digest) })
            try await cloud.store.write { try $0.deleteToken(digest: digest) }
            await #expect(throws: ServiceError.self) { try await walk.ask(codes.deviceCode) }
            try await cloud.store.write { try $0.insert(row, digest: digest) }
            #expect(try await walk.ask(codes.deviceCode) == walk.session.user.recordName)
        }
    }

    @Test func `A code lets one device in, once, as whoever allowed it`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let codes = try await walk.begin()
            #expect(codes.userCode.wholeMatch(of: /[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}/) != nil)
            #expect(try await walk.ask(codes.deviceCode) == "pending")
            #expect(try await walk.look(codes.userCode.lowercased().replacing("-", with: " ")) == "Lamp<1>")
            #expect(try await walk.ask(codes.deviceCode) == "pending")
            #expect(try await walk.say(true, to: codes.userCode))
            #expect(try await !walk.say(true, to: codes.userCode))
            #expect(try await walk.look(codes.userCode) == nil)
            #expect(try await walk.ask(codes.userCode) == "over")
            #expect(try await walk.ask(codes.deviceCode) == walk.session.user.recordName)
            #expect(try await walk.ask(codes.deviceCode) == "over")
            let labels = try await walk.accounts.sessions(of: walk.session.account, in: walk.ground.tenant)
            #expect(labels.map(\.label).sorted() == ["Browser", "Lamp<1>"])
            #expect(labels.contains { $0.apiToken == AccessToken.digest(walk.apiToken) })
            let log = try await cloud.store.read(.short) { try $0.audit(before: nil, limit: 9) }
            #expect(log.contains { $0.action == "account.device" && $0.subject == "ada@example.org Lamp<1>" })
        }
    }

    @Test func `Of two that ask at once, one is let in`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let codes = try await walk.begin()
            #expect(try await walk.say(true, to: codes.userCode))
            let answers = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let answer = try await walk.accounts.askForDevice(
                            codes.deviceCode, apiToken: walk.apiToken, in: walk.ground.tenant)
                        if case .granted = answer { return true }
                        return false
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(answers <= 1)
            let sessions = try await walk.accounts.sessions(of: walk.session.account, in: walk.ground.tenant)
            #expect(sessions.count { $0.label == "Lamp<1>" } == answers)
        }
    }

    @Test func `A no is a no`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let codes = try await walk.begin()
            #expect(try await walk.say(false, to: codes.userCode))
            #expect(try await walk.ask(codes.deviceCode) == "denied")
            #expect(try await !walk.say(true, to: codes.userCode))
            #expect(try await walk.ask(codes.deviceCode) == "denied")
        }
    }

    @Test func `Codes end, whether somebody allowed them or not`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let (late, allowed) = (try await walk.begin(), try await walk.begin())
            #expect(try await walk.say(true, to: allowed.userCode))
            cloud.wait(milliseconds: Int64(Limits.deviceCodeSeconds) * 1_000 - 10_000)
            #expect(try await walk.look(late.userCode) != nil)
            #expect(try await walk.ask(late.deviceCode, after: 0) == "pending")
            cloud.wait(milliseconds: 10_000)
            #expect(try await walk.look(late.userCode) == nil)
            #expect(try await !walk.say(true, to: late.userCode))
            #expect(try await walk.ask(late.deviceCode) == "over")
            #expect(try await walk.ask(allowed.deviceCode) == "over")
            try await cloud.service.sweepSignIns()
            let row = try await cloud.store.read(.short) {
                try $0.accountLink(digest: AccessToken.digest(late.deviceCode))
            }
            #expect(row == nil)
        }
    }

    @Test func `Codes are those of one app in one container`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let codes = try await walk.begin()
            let none = try await walk.accounts.beginDevice(
                apiToken: walk.apiToken, in: walk.elsewhere, client: walk.lamp)
            #expect(none == nil)
            #expect(try await walk.look(codes.userCode, in: walk.elsewhere) == nil)
            #expect(try await walk.say(true, to: codes.userCode))
            #expect(try await walk.ask(codes.deviceCode, in: walk.elsewhere) == "over")
            #expect(
                try await walk.ask(codes.deviceCode, apiToken: "\(walk.elsewhere)-api", in: walk.elsewhere)
                    == "over")
            try await cloud.addToken("second", .api, walk.ground.tenant, user: nil)
            #expect(try await walk.ask(codes.deviceCode, apiToken: "\(walk.ground.tenant)-second") == "over")
            // Neither half of the pair is the link of a mail.
            #expect(try await walk.accounts.link(codes.deviceCode) == nil)
            #expect(try await walk.ask(codes.deviceCode) == walk.session.user.recordName)
        }
    }

    @Test func `Who asks too often waits longer each time`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let codes = try await walk.begin()
            #expect(try await walk.ask(codes.deviceCode, after: 0) == "pending")
            #expect(try await walk.ask(codes.deviceCode, after: 5) == "pending")
            #expect(try await walk.ask(codes.deviceCode, after: 4) == "slow down to 10")
            #expect(try await walk.ask(codes.deviceCode, after: 9) == "slow down to 15")
            #expect(try await walk.say(true, to: codes.userCode))
            #expect(try await walk.ask(codes.deviceCode, after: 1) == "slow down to 20")
            #expect(try await walk.ask(codes.deviceCode, after: 20) == walk.session.user.recordName)
        }
    }

    @Test func `Guesses wait, and an address gets only so many codes`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            for _ in 0..<AttemptLimits.freeAttempts { #expect(try await walk.look("BBBB-BBBB") == nil) }
            #expect(await walk.ground.code { try await walk.look("BBBB-BBBB") } == "THROTTLED")
            let codes = try await walk.begin()
            #expect(await walk.ground.code { try await walk.say(true, to: codes.userCode) } == "THROTTLED")
            cloud.wait(milliseconds: 2_000)
            #expect(try await walk.say(true, to: codes.userCode))
            for _ in 1..<Limits.deviceCodesPerAddress { _ = try await walk.begin() }
            #expect(await walk.ground.code { try await walk.begin() } == "THROTTLED")
            cloud.wait(milliseconds: Int64(Limits.deviceCodeSeconds) * 1_000)
            _ = try await walk.begin()
        }
    }

    @Test func `A device's name is cut, and one as long as may be is not`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            for (length, kept) in [(0, 0), (-1, -1), (1, 0)] {
                let name = String(repeating: "é", count: Limits.deviceNameLength + length)
                let codes = try await walk.accounts.beginDevice(
                    apiToken: walk.apiToken, in: walk.ground.tenant,
                    client: Accounts.Client(address: "192.0.2.9", label: name))
                let label = try await walk.look(try #require(codes).userCode)
                #expect(label?.unicodeScalars.count == Limits.deviceNameLength + kept)
            }
        }
    }

    @Test func `Addresses, networks and apps get only so many codes, and leave the others theirs`() throws {
        let tenant = Tenant(container: try ContainerID("iCloud.test"), environment: .production)
        let limits = DeviceLimits()
        func admit(_ address: String, _ network: String, _ app: String, _ now: Int64 = 1_000_000) -> Bool {
            let client = Accounts.Client(address: address, network: network, label: "")
            return limits.admit(from: client, to: app, in: tenant, now: now)
        }
        // All addresses of one network.
        for index in 0..<Limits.deviceCodesPerNetwork { #expect(admit("a\(index)", "loud", "app")) }
        #expect(!admit("another", "loud", "app") && admit("another", "quiet", "app"))
        // All networks with the token of one app.
        for index in 0..<Limits.deviceCodesPerApp - Limits.deviceCodesPerNetwork - 1 {
            #expect(admit("b\(index)", "b\(index)", "app"))
        }
        #expect(!admit("c", "c", "app") && admit("c", "c", "other"))
        var rest = Limits.deviceCodes - Limits.deviceCodesPerApp - 1
        while rest > 0 {
            #expect(admit("d\(rest)", "d\(rest)", "app \(rest)"))
            rest -= 1
        }
        #expect(!admit("e", "e", "last"))
        #expect(admit("e", "e", "last", 1_000_000 + Int64(Limits.deviceCodeSeconds) * 1_000))
    }

    @Test func `Guesses of one person wait, however many sessions and addresses they come from`() async throws
    {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            var session = walk.session
            for number in 0..<AttemptLimits.freeAttempts {
                session.id = "session-\(number)"
                #expect(
                    try await walk.accounts.waitingDevice("BBBB-BBBB", for: session, in: walk.ground.tenant)
                        == nil)
            }
            session.id = "another"
            #expect(
                await walk.ground.code {
                    try await walk.accounts.waitingDevice("BBBB-BBBB", for: session, in: walk.ground.tenant)
                } == "THROTTLED")
        }
    }

    @Test func `A new password takes back what was allowed, and a disabled account lets nothing in`()
        async throws
    {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let (first, second) = (try await walk.begin(), try await walk.begin())
            #expect(try await walk.say(true, to: first.userCode))
            try await walk.accounts.changePassword(
                of: walk.session.account, from: AccountGround.password, to: "another raven of 1845",
                keeping: walk.session.id, at: walk.ground.place(), client: AccountGround.client)
            #expect(try await walk.ask(first.deviceCode) == "over")
            #expect(try await walk.say(true, to: second.userCode))
            var account = walk.session.account
            account.isDisabled = true
            try await cloud.store.write { [account] in try $0.store(account) }
            #expect(try await walk.ask(second.deviceCode) == "over")
        }
    }

    @Test func `Whoever has a token can end its session`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let codes = try await walk.begin()
            #expect(try await walk.say(true, to: codes.userCode))
            let answer = try await walk.accounts.askForDevice(
                codes.deviceCode, apiToken: walk.apiToken, in: walk.ground.tenant)
            guard case .granted(let token, _) = answer else {
                Issue.record("The device was answered \(answer).")
                return
            }
            try await walk.accounts.endSession(ofToken: token, in: walk.elsewhere)
            #expect(
                try await walk.accounts.sessions(of: walk.session.account, in: walk.ground.tenant).count == 2)
            try await walk.accounts.endSession(ofToken: token, in: walk.ground.tenant)
            #expect(
                try await walk.accounts.sessions(of: walk.session.account, in: walk.ground.tenant).count == 1)
        }
    }
}
