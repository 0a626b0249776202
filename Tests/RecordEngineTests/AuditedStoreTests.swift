import RecordEngine
import RecordModel
import RecordStorage
import RecordStorageSQLite
import TestSupport
import Testing

/// A deed and its row in the audit log are one write.
@Suite struct AuditedStoreTests {
    private static func row(_ subject: String) -> AuditRow {
        AuditRow(at: 1, operatorName: "ada", action: "test", tenant: nil, subject: subject, requestID: "r")
    }

    private static func subjects(_ store: any RecordStore) async throws -> [String] {
        try await store.read(.short) { try $0.audit(before: nil, limit: 10) }.map(\.subject)
    }

    @Test func `What is done is noted with what came of it, and what is not done is not`() async throws {
        let directory = try TemporaryDirectory()
        let store = AuditedStore(try SQLiteStore(directory: directory.path))
        let first = try await AuditedAction.$current.withValue(AuditedAction { Self.row("\($0.value)") }) {
            try await store.write { try $0.nextSequence() }
        }
        #expect(try await Self.subjects(store) == ["\(first)"])
        await #expect(throws: TestFailure.self) {
            try await AuditedAction.$current.withValue(AuditedAction { _ in Self.row("undone") }) {
                try await store.write { writer in
                    try writer.insert(OperatorRow(name: "eve", createdAt: 1))
                    throw TestFailure("the deed fails")
                }
            }
        }
        try await AuditedAction.$current.withValue(AuditedAction { _ in nil }) {
            try await store.write { try $0.insert(OperatorRow(name: "bob", createdAt: 1)) }
        }
        try await store.write { try $0.insert(OperatorRow(name: "cy", createdAt: 1)) }
        #expect(try await Self.subjects(store) == ["\(first)"])
        #expect(try await store.read(.short) { try $0.operators().map(\.name) } == ["bob", "cy"])
        await store.close()
    }
}
