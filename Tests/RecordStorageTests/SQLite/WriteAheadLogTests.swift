import Foundation
import RecordModel
import RecordStorage
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
}
