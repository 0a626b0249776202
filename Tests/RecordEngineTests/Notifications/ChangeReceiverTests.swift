import RecordModel
import RecordStorage
import TestSupport
import Testing

@testable import RecordEngine

/// How much of the log waits in memory for readers that are slow.
@Suite struct ChangeReceiverTests {
    private static let recordBytes = 1_048_576

    private static func change(_ sequence: Int64, bytes: Int = Self.recordBytes) -> LoggedChange {
        LoggedChange(
            sequence: sequence, kind: .created, database: 1, zone: 1, type: 1, name: "r",
            after: Array(repeating: 0x20, count: bytes))
    }

    private static func receiver() -> ChangeReceiver { ChangeReceiver(types: [1: [1]], party: "p") }

    @Test func `What waits for one receiver has a bound in bytes`() {
        let receiver = Self.receiver()
        var sequence: Int64 = 1
        while receiver.offer(FollowedChange(Self.change(sequence))), sequence < 100 { sequence += 1 }
        // So many fit below the bound, and one more does not.
        #expect(sequence == Int64(Limits.waitingChangeBytes / Self.recordBytes))
        #expect(receiver.waitingBytes == 0)
        guard case .overflow = receiver.take() else {
            Issue.record("The reader was not told.")
            return
        }
        #expect(receiver.offer(FollowedChange(Self.change(200))))
        guard case .changes(let changes, let tail) = receiver.take() else {
            Issue.record("The reader was told twice.")
            return
        }
        #expect(changes.map(\.sequence) == [200] && tail == 200)
        #expect(receiver.waitingBytes == 0)
    }

    @Test func `What waits for all receivers has a bound, and those for which most waits give way`()
        async throws
    {
        try await TestCloud.run { cloud in
            let hub = ChangeHub(store: cloud.store, mostWaitingBytes: 4 * Self.recordBytes)
            let (slow, quick) = (Self.receiver(), Self.receiver())
            try await hub.attach(slow, as: .hook)
            await hub.handOut(Self.change(1))
            await hub.handOut(Self.change(2))
            try await hub.attach(quick, as: .hook)
            await hub.handOut(Self.change(3))
            // The one that waits for both is in memory once.
            #expect((3 * Self.recordBytes..<4 * Self.recordBytes).contains(hub.counts.waitingBytes))
            await hub.handOut(Self.change(4))
            #expect(hub.counts.overflows == 1)
            guard case .overflow = slow.take() else {
                Issue.record("The slowest did not give way.")
                return
            }
            guard case .changes(let changes, _) = quick.take() else {
                Issue.record("The other one gave way, too.")
                return
            }
            #expect(changes.map(\.sequence) == [3, 4])
            await hub.detach(slow)
            await hub.detach(quick)
        }
    }
}
