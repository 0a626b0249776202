import RecordEngine
import RecordModel
import TestSeeds
import Testing

@testable import RecordServer

@Suite struct TokenBucketTests {
    /// What a bucket is by its textbook: credit that time adds to, up to a minute's, and requests take from.
    private struct Reference {
        var credit: UInt64
        var seen: UInt64
        let interval: UInt64
        let capacity: UInt64

        mutating func take(_ counting: TokenBuckets.Counting, at now: UInt64) -> Bool {
            credit = min(capacity, credit + (now - seen))
            seen = now
            guard credit >= interval else { return false }
            if counting == .ifLeft { credit -= interval }
            return true
        }
    }

    @Test(arguments: Seed.some(50))
    func `Buckets let through what credit that fills up steadily lets through`(seed: Seed) {
        var random = seed.random
        let perMinute = random.pick([1, 2, 7, 60, 999, 30_000], else: 1)
        let buckets = TokenBuckets(perMinute: perMinute, rows: 64)
        let interval = 60_000_000_000 / UInt64(perMinute)
        let capacity = interval * UInt64(perMinute)
        var now = UInt64(random.int(1...1_000_000_000))
        var references: [UInt64: Reference] = [:]
        for step in 0..<3_000 {
            now += UInt64(random.int(0...3)) * UInt64(random.int(0...Int(interval)))
            if random.oneIn(200) { now += capacity }
            let owner = UInt64(random.int(1...20))
            let counting: TokenBuckets.Counting = random.oneIn(5) ? .never : .ifLeft
            var reference =
                references[owner]
                ?? Reference(credit: capacity, seen: now, interval: interval, capacity: capacity)
            let level = buckets.take(counting, from: owner, at: now)
            let isLet = reference.take(counting, at: now)
            references[owner] = reference
            #expect((level.wait == nil) == isLet, "step \(step)")
            if isLet, counting == .ifLeft { #expect(level.remaining == Int(reference.credit / interval)) }
            if let wait = level.wait {
                #expect(wait == interval - reference.credit)
                #expect(buckets.take(.never, from: owner, at: now + wait - 1).wait == 1)
                #expect(buckets.take(.never, from: owner, at: now + wait).wait == nil)
            }
        }
    }

    @Test func `A fifth owner in a row takes the place of the fullest bucket`() {
        let buckets = TokenBuckets(perMinute: 10, rows: 1)
        for _ in 0..<10 { #expect(buckets.take(from: 1, at: 5).wait == nil) }
        for _ in 0..<2 { for owner: UInt64 in [2, 3] { _ = buckets.take(from: owner, at: 5) } }
        _ = buckets.take(from: 4, at: 5)
        // Nobody uses another's bucket up, however many there are.
        for owner: UInt64 in 5..<1_000 { #expect(buckets.take(from: owner, at: 5).remaining == 9) }
        #expect(buckets.take(from: 1, at: 5).wait != nil)
        #expect(buckets.take(from: 2, at: 5).remaining == 7)
    }

    @Test func `What is counted in any case is paid off before more is let through`() {
        let buckets = TokenBuckets(perMinute: 60)
        for _ in 0..<70 { _ = buckets.take(.always, from: 9, at: 0) }
        #expect(buckets.take(from: 9, at: 10_000_000_000).wait == 1_000_000_000)
        #expect(buckets.take(from: 9, at: 11_000_000_000).wait == nil)
    }

    @Test func `Each kind of party has its rate, and the tightest is told`() throws {
        let rates = RequestRates(RateLimits(perAddress: 100, perUser: 3, perToken: 0)) { 1 }
        let tenant = Tenant(container: try ContainerID("iCloud.test"), environment: .development)
        let address = try #require(ClientAddress(text: "10.0.0.1"))
        var standing: RateStanding?
        func ask(_ user: String) throws {
            standing = nil
            try rates.count(.address(address), standing: &standing)
            try rates.count(.user(tenant, user), standing: &standing)
            try rates.count(.token("app"), standing: &standing)
        }
        for left in [2, 1, 0] {
            try ask("_a")
            #expect(standing?.policy == "user" && standing?.level.remaining == left)
        }
        let error = #expect(throws: ServiceError.self) { try ask("_a") }
        #expect(error?.code == .throttled && error?.retryAfterSeconds == 20)
        #expect(error?.reason == "This user may send 3 requests a minute, and has sent them.")
        for _ in 0..<3 { try ask("_b") }
        #expect(RequestRates(RateLimits(perAddress: 0, perUser: 0, perToken: 0)).limits.perUser == 0)
    }
}
