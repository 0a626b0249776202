import RecordModel
import RecordStorage
import Synchronization
import TestSupport
import Testing

@testable import RecordEngine

/// What the hub does when the log forgets what it has not read.
@Suite struct ChangeHubTests {
    /// A store whose reads wait while they are held back, as on a machine that is too busy.
    private final class HeldStore: RecordStore {
        private struct State {
            var isHeld = false
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        private let base: any RecordStore
        private let state = Mutex(State())

        init(_ base: any RecordStore) { self.base = base }

        /// How many reads wait.
        var waiting: Int { state.withLock { $0.waiting.count } }

        func hold() { state.withLock { $0.isHeld = true } }

        func release() {
            let waiting = state.withLock { state in
                defer { state = State() }
                return state.waiting
            }
            for one in waiting { one.resume() }
        }

        func read<Value: Sendable>(
            _ effort: ReadEffort, for party: ReadParty,
            _ body: @escaping @Sendable (any StoreReader) throws -> Value
        ) async throws -> Value {
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state in
                    if state.isHeld { state.waiting.append(continuation) }
                    return !state.isHeld
                }
                if isFree { continuation.resume() }
            }
            return try await base.read(effort, for: party, body)
        }

        func write<Value: Sendable>(
            _ effort: WriteEffort, _ body: @escaping @Sendable (any StoreWriter) throws -> Value
        ) async throws -> Value { try await base.write(effort, body) }

        func schema(of tenant: Tenant) -> Schema { base.schema(of: tenant) }
        func effort(of scan: RecordScan) -> ReadEffort { base.effort(of: scan) }
        func explain(_ scan: RecordScan) -> ScanExplanation { base.explain(scan) }
        func makeIndex(for scan: RecordScan) async throws { try await base.makeIndex(for: scan) }
        func listen(_ listener: (@Sendable () -> Void)?) { base.listen(listener) }
        var health: StoreHealth { base.health }
        var backgroundWork: BackgroundWork { base.backgroundWork }
        func close() async { await base.close() }
    }

    @Test func `Receivers of a hub that the horizon passes read the log, and are told of what follows`()
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.save("x", ["n": ["value": 1]])
            // Somebody watches, so that changes are logged.
            try await cloud.subscribe(TestCloud.notes("s"))
            let tenant = Tenant(container: cloud.container, environment: .development)
            let id = DatabaseID(tenant: tenant, owner: TestCloud.Sender.alice.userName)
            let number = try await cloud.store.read(.short) { try $0.database(id) }
            let store = HeldStore(cloud.store)
            let hub = ChangeHub(store: store)
            let receiver = ChangeReceiver(types: [try #require(number): [ChangeWatch.allTypes]], party: "p")
            try await hub.attach(receiver, as: .hook)

            store.hold()
            #expect(try await eventually { store.waiting > 0 })
            for name in ["a", "b", "c"] { try await cloud.save(name, ["n": ["value": 2]]) }
            try await cloud.store.write { store in
                _ = try store.forgetChanges(before: 0, at: 1)
                _ = try store.forgetChanges(before: 1, at: 2)
            }
            store.release()
            await receiver.wait()
            guard case .overflow = receiver.take() else {
                Issue.record("What was forgotten was passed in silence.")
                return
            }
            // It is woken before it is counted.
            #expect(try await eventually { hub.counts.overflows == 1 })

            try await cloud.save("d", ["n": ["value": 3]])
            var told: [String] = []
            while told.isEmpty {
                await receiver.wait()
                guard case .changes(let changes, _) = receiver.take() else {
                    Issue.record("It was told of the same loss again.")
                    return
                }
                told = changes.map(\.logged.name)
            }
            #expect(told == ["d"])
            await hub.detach(receiver)
        }
    }
}
