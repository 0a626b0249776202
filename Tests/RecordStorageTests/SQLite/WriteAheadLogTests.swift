import Foundation
import RecordModel
import RecordStorage
import RecordStorageConformance
import SQLiteAccess
import Synchronization
import TestSupport
import Testing

@testable import RecordStorageSQLite

/// The log stays small, whoever reads.
@Suite struct WriteAheadLogTests {
    private static let text = String(repeating: "x", count: 500_000)

    private static func logBytes(_ directory: TemporaryDirectory) -> Int {
        let path = directory.path + "/" + SQLiteStore.fileName + "-wal"
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
        return size?.intValue ?? 0
    }

    /// Says when tasks have to end.
    private final class End: Sendable {
        private let state = Mutex(false)
        var isThere: Bool { state.withLock { $0 } }
        func come() { state.withLock { $0 = true } }
    }

    private final class Count: Sendable {
        private let state = Mutex(0)
        var value: Int { state.withLock { $0 } }
        func add() { state.withLock { $0 += 1 } }
    }

    @Test func `Writers beside short readers keep the log below its bound`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let ground = try await Ground.make(store)
        let end = End()
        var largest = 0
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    while !end.isThere {
                        _ = try await store.read(.short) { try ground.names(ground.scan(limit: 20), in: $0) }
                        // A short read keeps its thread: two of them are all there are on two cores.
                        await Task.yield()
                    }
                }
            }
            for number in 0..<160 {
                try await store.write { try ground.save("r\(number)", ["t": .string(Self.text)], in: $0) }
                largest = max(largest, Self.logBytes(directory))
            }
            end.come()
            try await group.waitForAll()
        }
        #expect(largest > LogBounds.keptBytes / 4 && largest <= Limits.logBytes, "\(largest)")
        #expect(store.gauges.contains { $0.name == "log_restarts" && $0.value > 0 })
        #expect(store.health == .good)
        await store.close()
        #expect(Self.logBytes(directory) == 0)
    }

    /// Each read is short enough to be waited for, but there is no moment without one.
    @Test func `Long reads that overlap for ever leave the log a moment to start over`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let ground = try await Ground.make(store)
        let end = End()
        let reads = Count()
        var largest = 0
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<3 {
                group.addTask {
                    try await Task.sleep(for: .milliseconds(number * 50))
                    while !end.isThere {
                        try await store.read(.long) { reader in
                            _ = try reader.lastSequence()
                            Thread.sleep(forTimeInterval: 0.15)
                        }
                        reads.add()
                    }
                }
            }
            for number in 0..<200 {
                try await store.write { try ground.save("r\(number)", ["t": .string(Self.text)], in: $0) }
                largest = max(largest, try #require(store.gauges.first { $0.name == "log_bytes" }).value)
                try await Task.sleep(for: .milliseconds(20))
            }
            end.come()
            try await group.waitForAll()
        }
        let stopped = store.gauges.first { $0.name == "readers_stopped" }?.value
        #expect(largest < LogBounds().stop && stopped == 0, "\(largest), \(stopped ?? -1)")
        #expect(reads.value > 12, "the reads went on")
        await store.close()
    }

    @Test func `Who waits at the gate leaves with its client, or after a second`() async throws {
        let directory = try TemporaryDirectory()
        let connection = try Connection(path: directory.path + "/a.sqlite", role: .writer, cacheKiB: 100)
        let gate = LongReadGate()
        gate.close()
        #expect(gate.isClosed)
        connection.allow(until: DispatchTime.now().uptimeNanoseconds)
        // Who waits to the end opens the gate: this one left before.
        gate.pass(connection.deadline)
        #expect(gate.isClosed)
        connection.allow(until: nil)
        gate.pass(connection.deadline)
        #expect(!gate.isClosed)
        // In vain: it stays open for a while.
        gate.close()
        #expect(!gate.isClosed)
        gate.open()
        gate.close()
        #expect(gate.isClosed)
        connection.close()
    }

    @Test func `A long read that holds the log gives way to writers, and is told why`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let ground = try await Ground.make(store)
        let hasBegun = Mutex(false)
        let read = Task {
            try await store.read(.long) { reader throws -> Int64 in
                let reader = try #require(reader as? SQLiteReader)
                _ = try reader.lastSequence()
                hasBegun.withLock { $0 = true }
                return try reader.connection.int(
                    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1e12) SELECT count(*) FROM c"
                )
            }
        }
        #expect(try await eventually { hasBegun.withLock { $0 } })
        var largest = 0
        for number in 0..<160 {
            try await store.write { try ground.save("r\(number)", ["t": .string(Self.text)], in: $0) }
            largest = max(largest, Self.logBytes(directory))
        }
        #expect(largest <= Limits.logBytes, "\(largest)")
        let error = await #expect(throws: StorageError.self) { try await read.value }
        #expect(error?.code == "STORAGE_GAVE_WAY" && error?.isTemporary == true)
        // The connection is good for the next reader.
        #expect(try await store.read(.long) { try ground.names(ground.scan(), in: $0).names.count } == 160)
        await store.close()
    }

    @Test func `What a commit may add at most leaves the log within its bound`() {
        #expect(LogBounds().longest <= Limits.logBytes)
        let bounds = LogBounds()
        let sizes = [bounds.move, bounds.restart, bounds.gather, bounds.slow, bounds.stop]
        #expect(sizes == sizes.sorted())
    }

    @Test func `Beside another process's reader writes go on without waiting for it each time`() async throws
    {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let ground = try await Ground.make(store)
        // No reader of the store's own, so nothing that it could stop.
        let other = try Connection(
            path: directory.path + "/" + SQLiteStore.fileName, role: .reader, cacheKiB: 100)
        try other.execute("BEGIN")
        _ = try other.int("SELECT count(*) FROM meta")
        let start = ContinuousClock.now
        for number in 0..<130 {
            try await store.write { try ground.save("r\(number)", ["t": .string(Self.text)], in: $0) }
        }
        let time = ContinuousClock.now - start
        #expect(store.log.bytes > LogBounds().stop)
        let most = 1 + Int(time / LogBounds.suspicionTime)
        #expect((1...most).contains(store.log.searches), "\(store.log.searches) in \(time)")
        other.endReading()
        other.close()
        await store.close()
        #expect(Self.logBytes(directory) == 0)
    }
}
