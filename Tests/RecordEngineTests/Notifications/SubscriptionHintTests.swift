import RecordStorage
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// Two nodes on one PostgreSQL: what is subscribed at one counts at once for who waits at the other.
@Suite struct SubscriptionHintTests {
    @Test func `A poll is told at once of what is subscribed at another node, and not of what is deleted`()
        async throws
    {
        try await TestCloud.run(engine: .postgres) { cloud in
            try await cloud.save("x", ["n": ["value": 1]])
            let courier = try await Courier.make(cloud)
            let (store, node) = try cloud.makeNodeWithStore()
            let poll = Task { () -> String in
                guard let told = try await node.nextNotification(ofReceiver: courier.token, seconds: 60)
                else { return "nothing" }
                return Courier.text(try JSONReader.read(told.json))
            }
            #expect(try await eventually { await node.receiverCount == 1 })
            try await cloud.subscribe(TestCloud.notes("gone"))
            _ = try await cloud.unsubscribe("gone")
            try await cloud.save("a", ["n": ["value": 2]])
            try await cloud.subscribe(TestCloud.notes("s"))
            try await cloud.save("b", ["n": ["value": 3]])
            #expect(try await poll.value == "s:created:b")
            await store.close()
        }
    }
}
