import RecordStorage
import RecordStoragePostgres
import TestSupport
import Testing

/// Jobs of several nodes on one database.
@Suite struct LeaseTests {
    private func withNodes(_ body: (PostgresStore, PostgresStore) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let url = try StoreEngine.databaseURL(of: directory)
        let nodes = (try PostgresStore(url: url), try PostgresStore(url: url))
        do { try await body(nodes.0, nodes.1) } catch {
            await nodes.0.close()
            await nodes.1.close()
            throw error
        }
        await nodes.0.close()
        await nodes.1.close()
    }

    @Test func `A job is one node's until it is done, and due again after its time`() async throws {
        try await withNodes { first, second in
            let job = StoreJob(name: "sweep", intervalSeconds: 3_600)
            #expect(try await first.takeLease(of: job))
            #expect(try await first.takeLease(of: job), "one's own again")
            #expect(try await second.takeLease(of: job) == false)
            #expect(try await second.renewLease(of: job) == false)
            // What somebody else returns changes nothing.
            try await second.returnLease(of: job, isDone: true)
            #expect(try await first.renewLease(of: job))
            // Given back undone it is free at once; done, for nobody.
            try await first.returnLease(of: job, isDone: false)
            #expect(try await second.takeLease(of: job))
            try await second.returnLease(of: job, isDone: true)
            for node in [first, second] { #expect(try await node.takeLease(of: job) == false) }
            let due = StoreJob(name: "sweep", intervalSeconds: 0)
            #expect(try await first.takeLease(of: due))
            #expect(try await second.takeLease(of: StoreJob(name: "other", intervalSeconds: 3_600)))
        }
    }

    @Test func `The job of a node that died is another's when the lease is over`() async throws {
        try await withNodes { first, second in
            let job = StoreJob(name: "sweep", intervalSeconds: 3_600, leaseSeconds: 1)
            let start = ContinuousClock.now
            #expect(try await first.takeLease(of: job))
            #expect(try await eventually { try await second.takeLease(of: job) })
            #expect(ContinuousClock.now - start >= .milliseconds(900))
            // Who comes back from the dead learns of it, and takes nothing back.
            #expect(try await first.renewLease(of: job) == false)
            try await first.returnLease(of: job, isDone: true)
            #expect(try await second.renewLease(of: job))
        }
    }

    @Test func `Of many that ask at once one gets the job`() async throws {
        try await withNodes { first, second in
            for round in 0..<10 {
                let job = StoreJob(name: "job \(round)", intervalSeconds: 3_600)
                async let mine = first.takeLease(of: job)
                async let theirs = second.takeLease(of: job)
                let taken = try await [mine, theirs]
                #expect(taken.count { $0 } == 1)
            }
        }
    }
}
