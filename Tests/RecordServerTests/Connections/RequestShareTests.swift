import RecordEngine
import RecordModel
import Synchronization
import Testing

@testable import RecordServer

extension RequestShares {
    /// Does work for parties that are counted meanwhile, as a request's policies have it.
    fileprivate func with(
        _ parties: [Party], runner: Party? = nil, _ work: () async throws -> Void
    ) async throws {
        let taken = try take(parties, runner: runner)
        defer { give(taken) }
        try await withTaskExecutorPreference(taken.executor) { try await work() }
    }
}

@Suite struct RequestShareTests {
    @Test func `A user with too much under way is told to wait, and others are not`() async throws {
        let shares = RequestShares()
        let tenant = Tenant(container: try ContainerID("iCloud.test"), environment: .development)
        let (busy, other) = (RequestShares.Party.user(tenant, "_a"), RequestShares.Party.user(tenant, "_b"))
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        try await withThrowingTaskGroup { group in
            for _ in 0..<Limits.requestsPerUser {
                group.addTask {
                    try await shares.with([busy]) {
                        arrival.yield()
                        for await _ in gate {}
                    }
                }
            }
            var arrived = arrivals.makeAsyncIterator()
            for _ in 0..<Limits.requestsPerUser { _ = await arrived.next() }
            let error = await #expect(throws: ServiceError.self) { try await shares.with([other, busy]) {} }
            #expect(error?.code == .throttled)
            // Nothing of the refused request counts.
            try await shares.with([other]) {}
            opening.finish()
            try await group.waitForAll()
        }
        try await shares.with([busy]) {}
    }

    @Test func `Beside somebody else, a crowd gets half of the processors`() async throws {
        let shares = RequestShares()
        let tenant = Tenant(container: try ContainerID("iCloud.test"), environment: .development)
        let (busy, other) = (RequestShares.Party.user(tenant, "_a"), RequestShares.Party.user(tenant, "_b"))
        let sight = StepSight()
        try await withThrowingTaskGroup { group in
            for _ in 0..<Limits.requestsPerUser {
                group.addTask {
                    // Whoever comes here shows that the crowd is not alone.
                    try await shares.with([other], runner: other) {}
                    try await shares.with([busy], runner: busy) { sight.step() }
                }
            }
            try await group.waitForAll()
        }
        #expect(sight.begun.load(ordering: .relaxed) == Limits.requestsPerUser)
        #expect(sight.most.load(ordering: .relaxed) <= 2 * shares.width)
    }

    @Test func `An app's token counts for its visitors alone, and only when their bodies are there`() throws {
        let tenant = Tenant(container: try ContainerID("iCloud.test"), environment: .development)
        let client = try #require(ClientAddress(text: "2001:db8:1:2::1"))
        let user = RequestShares.Party.user(tenant, "_a")
        let visitor = RequestParties(user: nil, token: "app", from: client)
        #expect(visitor.first == [.address(client), .network(client.network)])
        #expect(visitor.later == .token("app"))
        #expect(visitor.runner == .address(client) && visitor.taker == .network(client.network))
        let signedIn = RequestParties(user: user, token: "app", from: client)
        #expect(
            signedIn.first == [.address(client), .network(client.network), user] && signedIn.later == nil)
        #expect(signedIn.runner == user && signedIn.taker == user)
        let unknown = RequestParties(user: nil, token: "app", from: nil)
        #expect(unknown.first.isEmpty && unknown.later == .token("app"))
        #expect(unknown.runner == .token("app") && unknown.taker == .token("app"))
        let key = RequestParties(user: nil, token: nil, from: nil)
        #expect(key.first.isEmpty && key.later == nil && key.runner == nil && key.taker == nil)
    }

    @Test func `All addresses of a network together have a share, and others theirs`() async throws {
        let shares = RequestShares()
        func parties(_ address: String) throws -> [RequestShares.Party] {
            let client = try #require(ClientAddress(text: address))
            return RequestParties(user: nil, token: nil, from: client).first
        }
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        try await withThrowingTaskGroup { group in
            for number in 0..<Limits.requestsPerNetwork {
                let own = try parties("2001:db8:1:\(String(number % 4, radix: 16))::1")
                group.addTask {
                    try await shares.with(own) {
                        arrival.yield()
                        for await _ in gate {}
                    }
                }
            }
            var arrived = arrivals.makeAsyncIterator()
            for _ in 0..<Limits.requestsPerNetwork { _ = await arrived.next() }
            let further = try parties("2001:db8:1:99::1")
            let error = await #expect(throws: ServiceError.self) { try await shares.with(further) {} }
            #expect(error?.code == .throttled)
            try await shares.with(try parties("2001:db8:2:99::1")) {}
            try await shares.with(try parties("192.0.2.1")) {}
            opening.finish()
            try await group.waitForAll()
        }
        try await shares.with(try parties("2001:db8:1:99::1")) {}
    }

    @Test(arguments: [
        ("10.0.0.1", "::ffff:10.0.0.1"), ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9"), ("[::1]", "127.0.0.1"),
        (" 10.0.0.1 ", "10.0.0.1"),
    ])
    func `Addresses of one client are one`(left: String, right: String) throws {
        #expect(try #require(ClientAddress(text: left)) == #require(ClientAddress(text: right)))
    }

    @Test(arguments: ["", "unknown", "_hidden", "10.0.0", "1.2.3.4.5", String(repeating: "1", count: 100)])
    func `Other texts are none`(text: String) { #expect(ClientAddress(text: text) == nil) }
}
