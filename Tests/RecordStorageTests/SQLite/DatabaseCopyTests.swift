import Foundation
import RecordModel
import RecordStorage
import RecordStorageConformance
import SQLiteAccess
import TestSupport
import Testing

@testable import RecordStorageSQLite

/// Copies of a database that is written to meanwhile.
@Suite struct DatabaseCopyTests {
    /// The names in a copy, which opens as a store of its own.
    private func names(in path: String, _ ground: Ground) async throws -> Set<String> {
        let directory = try TemporaryDirectory()
        try FileManager.default.moveItem(atPath: path, toPath: directory.path + "/" + SQLiteStore.fileName)
        // Bodies of these tests are not whole records.
        let findings = try StoreInspection.run(directory: directory.path).filter {
            $0.severity != .good && !$0.message.contains("whose body names another record")
        }
        #expect(findings.map(\.message) == [])
        let store = try SQLiteStore(directory: directory.path)
        let names = try await store.read(.long) {
            try ground.names(ground.scan(limit: 100_000), in: $0).names
        }
        await store.close()
        return Set(names)
    }

    @Test func `A copy holds what was acknowledged before, and whole writes only`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let ground = try await Ground.make(store, type: "Copied")
        // Enough pages for some hundred slices.
        for start in stride(from: 0, to: 4_000, by: 500) {
            try await store.write { writer in
                for number in start..<start + 500 {
                    try ground.save(
                        "old-\(number)", ["t": .string(String(repeating: "x", count: 900))], in: writer)
                }
            }
        }
        let writing = Task {
            var count = 0
            while !Task.isCancelled {
                let number = count
                try await store.write { writer in
                    for part in ["a", "b"] {
                        try ground.save("new-\(number)-\(part)", ["t": .string("y")], in: writer)
                    }
                }
                count += 1
            }
            return count
        }
        let path = directory.path + "/copy"
        try await store.copyDatabase(to: path)
        writing.cancel()
        let count = try await writing.value
        let found = try await names(in: path, ground)
        let old = Set((0..<4_000).map { "old-\($0)" })
        #expect(old.subtracting(found).count == 0)
        // Of the writes that came meanwhile the first so many, each whole.
        let new = found.subtracting(old)
        let expected = (0..<new.count / 2).flatMap { ["new-\($0)-a", "new-\($0)-b"] }
        #expect(new == Set(expected) && new.count / 2 <= count)
        await store.close()
    }

    @Test func `From outside it is the same, with a server and without`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let ground = try await Ground.make(store, type: "Copied")
        try await store.write { try ground.save("one", in: $0) }
        let path = directory.path + "/copy"
        try SQLiteStore.copyDatabase(of: directory.path, to: path)
        #expect(try await names(in: path, ground) == ["one"])
        await store.close()
        try SQLiteStore.copyDatabase(of: directory.path, to: path)
        #expect(try await names(in: path, ground) == ["one"])
    }

    @Test func `A copy that cannot be written fails alone, and one that is given up ends`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let ground = try await Ground.make(store, type: "Copied")
        await #expect(throws: StorageError.self) {
            try await store.copyDatabase(to: directory.path + "/nowhere/copy")
        }
        try await store.write { try ground.save("one", in: $0) }
        let copying = Task { try await store.copyDatabase(to: directory.path + "/copy") }
        copying.cancel()
        // It may have been done before it was given up.
        _ = await copying.result
        #expect(store.health == .good)
        await store.close()
        await #expect(throws: StorageError.self) {
            try await store.copyDatabase(to: directory.path + "/late")
        }
    }

    @Test func `A restored database gives no sequence number again`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let ground = try await Ground.make(store, type: "Copied")
        try await store.write { try ground.save("one", in: $0) }
        let last = try await store.read(.short) { try $0.lastSequence() }
        await store.close()
        try StoreRestoration.passOverSequenceNumbers(directory: directory.path)
        #expect(try StoreSummary(directory: directory.path).sequence == last + StoreRestoration.passedOver)
        let again = try SQLiteStore(directory: directory.path)
        try await again.write { try ground.save("two", in: $0) }
        #expect(try await again.read(.short) { try $0.lastSequence() } > last + StoreRestoration.passedOver)
        await again.close()
    }
}
