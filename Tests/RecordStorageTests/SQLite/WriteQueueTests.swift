import Foundation
import RecordModel
import RecordStorage
import RecordStorageConformance
import Synchronization
import TestSupport
import Testing

@testable import RecordStorageSQLite

/// Short writes beside batches: nobody's are lost, none waits for ever, and a short one does not wait for all batches.
@Suite struct WriteQueueTests {
    /// A write that tells its number where it is done.
    private static func job(_ number: Int, _ effort: WriteEffort, _ done: @escaping @Sendable (Int) -> Void)
        -> WriteLoop.Job
    {
        WriteLoop.Job(effort: effort, run: { _ in { _ in } }, fail: { _ in done(number) })
    }

    private final class Order: Sendable {
        private let numbers = Mutex<[Int]>([])
        var all: [Int] { numbers.withLock(\.self) }
        func add(_ number: Int) { numbers.withLock { $0.append(number) } }
    }

    private struct Over: Error {}

    @Test(arguments: Seed.some(20))
    func `Each is done once, those of a kind in their order, and the first long one at once`(_ seed: Seed) {
        var random = seed.random
        var queue = WriteQueue()
        let order = Order()
        var efforts: [WriteEffort] = []
        var waitingLong: [Int] = []
        while efforts.count < 200 || queue.count > 0 {
            for _ in 0..<random.int(0...6) where efforts.count < 200 {
                let effort: WriteEffort = random.oneIn(3) ? .long : .short
                if effort == .long { waitingLong.append(efforts.count) }
                queue.append(Self.job(efforts.count, effort, order.add))
                efforts.append(effort)
            }
            let before = queue.count
            let most = random.int(1...8)
            let jobs = queue.take(most)
            #expect(jobs.count == min(most, before))
            guard !jobs.isEmpty else { continue }
            let done = random.int(1...jobs.count)
            for job in jobs.prefix(done) { job.fail(Over()) }
            queue.putBack(jobs.dropFirst(done))
            #expect(queue.count == before - done)
            if let first = waitingLong.first { #expect(order.all.contains(first), "it waited") }
            waitingLong.removeAll { order.all.contains($0) }
        }
        let all = order.all
        #expect(all.sorted() == Array(efforts.indices))
        for kind in [WriteEffort.short, .long] {
            let ofKind = all.filter { efforts[$0] == kind }
            #expect(ofKind == ofKind.sorted())
        }
    }

    @Test func `A short write is answered before batches that came before it`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let ground = try await Ground.make(store)
        let order = Order()
        let hasBegun = Atomic(false)
        let isReleased = Atomic(false)
        async let first: Void = store.write { _ in
            hasBegun.store(true, ordering: .releasing)
            while !isReleased.load(ordering: .acquiring) { Thread.sleep(forTimeInterval: 0.001) }
        }
        #expect(try await eventually { hasBegun.load(ordering: .acquiring) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                group.addTask {
                    try await store.write(.long) { store in
                        // Longer than what a commit does before it takes no further batch.
                        Thread.sleep(forTimeInterval: 0.05)
                        try ground.save("long \(number)", in: store)
                    }
                    order.add(number)
                }
            }
            #expect(try await eventually { store.writes.waitingCount >= 6 })
            group.addTask {
                try await store.write { try ground.save("short", in: $0) }
                order.add(-1)
            }
            #expect(try await eventually { store.writes.waitingCount >= 7 })
            isReleased.store(true, ordering: .releasing)
            try await group.waitForAll()
        }
        try await first
        // In one commit with the first batch, which may be noted before it.
        let place = try #require(order.all.firstIndex(of: -1))
        #expect(place <= 1, "\(order.all)")
        #expect(order.all.count == 7)
        let names = try await store.read(.long) { try ground.names(ground.scan(), in: $0).names }
        #expect(names.count == 7)
        await store.close()
    }

    /// An outcome that says that it is large.
    private struct Large: SizedResult {
        var heldBytes: Int { 3 << 20 }
    }

    @Test func `A commit ends when its outcomes hold much`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let order = Order()
        let hasBegun = Atomic(false)
        let isReleased = Atomic(false)
        async let first: Void = store.write { _ in
            hasBegun.store(true, ordering: .releasing)
            while !isReleased.load(ordering: .acquiring) { Thread.sleep(forTimeInterval: 0.001) }
        }
        #expect(try await eventually { hasBegun.load(ordering: .acquiring) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    _ = try await store.write { store in
                        order.add((store as? SQLiteWriter)?.heldBytes ?? -1)
                        return Large()
                    }
                }
            }
            #expect(try await eventually { store.writes.waitingCount >= 8 })
            isReleased.store(true, ordering: .releasing)
            try await group.waitForAll()
        }
        try await first
        #expect(order.all.count == 8 && order.all.max() == 3 << 20 && order.all.min() == 0, "\(order.all)")
        await store.close()
    }

    @Test func `A large write begins a commit, and is not kept waiting by others`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let ground = try await Ground.make(store)
        let order = Order()
        let hasBegun = Atomic(false)
        let isReleased = Atomic(false)
        async let first: Void = store.write { _ in
            hasBegun.store(true, ordering: .releasing)
            while !isReleased.load(ordering: .acquiring) { Thread.sleep(forTimeInterval: 0.001) }
        }
        #expect(try await eventually { hasBegun.load(ordering: .acquiring) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<9 {
                group.addTask {
                    let isLarge = number % 3 == 2
                    try await store.write(number % 2 == 0 ? .short : .long) { store in
                        let bytes = isLarge ? LogBounds.largeRequestBytes + 1 : 1
                        try store.foresee(
                            PrefetchHint(
                                database: DatabaseID(tenant: try Ground.tenant(), owner: nil),
                                zone: ZoneID.defaultName, bytes: bytes))
                        // Nothing came before it in this commit.
                        if isLarge { order.add((store as? SQLiteWriter)?.admitsLarge == true ? 1 : 0) }
                        try ground.save("r\(number)", in: store)
                    }
                }
            }
            #expect(try await eventually { store.writes.waitingCount >= 9 })
            isReleased.store(true, ordering: .releasing)
            try await group.waitForAll()
        }
        try await first
        #expect(order.all == [1, 1, 1])
        let names = try await store.read(.long) { try ground.names(ground.scan(), in: $0).names }
        #expect(names.count == 9)
        await store.close()
    }
}
