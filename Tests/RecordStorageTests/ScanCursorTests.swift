import RecordModel
import RecordStorage
import RecordStorageConformance
import TestSupport
import Testing

/// The bytes of cursors: those that were written before go on, and no others lead anywhere.
@Suite struct ScanCursorTests {
    @Test(arguments: StoreEngine.allCases)
    func `Cursors of both forms go on, other bytes are refused`(_ engine: StoreEngine) async throws {
        let place = try TemporaryDirectory()
        let store = try engine.open(place)
        let ground = try await Ground.make(store)
        try await store.write { store in
            for (number, name) in ["a", "b", "c", "d"].enumerated() {
                try ground.save(name, ["n": .int64(Int64(number / 2)), "t": .string("ä\0")], in: store)
            }
        }
        let keys = [
            SortKey(.column(try ground.column("n")), ascending: true),
            SortKey(.column(try ground.column("t")), ascending: false),
        ]
        try await store.read(.long) { reader in
            var scan = ground.scan(sort: keys, limit: 1)
            let next = try #require(try ground.names(scan, in: reader).outcome.next)
            scan.limit = 9
            // As version 0.1 wrote them: no flags.
            for bytes in [next.bytes, [0] + next.bytes.dropFirst(2)] {
                scan.after = ScanCursor(bytes: bytes)
                #expect(try ground.names(scan, in: reader).names == ["b", "c", "d"])
            }
            // With the row itself, in either direction.
            scan.after = ScanCursor(bytes: [1, 1] + next.bytes.dropFirst(2))
            #expect(try ground.names(scan, in: reader).names == ["a", "b", "c", "d"])
            scan.isBackward = true
            #expect(try ground.names(scan, in: reader).names == ["a"])
            scan.isBackward = false
            let unsorted = try #require(try ground.names(ground.scan(limit: 1), in: reader).outcome.next)
            for bytes in [
                [], [0], [1], [1, 2] + next.bytes.dropFirst(2), [2] + next.bytes.dropFirst(),
                Array(next.bytes.dropLast()), next.bytes + [0], next.bytes + [9], unsorted.bytes,
            ] as [[UInt8]] {
                scan.after = ScanCursor(bytes: bytes)
                let error = #expect(throws: StorageError.self) { try ground.names(scan, in: reader) }
                #expect(error?.code == "STORAGE_UNKNOWN_CURSOR")
            }
        }
        await store.close()
    }
}
