import Foundation
import RecordModel
import RecordStorage
import TestSupport
import Testing

@testable import RecordEngine

/// The second step of signing in.
@Suite struct SecondStepTests {
    private typealias Ground = AccountGround

    /// The test vectors of RFC 6238, appendix B, cut to six digits.
    @Test(arguments: [
        (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
        (2_000_000_000, "279037"), (20_000_000_000, "353130"),
    ])
    func `Codes are those of RFC 6238`(_ seconds: Int64, _ code: String) {
        let secret = Array("12345678901234567890".utf8)
        #expect(OneTimeCode.code(of: secret, step: seconds / 30) == code)
        #expect(OneTimeCode.step(of: code, secret: secret, now: seconds * 1_000) == seconds / 30)
        #expect(OneTimeCode.step(of: code, secret: secret, now: seconds * 1_000 + 30_000) == seconds / 30)
        #expect(OneTimeCode.step(of: code, secret: secret, now: seconds * 1_000 + 61_000) == nil)
    }

    /// RFC 4648, 10, without padding.
    @Test(arguments: [
        ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
        ("foobar", "MZXW6YTBOI"),
    ])
    func `Keys are written in base32`(_ bytes: String, _ text: String) {
        #expect(OneTimeCode.text(of: Array(bytes.utf8)) == text)
    }

    private struct Walk {
        let ground: AccountGround
        let account: AccountRow
        let secret: [UInt8]
        let codes: [String]

        init(_ cloud: TestCloud) async throws {
            ground = AccountGround(cloud)
            try await ground.open()
            account = try #require(try await ground.signUp("ada@example.org")).account
            let offer = try await ground.accounts.offerSecondStep(
                to: account, password: AccountGround.password, title: "Players", client: AccountGround.client)
            let payload = try #require(
                SealedToken.open(
                    offer.sealed, for: Array("second step \(account.id)".utf8), secret: ground.accounts.secret
                ))
            let secret = Array(payload.suffix(OneTimeCode.secretBytes))
            #expect(offer.key == OneTimeCode.text(of: secret))
            self.secret = secret
            let wrong = try await ground.accounts.turnOnSecondStep(
                of: account, sealed: offer.sealed, code: "000 000", at: ground.place())
            #expect(
                wrong == nil
                    || OneTimeCode.code(of: secret, step: cloud.wait(milliseconds: 0) / 30_000) == "000000")
            codes = try #require(
                try await ground.accounts.turnOnSecondStep(
                    of: account, sealed: offer.sealed,
                    code: OneTimeCode.code(of: secret, step: cloud.wait(milliseconds: 0) / 30_000),
                    at: ground.place()))
        }

        func now() -> String {
            OneTimeCode.code(of: secret, step: ground.cloud.wait(milliseconds: 0) / 30_000)
        }

        func pass(_ code: String, ticket: String? = nil) async -> String? {
            let ticket = ticket ?? ground.accounts.ticket(for: account, in: ground.tenant)
            return await ground.code {
                guard
                    try await ground.accounts.passSecondStep(
                        ticket, code: code, at: ground.place(), client: AccountGround.client) != nil
                else { throw ServiceError(.badRequest, "No ticket.") }
            }
        }
    }

    @Test func `A code is good once, and none before it after it`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            // The one that turned it on is used.
            #expect(await walk.pass(walk.now()) == "AUTHENTICATION_FAILED")
            cloud.wait(milliseconds: 60_000)
            let code = walk.now()
            #expect(await walk.pass(code) == nil)
            #expect(await walk.pass(code) == "AUTHENTICATION_FAILED")
            let before = OneTimeCode.code(of: walk.secret, step: cloud.wait(milliseconds: 0) / 30_000 - 1)
            cloud.wait(milliseconds: 2_000)
            #expect(await walk.pass(before) == "AUTHENTICATION_FAILED")
        }
    }

    @Test func `A recovery code is good once, however it is typed`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            #expect(walk.codes.count == 10 && Set(walk.codes).count == 10)
            #expect(await walk.pass(walk.codes[3].uppercased().replacing("-", with: " ")) == nil)
            #expect(await walk.pass(walk.codes[3]) == "AUTHENTICATION_FAILED")
            #expect(try await walk.ground.accounts.secondStep(of: walk.account).recoveryCodes == 9)
            let rows = try await cloud.store.read(.short) { try $0.credentials(of: walk.account.id) }
            #expect(!rows.contains { row in walk.codes.contains { row.name.contains($0) } })
        }
    }

    @Test func `A ticket is good for a while, in one container, for one account`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let accounts = walk.ground.accounts
            let other = Tenant(container: try ContainerID("iCloud.other"), environment: .development)
            #expect(
                await walk.pass(walk.codes[0], ticket: accounts.ticket(for: walk.account, in: other))
                    == "BAD_REQUEST")
            #expect(await walk.pass(walk.codes[0], ticket: "x") == "BAD_REQUEST")
            let old = accounts.ticket(for: walk.account, in: walk.ground.tenant)
            cloud.wait(milliseconds: 10 * 60_000)
            #expect(await walk.pass(walk.codes[0], ticket: old) == "BAD_REQUEST")
            #expect(await walk.pass(walk.codes[0]) == nil)
        }
    }

    @Test func `A ticket ends with the password that it was given for`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let accounts = walk.ground.accounts
            let before = accounts.ticket(for: walk.account, in: walk.ground.tenant)
            cloud.wait(milliseconds: 1)
            try await accounts.changePassword(
                of: walk.account, from: AccountGround.password, to: "another long password 7", keeping: nil,
                at: walk.ground.place(), client: AccountGround.client)
            #expect(await walk.pass(walk.codes[0], ticket: before) == "BAD_REQUEST")
            // The code was not used up.
            #expect(await walk.pass(walk.codes[0]) == nil)
        }
    }

    @Test func `Codes cannot be guessed quickly, and the step is turned off by who knows the password`()
        async throws
    {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            var codes: [String?] = []
            for number in 0..<10 { codes.append(await walk.pass("wrong \(number)")) }
            #expect(codes.last == "THROTTLED")
            cloud.wait(milliseconds: AttemptLimits.longestMilliseconds)
            let accounts = walk.ground.accounts
            #expect(
                await walk.ground.code {
                    try await accounts.turnOffSecondStep(
                        of: walk.account, password: "wrong", code: walk.codes[0], at: walk.ground.place(),
                        client: AccountGround.client)
                } == "AUTHENTICATION_FAILED")
            await #expect(throws: DepartureRefusal.wrongCode) {
                try await accounts.turnOffSecondStep(
                    of: walk.account, password: AccountGround.password, code: "wrong",
                    at: walk.ground.place(), client: AccountGround.client)
            }
            cloud.wait(milliseconds: AttemptLimits.longestMilliseconds)
            try await accounts.turnOffSecondStep(
                of: walk.account, password: AccountGround.password, code: walk.codes[0],
                at: walk.ground.place(), client: AccountGround.client)
            #expect(walk.ground.post.mails.suffix(1).map(\.kind) == [.secondStepOff])
            #expect(walk.ground.post.mails.contains { $0.kind == .secondStepOn })
            #expect(try await !accounts.secondStep(of: walk.account).isOn)
            #expect(try await walk.ground.signIn("ada@example.org").account == walk.account)
        }
    }

    @Test func `After a hundred wrong codes only a recovery code is good, or a reset by mail`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            func fail() async {
                for _ in 0..<Accounts.mostWrongCodes {
                    cloud.wait(milliseconds: AttemptLimits.longestMilliseconds)
                    #expect(await walk.pass("wrong") == "AUTHENTICATION_FAILED")
                }
                cloud.wait(milliseconds: AttemptLimits.longestMilliseconds)
            }
            await fail()
            #expect(walk.ground.post.mails.count { $0.kind == .secondStepStopped } == 1)
            #expect(await walk.pass(walk.now()) == "AUTHENTICATION_FAILED")
            cloud.wait(milliseconds: AttemptLimits.longestMilliseconds)
            #expect(await walk.pass(walk.codes[0]) == nil)
            #expect(await walk.pass(walk.now()) == nil)
            await fail()
            #expect(await walk.pass(walk.now()) == "AUTHENTICATION_FAILED")
            try await walk.ground.accounts.mailLink(
                .reset, to: #require(MailAddress("ada@example.org")), at: walk.ground.place())
            let code = try #require(walk.ground.post.code(to: "ada@example.org"))
            _ = try await walk.ground.accounts.choosePassword(
                "another raven of 1846", by: code, at: walk.ground.place())
            #expect(walk.ground.post.mails.last?.kind == .passwordReset)
            cloud.wait(milliseconds: AttemptLimits.longestMilliseconds)
            #expect(await walk.pass(walk.now()) == nil)
        }
    }

    @Test func `The password alone puts no other key in the place of the owner's`() async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud)
            let accounts = walk.ground.accounts
            let offer = try await accounts.offerSecondStep(
                to: walk.account, password: AccountGround.password, title: "Players",
                client: AccountGround.client)
            let payload = try #require(
                SealedToken.open(
                    offer.sealed, for: Array("second step \(walk.account.id)".utf8), secret: accounts.secret))
            let other = Array(payload.suffix(OneTimeCode.secretBytes))
            let code = OneTimeCode.code(of: other, step: cloud.wait(milliseconds: 0) / 30_000)
            let before = try await cloud.store.read(.short) { try $0.credentials(of: walk.account.id) }
            await #expect(throws: ServiceError.self) {
                try await accounts.turnOnSecondStep(
                    of: walk.account, sealed: offer.sealed, code: code, at: walk.ground.place())
            }
            #expect(try await cloud.store.read(.short) { try $0.credentials(of: walk.account.id) } == before)
        }
    }
}
