import RecordStorage
import RecordStoragePostgres
import Synchronization
import TestSupport
import Testing

/// Writes that go to PostgreSQL together are answered one by one.
@Suite struct GroupedWriteTests {
    @Test func `What PostgreSQL refuses of one write harms none of the others`() async throws {
        let directory = try TemporaryDirectory()
        let url = try StoreEngine.databaseURL(of: directory)
        let store = try PostgresStore(url: url)
        let isReleased = Atomic(false)
        async let held: Void = store.write { _ in
            while !isReleased.load(ordering: .acquiring) {}
        }
        let failed = try await withThrowingTaskGroup(of: Int?.self) { group in
            for writer in 0..<20 {
                group.addTask {
                    do {
                        try await store.write { store in
                            try store.insert(OperatorRow(name: "\(writer)", createdAt: 1))
                            // Only PostgreSQL knows that there is one of this name.
                            if writer % 7 == 3 {
                                try store.insert(OperatorRow(name: "\(writer)", createdAt: 2))
                            }
                        }
                        return nil
                    } catch is StorageError {
                        return writer
                    }
                }
            }
            try await Task.sleep(for: .milliseconds(200))
            isReleased.store(true, ordering: .releasing)
            return try await group.reduce(into: Set<Int>()) { if let writer = $1 { $0.insert(writer) } }
        }
        try await held
        #expect(failed == [3, 10, 17])
        let names = try await store.read(.short) { try $0.operators().map(\.name) }
        #expect(Set(names) == Set((0..<20).filter { !failed.contains($0) }.map(String.init)))
        await store.close()
    }
}
