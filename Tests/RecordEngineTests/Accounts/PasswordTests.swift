import Foundation
import PasswordStretching
import RecordModel
import TestSupport
import Testing

@testable import RecordEngine

@Suite struct PasswordTests {
    @Test(arguments: [
        "1234567890", "0987654321", "qwertyuiop", "asdfghjkl1", "aaaaaaaaaa", "abababababab", "abcdefghij",
        "password12", "Password123!", "P@ssw0rd!!", "passw0rd2024", "iloveyou123", "letmein12345",
        "correct horse battery staple", "CorrectHorseBatteryStaple1", "qwertz12345", "1q2w3e4r5t",
        "passwort99",
        "contraseña1", "motdepasse!", "ada.lovelace1", "Lovelace!!2024", "players2024!", "dragonmonkey1",
    ])
    func `What everybody tries first is refused`(_ password: String) {
        let context = ["ada.lovelace@example.org", "iCloud.org.example.players"]
        #expect(PasswordRules.refusal(of: password, context: context) == .common)
    }

    @Test(arguments: [
        "a raven of 1845", "vier blaue Elefanten", "tr8$kLqz0!mP", "        x  y", "пароль от Кати",
        "ありがとうございます今日",
        "my dog likes rain", "zqxjkvbpyw",
    ])
    func `A password needs no letters or signs of any kind`(_ password: String) {
        #expect(PasswordRules.refusal(of: password, context: ["ada@example.org"]) == nil)
    }

    @Test func `Only the length has bounds`() {
        let letters = "kzqvjxwpfm"
        #expect(PasswordRules.refusal(of: String(letters.dropLast()), context: []) == .tooShort)
        #expect(PasswordRules.refusal(of: letters, context: []) == nil)
        let long = String((0..<256).map { index in Array("kzqvjxwpfmbd7")[index * index % 13] })
        #expect(PasswordRules.refusal(of: long, context: []) == nil)
        #expect(PasswordRules.refusal(of: long + "x", context: []) == .tooLong)
    }

    @Test func `The operator's words and list are refused, when one signs up and later`() async throws {
        let refused = RefusedPasswords(words: ["roadrunner"]) { $0 == "Troubadour & 3" }
        try await TestCloud.run { cloud in
            let ground = AccountGround(cloud, refused: refused)
            try await ground.open()
            for wrong in ["Roadrunner2024", "Troubadour & 3"] {
                await #expect(throws: PasswordRules.Refusal.common) {
                    try await ground.signUp("ada@example.org", password: wrong)
                }
            }
            let (account, _) = try #require(try await ground.signUp("ada@example.org"))
            for wrong in ["r0adrunner!!", "Troubadour & 3"] {
                await #expect(throws: PasswordRules.Refusal.common) {
                    try await ground.accounts.changePassword(
                        of: account, from: AccountGround.password, to: wrong, keeping: nil,
                        at: ground.place(),
                        client: AccountGround.client)
                }
            }
            try await ground.accounts.changePassword(
                of: account, from: AccountGround.password, to: "troubadour of three", keeping: nil,
                at: ground.place(), client: AccountGround.client)
        }
    }

    @Test func `However a letter is composed, it is the same password`() {
        #expect(PasswordRules.bytes(of: "Ü\u{FB01}x") == PasswordRules.bytes(of: "U\u{308}fix"))
        #expect(PasswordRules.bytes(of: "a") != PasswordRules.bytes(of: "A"))
    }

    @Test func `A hash is read as it was written, and nothing else is one`() {
        let hash = PasswordHash(cost: .standard, salt: [1, 2, 3], hash: Array(repeating: 255, count: 32))
        #expect(PasswordHash(encoded: hash.encoded) == hash)
        for wrong in [
            "", "scrypt", "scrypt$99$8$1$AA$AA", "bcrypt$15$8$3$AA$AA", "scrypt$15$8$3$A*$AA", "a$b$c$d$e$f",
        ] {
            #expect(PasswordHash(encoded: Array(wrong.utf8)) == nil, "\(wrong)")
        }
    }

    /// The second test vector of RFC 7914, 12, cut to 32 bytes.
    @Test func `Passwords are stretched by scrypt`() async throws {
        let threads = ScryptThreads(threads: 1)
        defer { threads.stop() }
        let bytes = try await threads.stretch(
            Array("password".utf8), salt: Array("NaCl".utf8),
            cost: StretchingCost(logRounds: 10, blockSize: 8, parallelism: 16))
        #expect(bytes.hex == "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162")
    }

    @Test func `Only so many passwords wait, and the next is told so`() async throws {
        let threads = ScryptThreads(threads: 1, most: 4)
        defer { threads.stop() }
        let cost = StretchingCost(logRounds: 12, blockSize: 8, parallelism: 1)
        let codes = await withTaskGroup(of: String?.self) { group in
            for number in 0..<40 as Range<UInt8> {
                group.addTask {
                    do {
                        _ = try await threads.stretch([number], salt: [1], cost: cost)
                        return nil
                    } catch { return ServiceError(describing: error).code.description }
                }
            }
            return await group.reduce(into: [String?]()) { $0.append($1) }
        }
        let refused = codes.compactMap { $0 }
        #expect(Set(refused) == ["TRY_AGAIN_LATER"] && codes.count == 40)
        #expect(codes.count - refused.count >= 4)
        // There is room again.
        _ = try await threads.stretch([1], salt: [1], cost: cost)
    }

    @Test func `One address and one account take only some of the turns`() async throws {
        let threads = ScryptThreads(threads: 1)
        defer { threads.stop() }
        // Some hundred milliseconds each, so that all are asked for before the first is done.
        let cost = StretchingCost(logRounds: 15, blockSize: 8, parallelism: 3)
        func refusals(_ parties: [StretchingParty]) async -> Int {
            await withTaskGroup(of: Bool.self) { group in
                for party in parties {
                    group.addTask {
                        do {
                            _ = try await threads.stretch([1], salt: [1], cost: cost, for: party)
                            return false
                        } catch { return true }
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
        }
        let crowd = (0..<200).map { StretchingParty(client: "crowd", account: "a\($0)") }
        let other = StretchingParty(client: "other", account: "ada")
        #expect(await refusals(crowd) > 0)
        #expect(await refusals([other, other]) == 0)
        #expect(await refusals((0..<200).map { StretchingParty(client: "c\($0)", account: "ada") }) > 0)
    }
}
