import RecordModel
import RecordStorage
import RecordStorageMemory
import Synchronization

/// An engine that undoes each fifth write and acknowledges it.
final class ForgetfulStore: RecordStore {
    private let store = MemoryStore()
    private let writes = Atomic(0)

    private struct Forgotten<Value: Sendable>: Error { var value: Value }

    func read<Value: Sendable>(
        _ effort: ReadEffort, for party: ReadParty,
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) async throws -> Value {
        try await store.read(effort, for: party, body)
    }

    func write<Value: Sendable>(
        _ effort: WriteEffort, _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) async throws -> Value {
        let isForgotten = writes.add(1, ordering: .relaxed).newValue % 5 == 0
        do {
            return try await store.write(effort) { writer in
                let value = try body(writer)
                if isForgotten { throw Forgotten(value: value) }
                return value
            }
        } catch let forgotten as Forgotten<Value> {
            return forgotten.value
        }
    }

    func schema(of tenant: Tenant) -> Schema { store.schema(of: tenant) }
    func effort(of scan: RecordScan) -> ReadEffort { store.effort(of: scan) }
    func explain(_ scan: RecordScan) -> ScanExplanation { store.explain(scan) }
    func makeIndex(for scan: RecordScan) async throws {}
    var health: StoreHealth { store.health }
    var backgroundWork: BackgroundWork { store.backgroundWork }
    func close() async { await store.close() }
}
