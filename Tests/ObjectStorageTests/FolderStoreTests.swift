import Foundation
import ObjectStorage
import TestSupport
import Testing

/// What every store promises, on a folder; scripts/tests/s3.py asks it of real S3 servers.
@Suite struct FolderStoreTests {
    @Test func `Objects are written whole, listed in order, read and removed`() async throws {
        let directory = try TemporaryDirectory()
        let folder = directory.path + "/objects"
        let store = FolderStore(path: folder + "//")
        #expect(try await store.list("", from: nil).objects.isEmpty)
        #expect(try await store.folders(in: "").isEmpty)
        let large = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try await store.put(large, as: "b/two/large")
        try await store.put([], as: "b/one/empty")
        try await store.put([1], as: "a")
        #expect(
            try await store.list("b/", from: nil).objects.map { ObjectInfo(name: $0.name, size: $0.size) }
                == [.init(name: "b/one/empty", size: 0), .init(name: "b/two/large", size: 3_000_000)])
        #expect(try await store.folders(in: "b/") == ["one", "two"])
        #expect(try await store.get("b/two/large", maximumBytes: 3_000_000) == large)
        await #expect(throws: ObjectStorageError.self) { try await store.get("b/two/large", maximumBytes: 9) }
        try await store.get("b/two/large", toFile: folder + "/copy")
        try await store.put(file: folder + "/copy", as: "c")
        #expect(try await store.head("c")?.size == 3_000_000)
        try await store.delete("b/one/empty")
        try await store.delete("b/one/empty")
        #expect(try await store.head("b/one/empty") == nil)
        await #expect { try await store.get("b/one/empty", maximumBytes: 1) } throws: {
            ($0 as? ObjectStorageError)?.isMissing == true
        }
    }

    @Test func `A folder that cannot be listed is not an empty one`() async throws {
        let directory = try TemporaryDirectory()
        let store = FolderStore(path: directory.path + "/objects")
        try await store.put([1], as: "backups")
        #expect(try await store.folders(in: "others").isEmpty)
        await #expect(throws: ObjectStorageError.self) { try await store.folders(in: "backups/") }
    }
}
