import Foundation
import TestSeeds
import Testing

/// Law: nothing that the service, a key's owner, a provider or an operator did not make is taken for theirs, what is taken is what
/// was made, and nothing of it ends the process.
@Suite struct FuzzTests {
    @Test(
        .timeLimit(.minutes(60)),
        arguments: ["tokens", "signatures", "id-tokens", "mails", "redirects", "forwarded", "live-queries"])
    func `Broken inputs at a door are refused, or mean what they say`(_ name: String) async throws {
        let door = try #require(try FuzzTarget.all().first { $0.name == name })
        await Fuzz(name, count: door.count).run { seed, random in
            let input = random.mutated(random.pick(door.seeds, else: []), with: door.words)
            do {
                return try await door.attempt(input)
            } catch {
                Issue.record("STRATUS_SEED=\(seed): \(error)")
                return false
            }
        }
    }

    @Test func `What a door is made for passes it`() async throws {
        for door in try FuzzTarget.all() {
            var taken = 0
            for seed in door.seeds where try await door.attempt(seed) { taken += 1 }
            #expect(taken > 0, "\(door.name)")
        }
    }

    @Test func `Each claim of a signed token may have any value, and each two`() async throws {
        let door = try #require(try FuzzTarget.all().first { $0.name == "id-tokens" })
        let values = UInt8(HostileJSON.values.count)
        for member in UInt8(0)..<12 {
            for value in 0..<values {
                _ = try await door.attempt([4, member, value])
                _ = try await door.attempt([4, member, value, member &+ 1, values - 1 - value])
            }
        }
    }

    /// Inputs that once broke a promise, or were close to it, in Base64.
    private static let found: [(door: String, input: String)] = [
        // Claims with a byte that is not UTF-8, and one of them twice: the oracle read other claims than were signed.
        (
            "id-tokens",
            "AXsiaXNzIjoiaHR0cHM6Ly9pZC5leGFtcGxlLm9yZyIsInN1YiI6ImFkIiwic3ViIjoiYWQzM/8zM2EiLCJhdWQiOi"
                + "JjbGllbnQiLCJleHAiOjE3MDAwMDAzMDAsImlhdCI6MTcwMDAwMDAwMCwibm9uY2UiOiJub25jZSJ9"
        )
    ]

    @Test func `What was found once stays found`() async throws {
        let doors = try FuzzTarget.all()
        for (name, text) in Self.found {
            let door = try #require(doors.first { $0.name == name })
            let input = try #require(Data(base64Encoded: text))
            _ = try await door.attempt(Array(input))
        }
    }
}
