import TestSupport
import Testing

@testable import RecordEngine

@Suite struct AttemptLimitTests {
    private static func attempts(_ limits: AttemptLimits, _ account: String, _ client: String, seconds: Int64)
        -> Int
    {
        (0..<seconds * 10).count {
            limits.begin(account: account, client: client, now: 1_000_000 + $0 * 100) == 0
        }
    }

    @Test func `The wait doubles with each attempt that fails, up to a quarter of an hour`() {
        let limits = AttemptLimits()
        var now: Int64 = 1_000_000
        var waits: [Int64] = []
        for _ in 0..<20 {
            while true {
                let wait = limits.begin(account: "a", client: "c", now: now)
                guard wait > 0 else { break }
                waits.append(wait)
                now += wait
            }
        }
        #expect(waits.prefix(5) == [1_000, 2_000, 4_000, 8_000, 16_000])
        #expect(waits.max() == AttemptLimits.longestMilliseconds)
        #expect(Self.attempts(AttemptLimits(), "a", "c", seconds: 3_600) < 20)
    }

    @Test func `All addresses of a network together have so many attempts`() {
        let limits = AttemptLimits()
        func wait(_ number: Int, _ network: String, at now: Int64) -> Int64 {
            limits.begin(account: "account \(number)", client: "\(network) \(number)", in: network, now: now)
        }
        for number in 0..<AttemptLimits.freeAttemptsOfNetwork {
            #expect(wait(number, "loud", at: 1_000_000) == 0)
        }
        #expect(wait(10_000, "loud", at: 1_000_000) == AttemptLimits.refillOfNetworkMilliseconds)
        #expect(wait(10_000, "quiet", at: 1_000_000) == 0)
        let later = 1_000_000 + AttemptLimits.refillOfNetworkMilliseconds
        #expect(wait(10_001, "loud", at: later) == 0)
        #expect(wait(10_002, "loud", at: later) > 0)
        // Who was right has used up nothing.
        limits.succeed(account: "account 10001", client: "loud 10001", in: "loud")
        #expect(wait(10_002, "loud", at: later) == 0)
    }

    @Test func `A stranger never makes the owner wait for long`() {
        let limits = AttemptLimits()
        var now: Int64 = 1_000_000
        // A thousand machines try an account for an hour.
        for round in 0..<60 as Range<Int64> {
            for machine in 0..<1_000 {
                now = 1_000_000 + round * 60_000
                _ = limits.begin(account: "ada", client: "machine \(machine)", now: now)
            }
        }
        let wait = limits.begin(account: "ada", client: "home", now: now)
        #expect(wait <= AttemptLimits.strangerMilliseconds)
        #expect(limits.begin(account: "ada", client: "home", now: now + wait) == 0)
        limits.succeed(account: "ada", client: "home")
        // Nor does it touch others.
        #expect(limits.begin(account: "bob", client: "elsewhere", now: now) == 0)
    }

    @Test func `Attempts on many accounts from one address have to wait as well, though never for long`() {
        let limits = AttemptLimits()
        let now: Int64 = 1_000_000
        let free = (0..<1_000).count { limits.begin(account: "a\($0)", client: "c", now: now) == 0 }
        #expect(free == AttemptLimits.freeAttemptsOfClient)
        let wait = limits.begin(account: "other", client: "c", now: now)
        #expect(wait == AttemptLimits.refillOfClientMilliseconds)
        #expect(limits.begin(account: "other", client: "c", now: now + wait) == 0)
    }

    @Test func `Who is known to an account counts apart from the address, and not without end`() {
        let limits = AttemptLimits()
        let now: Int64 = 1_000_000
        for number in 0..<1_000 { _ = limits.begin(account: "a\(number)", client: "c", now: now) }
        let known = (0..<1_000).count {
            limits.begin(account: "ada", client: "browser \($0)", isKnown: true, now: now) == 0
        }
        #expect(known == AttemptLimits.freeAttemptsOfKnown)
    }

    @Test func `Who signs in leaves nothing behind`() {
        let limits = AttemptLimits()
        for number in 0..<500 as Range<Int64> {
            let now = 1_000_000 + number
            #expect(limits.begin(account: "a", client: "office", now: now) == 0)
            limits.succeed(account: "a", client: "office")
        }
    }

    @Test func `What is remembered is bounded, and goes after a day`() {
        let limits = AttemptLimits(most: 1_000)
        for number in 0..<5_000 as Range<Int64> {
            _ = limits.begin(account: "a\(number)", client: "c\(number)", now: 1_000_000 + number)
            #expect(limits.count <= 1_000)
        }
        for _ in 0..<9 { _ = limits.begin(account: "a", client: "c", now: 2_000_000) }
        #expect(
            limits.begin(account: "a", client: "c", now: 2_000_000 + AttemptLimits.memoryMilliseconds) == 0)
    }
}
